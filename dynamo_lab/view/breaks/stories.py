"""The story of each break: what led to it, what the interpreter did next, and what it costs."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.advice import rule_of
from dynamo_lab.view.breaks.crossing import in_words
from dynamo_lab.view.breaks.loops import came_back
from dynamo_lab.view.breaks.numpy_draws import draws
from dynamo_lab.view.breaks.raised import raised_at
from dynamo_lab.view.breaks.skips import explain_skip
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.pieces import Pieces
from dynamo_lab.view.core.places import Line, Places
from dynamo_lab.view.core.values import value_text
from dynamo_lab.view.core.words import as_clause, listed, plural


class Side(Struct, frozen=True, kw_only=True):
    """One side of a break: a graph with its lines and size, else what ran instead."""

    graph: int | None
    title: str
    text: str


class StoryView(Struct, frozen=True, kw_only=True):
    """The story of the break of this id. Texts are plain; backquotes mark code.

    `cause` is the break in a called function that this one merely follows from; `because` says so;
    `is_cause_yours` says that the cause is in your code, and so for you to mend; `consequences` are
    the breaks that follow from this one. `repeats` is the break that a loop came back from.
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
    is_cause_yours: bool = False
    consequences: tuple[int, ...] = ()
    repeats: int | None = None


def build(recording: Recording, places: Places) -> tuple[StoryView, ...]:
    """A story for each break, in the order of the breaks."""
    storyteller = _Storyteller(recording, places)
    return tuple(map(storyteller.story, recording.breaks))


def causes(recording: Recording, places: Places) -> tuple[int | None, ...]:
    """For each break, the one it merely follows from: the same line, seen from a caller.

    Dynamo inlines a call, breaks in it, and gives up inlining: it breaks at the call instead.
    Then the called function is a frame of its own, which breaks on the same line again.
    """
    paths = [places.lines_of(item.stack) for item in recording.breaks]
    first = {path: index for index, path in reversed(list(enumerate(paths)))}
    return tuple(
        next((first[inner] for inner in _inner(path) if inner in first), None) for path in paths
    )


def _inner(path: tuple[Line, ...]) -> Iterator[tuple[Line, ...]]:
    """The same line as called functions see it, the innermost first."""
    return (path[at:] for at in range(len(path) - 1, 0, -1))


def causes_first(stories: Sequence[StoryView]) -> tuple[int, ...]:
    """The ids of the breaks in the order to show them: each cause before what follows from it."""
    return tuple(in_order_of_causes([story.cause for story in stories]))


def in_order_of_causes(caused: Sequence[int | None]) -> list[int]:
    """The same of what `causes` gives: for each break, the one that it follows from."""

    def rank(at: int) -> tuple[int, bool]:
        cause = caused[at]
        return (at, False) if cause is None else (cause, True)

    return sorted(range(len(caused)), key=rank)


