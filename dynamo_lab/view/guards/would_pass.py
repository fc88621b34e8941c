"""What a call would do: which compiled code's guards it passes, or what prevents reuse."""

from collections.abc import Sequence

from msgspec import Struct

from dynamo_lab.model.guards.guards import FailedGuard
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.places import Places, entity_if_known
from dynamo_lab.view.guards.failing import describe
from dynamo_lab.view.guards.own_names import with_parameters


class CheckView(Struct, frozen=True, kw_only=True):
    """One compilation: whether the call passes its guards, else the first that it fails.

    `source` is the value that the guard checks, as the guards view names it.
    """

    compile_id: str
    passes: bool
    text: str = ""
    where: str = ""
    entity: str = ""
    source: str = ""


class WouldPass(Struct, frozen=True, kw_only=True):
    """The answer to "would this input pass?": for each compilation, and what a call would do."""

    frame: int
    name: str
    sentence: str
    reuses: str | None
    checks: tuple[CheckView, ...] = ()

    def __str__(self) -> str:
        return "\n".join((self.sentence, *(_row(check) for check in self.checks)))

    __repr__ = __str__


def answer(
    recording: Recording,
    frame: int,
    tried: Sequence[tuple[str, FailedGuard | None]],
    are_forgotten: bool,
) -> WouldPass:
    """The compilations of a frame in the order in which a call tries them, in words."""
    places = Places(recording)
    reuses = next((compile_id for compile_id, failed in tried if failed is None), None)
    name = frame_names(recording)[frame]
    return WouldPass(
        frame=frame,
        name=name,
        sentence=_sentence(name, reuses, len(tried), are_forgotten),
        reuses=reuses,
        checks=tuple(_check(recording, places, frame, *item) for item in tried),
    )


def _sentence(name: str, reuses: str | None, count: int, are_forgotten: bool) -> str:
    if reuses is not None:
        text = f"It passes the guards of {reuses}: a call of {name} would reuse that code."
    elif count == 1:
        text = f"It fails a guard of the only compilation: {name} would be compiled again."
    else:
        text = f"It fails a guard of each of {count} compilations: {name} would be compiled again."
    if not are_forgotten:
        return text
    return (
        f"{text} But Dynamo has since discarded that code (`torch._dynamo.reset()`, with which "
        "each recording begins): now any call compiles again."
    )


def _check(
    recording: Recording,
    places: Places,
    frame: int,
    compile_id: str,
    failed: FailedGuard | None,
) -> CheckView:
    if failed is None:
        return CheckView(compile_id=compile_id, passes=True)
    # of the guards on this value and on its owner, the most informative one
    owners = [
        guard
        for guard in recording.guards
        if guard.compile_id == compile_id and guard.source and guard.source in failed.text
    ]
    guard = max(owners, key=lambda guard: len(guard.source), default=None)
    line = places.own_line(guard.stack) if guard else None
    return CheckView(
        compile_id=compile_id,
        passes=False,
        text=describe(with_parameters(failed, recording.frames[frame])),
        where=places.where(line) if line else "",
        entity=entity_if_known(line),
        source=guard.source if guard else "",
    )


def _row(check: CheckView) -> str:
    if check.passes:
        return f"  {check.compile_id}  passes"
    where = f"  ({check.where})" if check.where else ""
    return f"  {check.compile_id}  fails: {check.text}{where}"
