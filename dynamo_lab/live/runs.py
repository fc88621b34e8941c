"""What a view may have a recorded program do again while the kernel lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from dynamo_lab.api.recording import Recording
from dynamo_lab.errors import DynamoLabError
from dynamo_lab.live import fixes as live
from dynamo_lab.record.replay import without_trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.model.recording import Recording as Facts
    from dynamo_lab.view.messages import Outcome

    Ran = tuple[str, Outcome, Recording]


class Waiting(Protocol):
    """Whoever waits for a run: is told how far it is, and may end it early."""

    on_stop: Callable[[], None]

    def tell(self, what: str, fraction: float | None, seconds_left: float | None) -> None:
        """Say how far it is, as far as that is known."""
        ...


def run(recording: Facts, what: str, asked: dict[str, Any], waiting: Waiting | None = None) -> Ran:
    """A label for the new recording, what came of the run as JSON, and the recording.

    Raises:
        DynamoLabError: it cannot be done, or this is none of the things that can be done.
    """
    if not isinstance(recording, Recording):
        raise DynamoLabError("There is no program to run again: run the cell again.")
    match what, asked:
        case "try_fix", {"break": int(item), "fix": str(fix)}:
            shown, made = live.answer(recording, item, fix)
            return f"with {fix}", shown, made
        case "relower", {"target": str(target), "switches": dict()}:
            return _relowered(recording, target, asked["switches"])
        case "bench", {"ways": list(), "training": bool(), "seconds": int() | float()}:
            return _benched(recording, asked, waiting)
        case _:
            raise DynamoLabError(f"The view asked for {what!r}, which this kernel cannot do.")


def _relowered(recording: Recording, target: str, chosen: dict[str, Any]) -> Ran:
    program = recording.program()
    with without_trace(program.roots() if program else ()):
        made = recording.relower(target or None, **chosen)
    parts = [target] if target else []
    parts += [f"{name}={value}" for name, value in chosen.items()]
    failure = made.failure
    told = f"{failure.type}: {failure.message.strip()}" if failure else ""
    return " ".join(parts) or "lowered again", {"failure": told}, made


def _benched(recording: Recording, asked: dict[str, Any], waiting: Waiting | None) -> Ran:
    from dynamo_lab.api.bench import bench_watched
    from dynamo_lab.measure.rounds import Progress, Watch

    def told(progress: Progress) -> None:
        if waiting is not None:
            fraction = progress.done / progress.total if progress.total else None
            waiting.tell(progress.what, fraction, progress.seconds_left)

    watch = Watch(told)
    if waiting is not None:
        waiting.on_stop = watch.stop
    wish = {name: asked[name] for name in ("ways", "training", "seconds")}
    made = bench_watched(recording, watch, **wish)
    state = made.benchmark.state if made.benchmark else ""
    return "measured", {"state": state}, made
