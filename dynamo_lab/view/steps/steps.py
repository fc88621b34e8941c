"""The steps of the analysis: its attempts in words, and its columns as recorded."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.frames import Attempt, Instruction
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.steps import (
    AddedGuard,
    AddedNode,
    Call,
    Event,
    StepTable,
    Symbolic,
    Take,
    unpack,
)
from dynamo_lab.view.breaks.makers import rule_at
from dynamo_lab.view.core.names import code_name, frame_names
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.words import listed, plural
from dynamo_lab.view.steps.variables import kind_in_words

_COMPILATION = re.compile(r"(?:^|/)([0-9]{1,9})$")

R = TypeVar("R", AddedNode, Event)


class TakeView(Struct, frozen=True, kw_only=True):
    """One attempt on a frame: its steps from `first` up to `end`, and how it ended."""

    title: str
    frame: int
    attempt: int
    first: int
    end: int
    outcome: str
    ending: str
    graph: int | None = None
    broke: int | None = None


class CodeView(Struct, frozen=True, kw_only=True):
    """A code object; instructions are on lines of the source of this index."""

    name: str
    where: str
    source: int
    is_library: bool
    instructions: tuple[Instruction, ...]


class NodeRow(Struct, frozen=True, array_like=True):
    """A node as it was added, and its position in the graph `graph`; -1 if it was removed."""

    added: AddedNode
    graph: int
    node: int


class EventRow(Struct, frozen=True, array_like=True):
    """What else a step did, in words, and the entity with more about it."""

    step: int
    kind: str
    text: str
    entity: str = ""


class StepsView(Struct, frozen=True, kw_only=True):
    """The steps. Columns are base64 of 32-bit little-endian integers: see model/steps.py.

    `kinds` has the kinds of values in plain words.
    """

    takes: tuple[TakeView, ...]
    codes: tuple[CodeView, ...]
    calls: tuple[Call, ...]
    strings: tuple[str, ...]
    values: tuple[Symbolic, ...]
    kinds: dict[str, str]
    below: bytes
    held: bytes
    call: bytes
    instruction: bytes
    stack: bytes
    bound: bytes
    nodes: tuple[NodeRow, ...]
    guards: tuple[AddedGuard, ...]
    events: tuple[EventRow, ...]
    cut: str


def build(recording: Recording, places: Places) -> StepsView | None:
    """The steps, None where they were not requested."""
    steps = recording.film
    if steps is None:
        return None
    describer = _Describer(recording, places, steps)
    return StepsView(
        takes=tuple(describer.takes()),
        codes=tuple(describer.codes()),
        calls=steps.calls,
        strings=steps.strings,
        values=steps.values,
        kinds={value.kind: kind_in_words(value.kind) for value in steps.values},
        below=steps.below,
        held=steps.held,
        call=steps.call,
        instruction=steps.instruction,
        stack=steps.stack,
        bound=steps.bound,
        nodes=tuple(describer.nodes()),
        guards=steps.guards,
        events=tuple(describer.events()),
        cut=_cut(steps),
    )


def _cut(steps: StepTable) -> str:
    if not steps.cut:
        return ""
    return (
        f"Cut off here: {plural(steps.cut, 'more step')} followed the first {len(steps):,}."
        " `max_steps` sets how many are recorded."
    )


class _Describer:
    """Puts the steps into words."""

    def __init__(self, recording: Recording, places: Places, steps: StepTable) -> None:
        self._recording = recording
        self._places = places
        self._steps = steps
        self._names = frame_names(recording)
        self._titles = GraphTitles(recording).titles
        self._calls = unpack(steps.call)
        self._at = unpack(steps.instruction)
        self._attempts = tuple(self._attempt(take) for take in steps.takes)
        self._broke = self._breaks()

    def takes(self) -> Iterator[TakeView]:
        """Each attempt, and how it ended."""
        pairs = zip(self._steps.takes, self._attempts, strict=True)
        for index, (take, attempt) in enumerate(pairs):
            broke = self._broke.get(index)
            yield TakeView(
                title=self._title(take),
                frame=take.frame,
                attempt=take.attempt,
                first=take.first,
                end=take.end,
                outcome=attempt.outcome if attempt else "compiling",
                ending=self._ending(index),
                graph=attempt.graph if attempt else None,
                broke=broke.id if broke else None,
            )

    def _title(self, take: Take) -> str:
        found = _COMPILATION.search(take.compile_id)
        number = int(found[1]) if found else 0
        compiled = f", compilation {number + 1}" if number else ""
        again = f", analysis {take.restart + 1}" if take.restart else ""
        return f"{self._names[take.frame]}{compiled}{again}"

    def _attempt(self, take: Take) -> Attempt | None:
        attempts = self._recording.frames[take.frame].attempts
        return attempts[take.attempt] if 0 <= take.attempt < len(attempts) else None

    def _breaks(self) -> dict[int, Break]:
        """The break that each attempt ended in, by its index."""
        found: dict[int, Break] = {}
        steps = [event.step for event in self._steps.events if event.kind == "break"]
        for index, take in enumerate(self._steps.takes):
            for step in steps:
                if take.first <= step < take.end and (item := self._break_at(step, take)):
                    found[index] = item
        return found

    def _break_at(self, step: int, take: Take) -> Break | None:
        code = self._steps.codes[self._steps.calls[self._calls[step]].code]
        line = code.instructions[self._at[step]].line
        own = [item for item in self._recording.breaks if item.frame == take.frame]
        return next((b for b in own if self._recording.spans[b.span].line == line), None)

    def _ending(self, index: int) -> str:
        """The outcome of an attempt, as a sentence."""
        attempt, broke = self._attempts[index], self._broke.get(index)
        if attempt is None:
            return "It is still running."
        graph = "no graph" if attempt.graph is None else self._titles[attempt.graph]
        if attempt.outcome == "restarted":
            return self._anew(index, attempt)
        if broke is not None:
            return f"It broke ({self._kind_of(broke)}): {graph} ends here.{self._goes_on(broke)}"
        if attempt.outcome == "compiled":
            return f"It finished with {graph}."
        return f"It was {attempt.outcome}: {attempt.reason}"

    def _kind_of(self, item: Break) -> str:
        return rule_at(item, self._places).title

    def _goes_on(self, broke: Break) -> str:
        names = [f"`{self._names[frame]}`" for frame in broke.resume_frames]
        return f" {listed(names)} resumes from there." if names else ""

    def _anew(self, index: int, attempt: Attempt) -> str:
        later = self._broke.get(index + 1)
        if later is None or "Speculation" not in attempt.reason:
            return f"Dynamo learned something and starts again ({attempt.reason})."
        return (
            f"Dynamo cannot continue past this ({self._kind_of(later)}). It drops this attempt and "
            "analyses the frame again up to this point, to break there."
        )

    def codes(self) -> Iterator[CodeView]:
        """Each code object, with its source location."""
        for code in self._steps.codes:
            line = self._places.line_of(code.span)
            yield CodeView(
                name=code_name(code.name),
                where=self._places.where(line),
                source=line[0],
                is_library=self._places.is_library(line),
                instructions=code.instructions,
            )

    def nodes(self) -> Iterator[NodeRow]:
        """Each node that was added, and its place in the graph that was compiled."""
        places: dict[int, Mapping[str, int]] = {}
        for index, added in self._with_take(self._steps.nodes):
            attempt = self._attempts[index] if index >= 0 else None
            graph = attempt.graph if attempt and not added.depth else None
            if graph is None:
                yield NodeRow(added, -1, -1)
                continue
            if graph not in places:
                names = self._recording.graphs[graph].nodes.name
                places[graph] = {name: node for node, name in enumerate(names)}
            yield NodeRow(added, graph, places[graph].get(added.name, -1))

    def events(self) -> Iterator[EventRow]:
        """Each event in words. Attempts begin and end in order, and so do events."""
        for index, event in self._with_take(self._steps.events):
            yield EventRow(event.step, event.kind, *self._told(event, index))

    def _with_take(self, rows: Sequence[R]) -> Iterator[tuple[int, R]]:
        firsts = [take.first for take in self._steps.takes]
        for row in rows:
            yield bisect_right(firsts, max(row.step, 0)) - 1, row

    def _told(self, event: Event, index: int) -> tuple[str, str]:
        """An event in words, and the entity with more about it."""
        take = self._steps.takes[index]
        attempt, broke = self._attempts[index], self._broke.get(index)
        graph = attempt.graph if attempt else None
        match event.kind:
            case "checkpoint":
                return "If this cannot be traced, Dynamo can come back to here and break.", ""
            case "effect":
                return f"It {event.text}, which outlives the call.", ""
            case "break":
                title = self._kind_of(broke) if broke else event.text
                return f"Break: {title}.", f"break:{broke.id}" if broke else ""
            case "compile" if graph is not None:
                return (
                    f"The graph so far goes to the backend: {self._titles[graph]}.",
                    f"graph:{graph}",
                )
            case "compile":
                return "The function ends; no graph is needed.", f"frame:{take.frame}"
            case "restart":
                return self._ending(index), f"frame:{take.frame}"
            case "return":
                return "The call returns.", ""
            case "raise":
                return f"It raises: {event.text}", ""