class _Storyteller:
    """The facts behind the stories, collected once for all of them."""

    def __init__(self, recording: Recording, places: Places) -> None:
        self._frames, self._breaks = recording.frames, recording.breaks
        self._places = places
        self._recording = recording
        self._pieces = Pieces(recording, places)
        self._names = frame_names(recording)
        self._causes = causes(recording, places)
        self._consequences: dict[int | None, list[int]] = {}
        for index, cause in enumerate(self._causes):
            self._consequences.setdefault(cause, []).append(index)
        self._first_in = {item.frame: item.id + 1 for item in reversed(self._breaks)}
        self._repeats = came_back(recording, places)
        self._by_path = {places.lines_of(item.stack): item for item in reversed(self._breaks)}

    def story(self, item: Break) -> StoryView:
        """The story of one break."""
        cause = self._causes[item.id]
        return StoryView(
            id=item.id,
            instruction=_instruction(item, self._frames[item.frame]),
            values=_values(item) if cause is None else (),
            before=self._before(item),
            then=f"{self._then(item)}{self._came_back(item)}",
            after=tuple(map(self._after, self._follow(item))),
            cost=tuple(self._cost(item)),
            cause=cause,
            because="" if cause is None else self._because(self._breaks[cause]),
            is_cause_yours=cause is not None and self._is_yours(self._breaks[cause]),
            consequences=tuple(self._consequences.get(item.id, ())),
            repeats=self._repeats.get(item.id),
        )

    def _because(self, cause: Break) -> str:
        where = self._places.where(self._places.lines_of(cause.stack)[0])
        name = self._names[cause.frame]
        return f"It follows from break {cause.id + 1}, at {where} in `{name}`, called from here."

    def _is_yours(self, cause: Break) -> bool:
        return not self._places.is_library(self._places.lines_of(cause.stack)[-1])

    def _before(self, item: Break) -> Side | None:
        graph = item.graph_before
        return None if graph is None else self._side(graph, self._frames[item.frame])

    def _side(self, graph: int, frame: Frame) -> Side:
        text = f"{self._pieces.lines(frame, graph)}, {self._pieces.size(graph)}"
        return Side(graph=graph, title=self._pieces.title(graph), text=text)

    def _all_of(self, graphs: Sequence[int], frame: Frame) -> Side:
        """The first graph of a frame, which comes next at first, and those of recompilations."""
        side = self._side(graphs[0], frame)
        again = [self._pieces.title(graph) for graph in graphs[1:]]
        later = f"; later also {listed(again, 3)}, recompiled" if again else ""
        return replace(side, text=f"{side.text}{later}")

    def _then(self, item: Break) -> str:
        if item.effect == "failed":
            return "Dynamo stopped with an error, since `fullgraph=True` requires a single graph."
        if item.effect == "skipped":
            gave_up = f"Dynamo gave up on the whole frame, {_why_not_resumed(item)}"
            if raised := self._raised(item):
                return f"{gave_up}; run eagerly, it ended with {raised}."
            return f"{gave_up}: {'it' if self._has_ended() else 'all of it'} ran eagerly."
        if item.effect == "stopped":
            why = _why_not_resumed(item)
            return f"Dynamo {self._kept(item)}, and {self._left(item)}, {why}."
        if raised := self._raised(item):
            return f"Dynamo {self._kept(item)}, and {self._ran(item)}, which ended with {raised}."
        return f"Dynamo {self._kept(item)}, {self._ran(item)}, and {self._went_on(item)}."

    def _came_back(self, item: Break) -> str:
        again = self._repeats.get(item.id)
        return "" if again is None else f" The loop came back here from break {again + 1}."

    def _left(self, item: Break) -> str:
        """That the rest of the frame was left to Python, and from where on if that is known."""
        source, _ = self._places.line_of(self._frames[item.frame].span)
        left = "left the rest of the frame to Python"
        where = "" if item.left_at is None else self._places.where((source, item.left_at))
        return f"{left}, from {where} on" if where else left

    def _has_ended(self) -> bool:
        """Whether an exception ended the program: how far a frame came is not known then."""
        failure = self._recording.failure
        return failure is not None and not failure.caught

    def _raised(self, item: Break) -> str:
        return raised_at(item, self._recording, self._places).rstrip(".")

    def _kept(self, item: Break) -> str:
        graph = item.graph_before
        if graph is None:
            return "had no operators to compile yet"
        size = plural(self._pieces.operators(graph), "operator")
        return f"compiled what it had captured ({self._pieces.title(graph)}, {size})"

    def _ran(self, item: Break) -> str:
        follows = self._causes[item.id] is not None
        if _is_branch(item) and not follows:
            return "let Python evaluate the condition and take one branch"
        lines = self._places.lines_of(item.stack)
        if follows:
            called = self._by_path.get(lines[1:])
            if called is None:  # what is called was not compiled itself, as code of a library
                return (
                    "called the function from Python, and Dynamo compiled functions that it calls"
                )
            call = f"called `{self._names[called.frame]}` from Python"
            if called.effect == "skipped":
                return f"{call}, on all of which Dynamo gave up at break {called.id + 1}"
            return f"{call}, and Dynamo compiled that on its own"
        line = lines[0] if lines else self._places.line_of(item.span)
        return f"ran {self._places.where(line)} in Python"

    def _went_on(self, item: Break) -> str:
        names = [f"`{self._names[frame]}`" for frame in item.resume_frames]
        joined = [
            f"`{self._names[frame]}`, which resumes after another break too"
            for frame in self._joined(item)
        ]
        if not names and not joined:
            returned = "" if self._has_ended() else "returned the result: "
            return f"{returned}nothing was left to compile"
        what = "a resume function" if len(names) == 1 else f"{len(names)} resume functions"
        # of a condition's two ways, one may lead to what an earlier compilation made
        some = ", at least once" if _is_branch(item) and item.times > len(names) else ""
        made = [f"{what}, {listed(names)}{some}"] if names else []
        return f"went on in {', or in '.join([*made, *joined])}"

    def _follow(self, item: Break) -> tuple[int, ...]:
        return (*item.resume_frames, *self._joined(item))

    def _joined(self, item: Break) -> tuple[int, ...]:
        """What resumes after other breaks too; of one that a loop came back to, that is said."""
        return () if item.id in self._repeats else item.joins

    def _after(self, index: int) -> Side:
        frame, name = self._frames[index], self._names[index]
        if graphs := self._pieces.graphs_of(frame):
            return self._all_of(graphs, frame)
        text = f"`{name}` has no tensor operation of its own"
        if again := self._first_in.get(index):
            text = f"`{name}`, which broke again before any tensor operation, at break {again}"
        if frame.outcome == "compiling":
            text = f"`{name}` is being compiled"
        elif frame.outcome == "failed":
            text = f"compiling `{name}` failed"
        elif frame.outcome != "compiled":
            why = as_clause(explain_skip(frame.reason))
            text = f"`{name}` ran eagerly{f': {why}' if why else ''}"
        return Side(graph=None, title="", text=text)

    def _cost(self, item: Break) -> Iterator[str]:
        if item.effect == "skipped":
            yield f"No operator of this {self._without_code(item)} was compiled."
        if item.effect == "stopped":
            yield "No operator after it in this frame was compiled."
        if item.effect not in ("resumed", "stopped"):
            return
        before = item.graph_before
        follow = map(self._frames.__getitem__, self._follow(item))
        after = [self._pieces.graphs_of(frame)[:1] for frame in follow]
        sides = [graph for graphs in ((before,), *after) for graph in graphs if graph is not None]
        if len(sides) > 1:
            kernels = sum(map(self._pieces.kernels, sides))
            made = f" ({plural(kernels, 'kernel')} in total)" if kernels else ""
            yield f"{len(sides)} graphs instead of one{made}: nothing is fused across the break."
        if before is not None:
            graph = self._recording.graphs[before]
            yield from filter(None, (in_words(graph, self._pieces.title(before)),))
        if self._causes[item.id] is None and _reads_value(item, self._recording):
            yield "One host round trip each time it is reached: Python waits for the value."

    def _without_code(self, item: Break) -> str:
        """What had no operator compiled: a frame keeps the code of its other compilations."""
        attempts = self._frames[item.frame].attempts
        others = (one for one in attempts if one.compile_id != item.compile_id)
        return "compilation" if any(one.outcome == "compiled" for one in others) else "frame"


