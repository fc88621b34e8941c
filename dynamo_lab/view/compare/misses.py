"""Unmet expectations of a recording: what was counted, and what was found where."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.exceptions import cause
from dynamo_lab.view.core import links
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.names import frame_names, is_own
from dynamo_lab.view.core.places import Line, Places
from dynamo_lab.view.core.words import plural, unique
from dynamo_lab.view.kernels.kernels import stacks_of


class Found(Struct, frozen=True):
    """Something that was counted: what it is, and the user's line, where it has one."""

    text: str
    line: Line | None = None


class Miss(Struct, frozen=True):
    """An expectation that was not met, and everything that was found instead."""

    sentence: str
    found: tuple[Found, ...] = ()


class Count(NamedTuple):
    """What is counted under a name; for a limit, fewer are allowed."""

    unit: str
    found: Callable[[Recording, Places], list[Found]]
    is_limit: bool = False


def misses(recording: Recording, expected: Mapping[str, int | None]) -> Iterator[Miss]:
    """The unmet expectations; an incomplete recording meets none.

    `expected` are the numbers of what `COUNTS` names; None is not checked.
    """
    places = Places(recording)
    if recording.failure is not None:
        failure = recording.failure
        sentence = f"the program failed: {cause(failure.type, failure.message)}"
        yield Miss(sentence, tuple(_failed_at(failure.span, places)))
    if recording.state != "done":
        yield Miss("the recording was not finished")
    for name, wanted in expected.items():
        if wanted is None:
            continue
        count = COUNTS[name]
        found = count.found(recording, places)
        if len(found) > wanted or (len(found) < wanted and not count.is_limit):
            limit = "at most " if count.is_limit else ""
            sentence = f"expected {limit}{plural(wanted, count.unit)}, found {len(found)}"
            yield Miss(sentence, tuple(found))


def nothing_captured(recording: Recording) -> Miss:
    """The absence of any graph, with what Dynamo said about each frame."""
    found = _frames(recording, Places(recording))
    seen = "" if found else ": Dynamo saw none of your code"
    sentence = f"nothing was compiled and no graph was captured{seen} (graphs=0 expects that)"
    return Miss(sentence, tuple(found))


def frames_that_matter(recording: Recording) -> list[Frame]:
    """All frames except library frames that Dynamo skipped, such as torch's own."""
    return [frame for frame in recording.frames if is_own(recording, frame)]


def _failed_at(span: int | None, places: Places) -> Iterator[Found]:
    if span is not None:
        yield Found(places.where_span(span), places.line_of(span))


def _breaks(recording: Recording, places: Places) -> list[Found]:
    return [
        Found(
            f"{places.where_span(one.span)}: {one.gb_type or one.reason}"
            + (f" ({one.registry_id})" if one.registry_id else ""),
            _own(places.line_of(one.span), [one.stack], places),
        )
        for one in recording.breaks
    ]


def _graphs(recording: Recording, places: Places) -> list[Found]:
    return [
        _of_frame(
            recording, places, g.frame, f"graph {number}: {plural(g.operators, 'operator')} of "
        )
        for number, g in enumerate(recording.captured_graphs(), 1)
    ]


def _recompiles(recording: Recording, places: Places) -> list[Found]:
    return [
        _of_frame(
            recording,
            places,
            one.frame,
            after=f", compilation {one.compile_id}: "
            + ("; ".join(unique(reason for _, reason in one.failures)) or "no reason was recorded"),
        )
        for one in recording.recompiles
    ]


def _frames(recording: Recording, places: Places) -> list[Found]:
    return [
        _of_frame(
            recording,
            places,
            one.id,
            after=f": {one.outcome}" + (f", {one.reason}" if one.reason else ""),
        )
        for one in frames_that_matter(recording)
    ]


def _kernels(recording: Recording, places: Places) -> list[Found]:
    ancestry = Ancestry(links.build(recording))
    found: list[Found] = []
    for kernel in recording.kernels:
        graph = kernel.graph
        nodes = [(graph, node) for node in kernel.nodes] if graph is not None else []
        stacks = stacks_of(sorted(ancestry.above(nodes)), recording)
        found.append(Found(f"{kernel.name} ({kernel.language})", _own(None, stacks, places)))
    return found


def _failures(recording: Recording, places: Places) -> list[Found]:
    return [Found(f"{n.about}: {n.message}") for n in recording.notes if n.level == "failure"]


def _of_frame(
    recording: Recording, places: Places, frame: int | None, before: str = "", after: str = ""
) -> Found:
    if frame is None:
        return Found(f"{before}an unknown frame{after}")
    span = recording.frames[frame].span
    name = f"{frame_names(recording)[frame]} ({places.where_span(span)})"
    return Found(f"{before}{name}{after}", _own(places.line_of(span), [], places))


def _own(line: Line | None, stacks: Iterable[int | None], places: Places) -> Line | None:
    """The line, or the first user line of the stacks if it is a library's; None if all are."""
    lines = (line, *(places.own_line(stack) for stack in stacks))
    return next((one for one in lines if one and not places.is_library(one)), None)


COUNTS = {
    "breaks": Count("break", _breaks),
    "graphs": Count("graph", _graphs),
    "recompiles": Count("recompile", _recompiles),
    "frames": Count("frame", _frames),
    "max_kernels": Count("kernel", _kernels, is_limit=True),
    "failures": Count("failed probe", _failures),
}
