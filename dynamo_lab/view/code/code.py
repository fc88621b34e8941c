"""The user's code: each line's state, its region's colour, and the breaks marked on it."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from dynamo_lab.model.core.sources import Source
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.breaks import columns
from dynamo_lab.view.breaks.exceptions import cause
from dynamo_lab.view.breaks.makers import rule_at
from dynamo_lab.view.breaks.stories import causes
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.origins import modules_of
from dynamo_lab.view.core.places import Line, Places
from dynamo_lab.view.core.regions import LineState as LineState
from dynamo_lab.view.core.regions import Regions
from dynamo_lab.view.guards.symbols import specialisations
from dynamo_lab.view.kernels.kernels import ancestors_of, stacks_of

MarkKind = Literal["break", "failure", "specialised"]


class LineView(Struct, frozen=True, array_like=True):
    """One line. `region` is the id of the dynamo graph that compiled it (the colour), -1 for none.

    `state` is empty for lines that are not part of a recorded frame (blank, definitions, comments).
    """

    number: int
    text: str
    state: LineState = ""
    region: int = -1
    kernels: int = 0


class Mark(Struct, frozen=True, kw_only=True):
    """A mark on a range of a line: a break, a failure, a size that became a constant.

    Columns are as in Span, -1 for unknown.
    """

    kind: MarkKind
    line: int
    column: int
    end_line: int
    end_column: int
    label: str
    target: str  # an entity id, such as "break:0"


class SourceView(Struct, frozen=True, kw_only=True):
    """A source with its known lines. Where numbers jump, the lines between were not recorded.

    `notice` says what to know before reading it. A wrapper calls what was compiled, and has no
    line of it: a model of a library alone, compiled as it is.
    """

    id: int
    label: str
    path: str
    kind: str
    lines: tuple[LineView, ...]
    marks: tuple[Mark, ...] = ()
    notice: str = ""
    is_wrapper: bool = False


CHANGED = (
    "This file changed after it was imported: what ran is older than the text shown here, so "
    "lines and marks may not match. Restart, or reload the module, and record again."
)
_ORDER = {"cell": 0, "user": 1, "library": 2}


def build(
    recording: Recording, places: Places, ancestry: Ancestry, regions: Regions
) -> tuple[tuple[SourceView, ...], int]:
    """The sources, the user's own first, and the index of the one to show first.

    Libraries with nothing but skipped lines are left out: a training loop has dozens.
    """
    kernels = _kernel_counts(recording, places, ancestry)
    marks = _marks(recording, places)
    calls = {line[0] for line in _frame_lines(recording, places) if places.is_call(line)}
    passing = {line[0] for stack in places.stacks for line in stack if places.is_passing_on(line)}
    wrappers = _wrappers(recording, places, calls | passing)
    foreign = _no_line_of_yours(recording) if wrappers else ""
    views = [
        SourceView(
            id=index,
            label=places.labels[index],
            path=source.path,
            kind=source.kind,
            lines=_lines(index, source, regions, kernels),
            marks=tuple(marks.get(index, ())),
            notice=CHANGED if source.is_changed else foreign if index in wrappers else "",
            is_wrapper=index in wrappers,
        )
        for index, source in enumerate(recording.sources)
    ]
    views.sort(key=lambda view: _ORDER[view.kind])
    linked = _linked_sources(recording, places)
    kept = [view for view in views if view.id in linked or _says_something(view)] or views
    for left_out in (passing, calls):
        kept = [view for view in kept if view.id not in left_out] or kept
    return tuple(kept), _main(kept, recording, regions, places)


def seen(
    recording: Recording, places: Places, ancestry: Ancestry, regions: Regions
) -> tuple[tuple[SourceView, ...], int, Places]:
    """The same, and the places as they are named beside the source that is shown first.

    Where that is not what ran, the reader sits at what ran: then each line has its source's name.
    """
    sources, main = build(recording, places, ancestry, regions)
    ran = next((at for at, one in enumerate(sources) if _is_named(one, recording)), main)
    return sources, main, places.seen_from(sources[main].id) if sources and ran == main else places


def _is_named(view: SourceView, recording: Recording) -> bool:
    return recording.title in (view.label, view.path)


def _frame_lines(recording: Recording, places: Places) -> Iterator[Line]:
    return (places.line_of(frame.span) for frame in recording.frames)


def _wrappers(recording: Recording, places: Places, calls: set[int]) -> set[int]:
    """The sources, if all are libraries', that hold compiled frames but no line of a graph.

    `calls` are those that only call what was compiled.
    """
    if any(source.kind != "library" for source in recording.sources):
        return set()
    compiled = {f.span for f in recording.frames if f.outcome == "compiled"}
    linked = _linked_sources(recording, places)
    return {places.line_of(span)[0] for span in compiled} - linked | calls


def _no_line_of_yours(recording: Recording) -> str:
    nodes = (
        (graph.id, node.index)
        for graph in recording.captured_graphs()
        for node in graph.nodes
        if node.op.startswith("call_")
    )
    modules = modules_of(nodes, recording)
    inside = f": what was compiled is {modules}" if modules else ""
    return f"No line of your code is in this recording{inside}."


def _says_something(view: SourceView) -> bool:
    if view.kind != "library" or view.marks:
        return True
    return any(line.state in ("compiled", "failed") for line in view.lines)


def _linked_sources(recording: Recording, places: Places) -> set[int]:
    """The sources in the stack of a break or of a graph's node."""
    stacks = {item.stack for item in recording.breaks if item.stack is not None}
    for graph in recording.graphs:
        stacks.update(stack for stack in graph.nodes.stack if stack >= 0)
    return {source for stack in stacks for source, _ in places.stacks[stack]}


