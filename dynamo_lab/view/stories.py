"""Each break as a story: what led to it, what the interpreter did next, and what it costs."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.advice import rule_of
from dynamo_lab.view.names import frame_names
from dynamo_lab.view.pieces import Pieces, size_words
from dynamo_lab.view.places import Places
from dynamo_lab.view.skips import explain_skip
from dynamo_lab.view.values import value_text
from dynamo_lab.view.words import listed, plural, unit


class Side(Struct, frozen=True, kw_only=True):
    """What lies on one side of a break: a graph, its lines and its size; else what ran instead."""

    graph: int | None
    title: str
    text: str


class StoryView(Struct, frozen=True, kw_only=True):
    """The story of the break of this id. Texts are plain; backquotes mark code.

    `cause` is the break in a called function that this one only follows from, `because` says so;
    `consequences` are the breaks that follow from this one.
    """

    id: int
    instruction: str
    values: tuple[str, ...]
    before: Side | None
    then: str
    after: tuple[Side, ...]
    cost: tuple[str, ...]
    cause: int | None = None
    because: str = ""
    consequences: tuple[int, ...] = ()


def build(recording: Recording, places: Places) -> tuple[StoryView, ...]:
    """A story for each break, in the order of the breaks."""
    pieces = Pieces(recording, places)
    caused = causes(recording, places)
    return tuple(
        _Teller(item, recording, places, pieces, caused).story() for item in recording.breaks
    )


def causes(recording: Recording, places: Places) -> tuple[int | None, ...]:
    """For each break, the break that it only follows from: the same line, met from further out.

    Dynamo inlines a call, breaks in it, and gives up inlining: it breaks at the call instead. Then
    the called function is a frame of its own, which breaks on the same line again.
    """
    paths = [places.lines_of(item.stack) for item in recording.breaks]
    ending: dict[tuple[int, int], list[int]] = {}
    for index, path in enumerate(paths):
        if path:
            ending.setdefault(path[-1], []).append(index)
    found: list[int | None] = []
    for index, path in enumerate(paths):
        inner = [
            other
            for other in (ending[path[-1]] if path else ())
            if other != index
            and len(paths[other]) < len(path)
            and path[-len(paths[other]) :] == paths[other]
        ]
        found.append(min(inner, key=lambda other: len(paths[other]), default=None))
    return tuple(found)


class _Teller:
    def __init__(
        self,
        item: Break,
        recording: Recording,
        places: Places,
        pieces: Pieces,
        caused: Sequence[int | None],
    ) -> None:
        self._item = item
        self._recording = recording
        self._places = places
        self._pieces = pieces
        self._names = frame_names(recording)
        self._cause = caused[item.id]
        self._caused = caused

    def story(self) -> StoryView:
        item = self._item
        return StoryView(
            id=item.id,
            instruction=_instruction(item, self._recording),
            values=() if self._cause is not None else _values(item),
            before=self._before(),
            then=self._then(),
            after=tuple(map(self._piece, item.resume_frames)),
            cost=tuple(self._cost()),
            cause=self._cause,
            because=self._because(),
            consequences=tuple(i for i, cause in enumerate(self._caused) if cause == item.id),
        )

    def _before(self) -> Side | None:
        graph, frame = self._item.graph_before, self._recording.frames[self._item.frame]
        return None if graph is None else self._side(graph, frame)

    def _side(self, graph: int, frame: Frame) -> Side:
        text = f"{self._pieces.lines(frame)}, {self._pieces.size(graph)}"
        return Side(graph=graph, title=self._pieces.title(graph), text=text)

    def _because(self) -> str:
        if self._cause is None:
            return ""
        cause = self._recording.breaks[self._cause]
        where = self._places.where(self._places.lines_of(cause.stack)[-1])
        name = self._names[cause.frame]
        return f"It follows from break {cause.id + 1}, at {where} in `{name}`, called from here."

    def _then(self) -> str:
        item = self._item
        if item.effect == "failed":
            return "Dynamo stopped with an error, since `fullgraph=True` asks for one whole graph."
        if item.effect == "skipped":
            why = _why_not_resumed(item)
            return f"Dynamo gave up on the whole frame{why}: all of it ran eagerly."
        return f"Dynamo {self._kept()}, {self._ran()}, and {self._went_on()}."

    def _kept(self) -> str:
        graph = self._item.graph_before
        if graph is None:
            return "had no operator to compile yet"
        size = plural(self._pieces.operators(graph), "operator")
        return f"compiled what it had ({self._pieces.title(graph)}, {size})"

    def _ran(self) -> str:
        item = self._item
        if rule_of(item).title == "data-dependent branch":
            return "let Python look at the value and take one side"
        if self._cause is not None:
            name = self._called()
            return f"called `{name}` from Python, which Dynamo compiled on its own"
        return f"ran {self._place()} in Python"

    def _called(self) -> str:
        """The frame that this one calls now, having inlined it until it broke."""
        inner = self._places.lines_of(self._item.stack)[1:]
        known = (b for b in self._recording.breaks if self._places.lines_of(b.stack) == inner)
        called = next(known, None)
        return self._names[called.frame] if called is not None else "the function"

    def _place(self) -> str:
        """The line of the frame itself, which is what Python runs."""
        lines = self._places.lines_of(self._item.stack)
        return self._places.where(lines[0] if lines else self._places.line_of(self._item.span))

    def _went_on(self) -> str:
        frames = [self._recording.frames[index] for index in self._item.resume_frames]
        if not frames:
            return "returned what that gave: nothing was left to compile"
        froms = [self._names[frame.id] for frame in frames]
        what = "a resume function" if len(froms) == 1 else f"{len(froms)} resume functions"
        return f"went on in {what}, {listed([f'`{name}`' for name in froms])}"

    def _piece(self, index: int) -> Side:
        frame, name = self._recording.frames[index], self._names[index]
        if graphs := self._pieces.graphs_of(frame):
            return self._side(graphs[-1], frame)
        if frame.outcome == "compiled":
            text = f"`{name}` has no tensor operation of its own"
        else:
            why = explain_skip(frame.reason)
            text = f"`{name}` ran eagerly{f': {why[:1].lower()}{why[1:]}' if why else ''}".rstrip(
                "."
            )
        return Side(graph=None, title="", text=text)

    def _cost(self) -> Iterator[str]:
        item, before = self._item, self._item.graph_before
        if item.effect == "failed":
            return
        if item.effect == "skipped":
            yield "No operator of this frame was compiled."
            return
        sides = [*([before] if before is not None else []), *self._graphs_after()]
        kernels = sum(map(self._pieces.kernels, sides))
        if len(sides) > 1:
            made = f" ({plural(kernels, 'kernel')} in all)" if kernels else ""
            yield f"{len(sides)} graphs instead of one{made}: nothing is fused across the break."
        if before is not None:
            count, size = self._pieces.crossing(before)
            if count:
                known = f" ({size_words(size)})" if size is not None else ""
                crosses = f"{unit(count, 'crosses', 'cross')} the break"
                stored = f"{self._pieces.title(before)} has to store {unit(count, 'it', 'them')}"
                yield f"{plural(count, 'tensor')}{known} {crosses}: {stored}."
        if self._cause is None and _reads_value(item):
            yield "One host round trip: Python waits for the value."

    def _graphs_after(self) -> list[int]:
        frames = [self._recording.frames[index] for index in self._item.resume_frames]
        return [graph for frame in frames for graph in self._pieces.graphs_of(frame)[-1:]]


_READS = {
    "data-dependent branch",
    "data-dependent assertion",
    "data-dependent value",
    ".item() call",
    ".tolist() call",
}


def _reads_value(item: Break) -> bool:
    """Whether Python reads a tensor's value there, for which a device has to finish."""
    title = rule_of(item).title
    return title in _READS or (title == "print call" and bool(item.operands))


def _why_not_resumed(item: Break) -> str:
    if re.search(r"(?i)\bfor/while loop|break in (?:a )?loop", item.reason):
        return ", since it cannot resume inside a loop"
    if re.search(r"(?i)active context manager", item.reason):
        return ", since it cannot resume inside this context manager"
    if item.in_try:
        return ", since it cannot resume inside a `try`"
    if re.search(r"RNN, GRU", item.gb_type):
        return ", since it leaves recurrent modules to PyTorch's own code"
    return ", with no way to resume"


def _values(item: Break) -> tuple[str, ...]:
    return tuple(f"{value.name}: {value_text(value.value)}" for value in item.operands)


def _instruction(item: Break, recording: Recording) -> str:
    code = recording.frames[item.frame].bytecode
    known = (i for i in code if i.offset == item.offset and i.opname == item.opname)
    at = next(known, None)
    return f"{at.opname} {at.argument}".strip() if at is not None else item.opname
