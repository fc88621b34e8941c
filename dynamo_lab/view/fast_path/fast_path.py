"""Calls of modules that have a fast path: where, whether it was taken, and what to change."""

from collections.abc import Hashable, Iterator, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from dynamo_lab.model.fast_path.calls import OPERATORS, FastPath, FastPathCall, Kind
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Line, Places, entity
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.fast_path.remedies import remedy_for

State = Literal["taken", "refused", "broken"]

NAMES: dict[Kind, str] = {
    "encoder": "nn.TransformerEncoder",
    "layer": "nn.TransformerEncoderLayer",
    "attention": "nn.MultiheadAttention",
}
_TAKEN: dict[Kind, str] = {
    "encoder": "Padding is skipped: a nested tensor holds the tokens alone",
    "layer": "The whole layer is one operator",
    "attention": "It is one operator",
}
_BROKEN = (
    "The graph breaks inside of it, so it runs eagerly: `lab.fast_path` says what it takes there."
)
_WHOLE = "The compiler calls it as it is, and fuses nothing into it."
_APART = (
    "`torch.backends.mha.set_fastpath_enabled(False)` has its parts compiled: `lab.fast_path` "
    "measures which is faster."
)
_SILENT = (
    "No reason of PyTorch's is known. It gives none where `nn.MultiheadAttention` has no biases, "
    "without which its operator does not run."
)


class FastPathView(Struct, frozen=True, kw_only=True):
    """Calls that are alike: of one kind of module, from one line, with one outcome.

    `line` is an entity, empty if there is none, `modules` their paths. `depth` is in how many of
    the rows above they were made. `reason` are PyTorch's words, `remedy` says what to change.
    """

    name: str
    count: int
    state: State
    told: str
    depth: int = 0
    reason: str = ""
    remedy: str = ""
    modules: str = ""
    line: str = ""
    where: str = ""
    code: str = ""


def build(recording: Recording, places: Places) -> tuple[FastPathView, ...]:
    """What Dynamo decided on each call that it compiled, alike ones in one row."""
    lines = [_line(one, recording, places) for one in recording.fast_paths]
    calls = [one.call for one in recording.fast_paths]
    marks = [(one.cut, line) for one, line in zip(recording.fast_paths, lines, strict=True)]
    return tuple(
        _compiled([calls[at] for at in alike], places, *marks[alike[0]])
        for alike in _alike(calls, marks)
    )


def eager_rows(calls: Sequence[FastPathCall]) -> Iterator[FastPathView]:
    """Calls that were made eagerly, alike ones in one row."""
    for alike in _alike(calls, [None] * len(calls)):
        yield _view([calls[at] for at in alike])


def compiled_rows(calls: Sequence[FastPath]) -> Iterator[FastPathView]:
    """Calls that Dynamo analysed, without their lines, alike ones in one row."""
    for alike in _alike([one.call for one in calls], [one.cut for one in calls]):
        yield _compiled([calls[at].call for at in alike], None, calls[alike[0]].cut, None)


def _alike(calls: Sequence[FastPathCall], marks: Sequence[Hashable]) -> Iterator[list[int]]:
    """The positions of calls with one outcome and mark, made in calls that are alike."""
    found: dict[Hashable, list[int]] = {}
    around: list[Hashable] = []
    for at, (call, mark) in enumerate(zip(calls, marks, strict=True)):
        around = around[: call.depth]
        around.append((mark, call.kind, call.taken, call.reason, call.made_so))
        found.setdefault(tuple(around), []).append(at)
    yield from found.values()


def _line(one: FastPath, recording: Recording, places: Places) -> Line | None:
    """The innermost line of the user's that called it; for a model called by us there is none."""
    line = places.own_line(one.stack)
    if line is not None and not places.is_library(line):
        return line
    frame = places.line_of(recording.frames[one.frame].span)
    return None if places.is_library(frame) else frame


def _compiled(
    alike: Sequence[FastPathCall], places: Places | None, cut: bool, line: Line | None
) -> FastPathView:
    view = _view(alike)
    if cut:
        view = replace(view, state="broken", told=_BROKEN, remedy="")
    elif view.state == "taken":
        view = replace(view, told=f"{view.told} {_WHOLE}", remedy=_APART)
    if line is None or places is None:
        return view
    where, code = places.where(line), places.text(line).strip()
    return replace(view, line=entity(line), where=where, code=code)


def _view(alike: Sequence[FastPathCall]) -> FastPathView:
    call = alike[0]
    return FastPathView(
        name=NAMES[call.kind],
        count=len(alike),
        state="taken" if call.taken else "refused",
        told=_told(call),
        depth=call.depth,
        reason=call.made_so or call.reason,
        remedy=remedy_for(call),
        modules=_modules([one.module for one in alike if one.module]),
    )


def _told(call: FastPathCall) -> str:
    if call.taken:
        return f"{_TAKEN[call.kind]}, `torch.{OPERATORS[call.kind]}`."
    if not call.reason:
        return _SILENT
    if call.made_so:
        return f"PyTorch decided so when it was made: {call.made_so}."
    return f"In PyTorch's words: {call.reason.removesuffix('.')}."


def _modules(paths: list[str]) -> str:
    unique = list(dict.fromkeys(paths))
    return f"{unique[0]} … {unique[-1]}" if len(unique) > 2 else listed(unique)