def _is_branch(item: Break) -> bool:
    return rule_of(item).title == "data-dependent branch"


_READS = {
    "data-dependent branch",
    "data-dependent value",
    ".item() call",
    ".tolist() call",
}


def _reads_value(item: Break, recording: Recording) -> bool:
    """Whether Python reads a tensor's value there, so that the device has to finish first."""
    if draws(item, recording):
        return False
    title = rule_of(item).title
    return title in _READS or (title == "print call" and bool(item.operands))


_PLACES = {
    "BEFORE_WITH": "a `with` block begins",
    "LOAD_SPECIAL": "a `with` block begins",  # from Python 3.14 on
    "FOR_ITER": "a loop takes its next item",
}
"""The instructions after which it cannot resume, as the reader wrote them."""


def _why_not_resumed(item: Break) -> str:
    if re.search(r"(?i)\bfor/while loop|break in (?:a )?loop", item.reason):
        return "since it cannot resume inside a loop"
    if re.search(r"(?i)active context manager", item.reason):
        return "since it cannot resume inside this context manager"
    if re.search(r"RNN, GRU", item.gb_type):
        return "since it leaves recurrent modules to PyTorch itself"
    if re.search(r"skip_frame\(\)", item.gb_type):
        return "as the code requests"
    if item.in_try:
        return "since it cannot resume inside a `try`"
    if rule_of(item).title == "exception raised":
        return "since the code raised an exception while it was traced"
    if item.opname in _PLACES:
        return f"since it cannot resume where {_PLACES[item.opname]}"
    if item.opname and not re.search("CALL|JUMP", item.opname):
        return f"since it cannot resume after the instruction `{item.opname}`"
    return "with no way to resume"


def _values(item: Break) -> tuple[str, ...]:
    return tuple(f"{value.name}: {value_text(value.value)}" for value in item.operands)


def _instruction(item: Break, frame: Frame) -> str:
    name = item.opname.partition(" ")[0]
    known = (i for i in frame.bytecode if i.offset == item.offset and i.opname == name)
    at = next(known, None)
    return f"{at.opname} {at.argument}".strip() if at is not None else item.opname
