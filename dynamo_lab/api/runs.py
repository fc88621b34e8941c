"""What a view may ask of a recorded program while the kernel lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from dynamo_lab.api.diff import diff
from dynamo_lab.api.trial import outcome
from dynamo_lab.errors import DynamoLabError
from dynamo_lab.live.compiler.beside import compiled_by
from dynamo_lab.live.fixes import try_fix
from dynamo_lab.live.session import Session
from dynamo_lab.record.lower import relower
from dynamo_lab.record.replay import without_trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.measure.rounds import Watch
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Run
    from dynamo_lab.view.messages import Outcome

    Ran = tuple[str, Outcome, Recording, Session]

KERNEL_SECONDS = 3.0
"""The most that the kernels' rounds take, warm ones and cold ones each."""


class Waiting(Protocol):
    """The observer of a run: receives its progress, and may end it early."""

    on_stop: Callable[[], None]

    def tell(self, what: str, fraction: float | None, seconds_left: float | None) -> None:
        """Report the progress, as far as it is known."""
        ...


def run(
    recording: Recording,
    session: Session,
    what: str,
    asked: dict[str, Any],
    waiting: Waiting | None = None,
) -> Ran:
    """A label for the new recording, the result of the run as JSON, the facts and their session.

    Raises:
        DynamoLabError: it cannot be done, or there is no such request.
    """
    match what, asked:
        case "try_fix", {"break": int(item), "fix": str(fix)}:
            return _tried(recording, session, item, fix)
        case "apply", {"findings": list()}:
            ids = [item for item in asked["findings"] if isinstance(item, int)]
            return _applied(recording, session, ids, waiting)
        case "relower", {"target": str(target), "switches": dict()}:
            return _relowered(recording, session, target, asked["switches"])
        case "beside", {}:
            return _beside(recording, session)
        case "bench", {"ways": list(), "training": bool(), "seconds": int() | float()}:
            chosen = {name: asked[name] for name in ("ways", "training", "seconds")}
            return _benched(recording, session, "measured", chosen, waiting)
        case "time_kernels", {}:
            chosen = {"only_kernels": True, "seconds": KERNEL_SECONDS}
            chosen |= _as_recorded(recording, session)
            return _benched(recording, session, "kernels timed", chosen, waiting)
        case "bisect", {}:
            return _bisected(recording, session, waiting)
        case "warm_start", {}:
            return _warm_started(recording, session)
        case "time_guards", {}:
            return _guards_timed(recording, session)
        case _:
            raise DynamoLabError(f"This kernel cannot do what the view requested: {what!r}.")


def _tried(recording: Recording, session: Session, item: int, fix: str) -> Ran:
    tried = try_fix(recording, session, item, fix)
    shown = outcome(tried, diff(recording, tried.run.facts))
    return f"with {fix}", shown, tried.run.facts, Session(tried.run)


def _applied(
    recording: Recording, session: Session, ids: list[int], waiting: Waiting | None
) -> Ran:
    """These findings applied, or without an id all that are safe."""
    from dynamo_lab.api.findings import answered, applied_outcome
    from dynamo_lab.live.findings import applicable, apply

    done = apply(recording, session, ids or applicable(recording), watch_of(waiting))
    name = ", ".join(one.finding.rule for one in done.findings)
    told = applied_outcome(answered(done, done.after.facts))
    return f"with {name}", told, done.after.facts, Session(done.after)


def _relowered(recording: Recording, session: Session, target: str, chosen: dict[str, Any]) -> Ran:
    program = session.program
    with without_trace(program.roots() if program else ()):
        made = relower(recording, program, target or None, **chosen)
    parts = [target] if target else []
    parts += [f"{name}={value}" for name, value in chosen.items()]
    return " ".join(parts) or "lowered again", _lowered(made), made.facts, Session(made)


def _beside(recording: Recording, session: Session) -> Ran:
    """By Inductor where our own compiler made the recording; else by ours."""
    backend = "inductor" if recording.lab_graphs else "lab"
    made = compiled_by(recording, session, backend)
    return f"by {backend}", _lowered(made), made.facts, Session(made)


def _lowered(made: Run) -> Outcome:
    failure = made.facts.failure
    return {"failure": f"{failure.type}: {failure.message.strip()}" if failure else ""}


def _benched(
    recording: Recording,
    session: Session,
    label: str,
    chosen: dict[str, Any],
    waiting: Waiting | None,
) -> Ran:
    """With a benchmark of these options, named as `bench_options` names them."""
    from dynamo_lab.bench.options import bench_options
    from dynamo_lab.bench.recorded import measured

    watch = watch_of(waiting)
    facts, made = measured(recording, session, bench_options(**chosen), watch)
    state = facts.benchmark.state if facts.benchmark else ""
    return label, {"state": state}, facts, made


def _as_recorded(recording: Recording, session: Session) -> dict[str, bool]:
    """With gradients, and with the way back, where the recording has them: else kernels differ."""
    goes_back = session.program is not None and session.program.choice.grad is True
    has_gradients = any(graph.stage == "joint" for graph in recording.graphs)
    return {"training": goes_back, "grad": has_gradients}


def _bisected(recording: Recording, session: Session, waiting: Waiting | None) -> Ran:
    from dynamo_lab.bench.bisections.run import bisected

    found = bisected(recording, session, watch_of(waiting))
    verdict = found.facts.bisection.verdict if found.facts.bisection else ""
    return "searched", {"state": verdict}, found.facts, found.session


def _warm_started(recording: Recording, session: Session) -> Ran:
    from dynamo_lab.bench.warm_start import with_warm_start

    return "warm start", {"state": "done"}, with_warm_start(recording, session), session


def _guards_timed(recording: Recording, session: Session) -> Ran:
    from dynamo_lab.live.guards import time_guards

    return "guards timed", {"state": "done"}, time_guards(recording, session), session


def watch_of(waiting: Waiting | None) -> Watch:
    """The observer of a measurement that tells a view, and that the view can stop."""
    from dynamo_lab.measure.rounds import Progress, Watch

    def told(progress: Progress) -> None:
        if waiting is not None:
            fraction = progress.done / progress.total if progress.total else None
            waiting.tell(progress.what, fraction, progress.seconds_left)

    watch = Watch(told)
    if waiting is not None:
        waiting.on_stop = watch.stop
    return watch