def _lines(
    index: int, source: Source, regions: Regions, kernels: dict[Line, int]
) -> tuple[LineView, ...]:
    return tuple(
        LineView(
            number,
            text,
            regions.states.get((index, number), ""),
            regions.regions.get((index, number), -1),
            kernels.get((index, number), 0),
        )
        for number, text in source.lines()
    )


def _at_fault(recording: Recording, places: Places) -> int | None:
    """The source of the user's innermost line of the first break that follows from no other."""
    roots = causes(recording, places)
    first = next((item for item in recording.breaks if roots[item.id] is None), None)
    line = places.own_line(first.stack) if first else None
    return line[0] if line else None


def _main(views: list[SourceView], recording: Recording, regions: Regions, places: Places) -> int:
    """Where to begin: the source of the first break's cause, else the cell or file that ran.

    A recording is named after that, if any did.
    """
    at_fault = _at_fault(recording, places)
    weights: dict[int, int] = {}
    for frame in recording.frames:
        source = recording.spans[frame.span].source
        weights[source] = weights.get(source, 0) + 1
    for (source, _), count in regions.nodes.items():
        weights[source] = weights.get(source, 0) + count

    def rank(index: int) -> tuple[bool, bool, bool, int]:
        view = views[index]
        broke = any(mark.kind == "break" for mark in view.marks)
        is_named = _is_named(view, recording)
        return view.id == at_fault, is_named, broke, weights.get(view.id, 0)

    own = [i for i, view in enumerate(views) if view.kind != "library"] or list(range(len(views)))
    return max(own, key=rank, default=0)


def _kernel_counts(recording: Recording, places: Places, ancestry: Ancestry) -> dict[Line, int]:
    """How many kernels each line led to."""
    counts: dict[Line, int] = {}
    for kernel in recording.kernels:
        stacks = stacks_of(ancestors_of(kernel, ancestry), recording)
        for line in {line for stack in stacks for line in places.stacks[stack]}:
            counts[line] = counts.get(line, 0) + 1
    return counts


def _marks(recording: Recording, places: Places) -> dict[int, list[Mark]]:
    """Marks by source: each break where it is, and on the user's line that led into a library."""
    marks: dict[int, list[Mark]] = {}
    for item in recording.breaks:
        for span in _marked_spans(item.span, item.stack, places):
            mark = _mark("break", span, rule_at(item, places).title, f"break:{item.id}", places)
            marks.setdefault(places.spans[span].source, []).append(mark)
    failure = recording.failure
    if failure is not None and failure.span is not None and not _is_marked(failure.span, recording):
        label = cause(failure.type, failure.message)
        mark = _mark("failure", failure.span, label, "", places)
        marks.setdefault(places.spans[failure.span].source, []).append(mark)
    for item in specialisations(recording, places):
        mark = _mark("specialised", item.span, item.label, f"symbol:{item.symbol}", places)
        marks.setdefault(places.spans[item.span].source, []).append(mark)
    return marks


def _is_marked(span: int, recording: Recording) -> bool:
    """Whether the break that made the program fail is marked on this line already."""
    spans = recording.spans
    fatal = (spans[item.span] for item in recording.breaks if item.effect == "failed")
    return any((at.source, at.line) == (spans[span].source, spans[span].line) for at in fatal)


def _marked_spans(span: int, stack: int | None, places: Places) -> tuple[int, ...]:
    if stack is None or not places.is_library(places.line_of(span)):
        return (span,)
    above = reversed(places.stack_spans[stack])
    own = next((s for s in above if not places.is_library(places.line_of(s))), None)
    return (span,) if own is None else (own, span)


def _mark(kind: MarkKind, index: int, label: str, target: str, places: Places) -> Mark:
    span = places.spans[index]
    column, end_column = columns(span, places.text(places.line_of(index)))
    is_one_line = span.end_line <= span.line
    return Mark(
        kind=kind,
        line=span.line,
        column=column,
        end_line=span.line if is_one_line else span.end_line,
        end_column=end_column if is_one_line else span.end_column,
        label=label,
        target=target,
    )
