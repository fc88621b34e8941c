"""Frames in the order Dynamo saw them, each with its outcome, attempts and bytecode."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import Struct

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.frames import Attempt, Frame, Instruction
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.makers import rule_at
from dynamo_lab.view.breaks.skips import SUPPRESSED, explain_skip, is_suppressed
from dynamo_lab.view.core.names import depths, frame_names, is_own
from dynamo_lab.view.core.places import Places, entity
from dynamo_lab.view.core.words import times
from dynamo_lab.view.guards.order import of_frames

TextOf = Callable[[int], str]
"""The text of a line by its number, empty where it is not known."""


class AttemptView(Struct, frozen=True, kw_only=True):
    """One analysis: its result and its cost. `bytecode` is the code Dynamo wrote."""

    label: str
    outcome: str
    reason: str
    graph: int | None
    seconds: float
    recompiled: tuple[str, ...] = ()
    bytecode: str = ""


class FrameView(Struct, frozen=True, kw_only=True):
    """One frame. `depth` is how many resumptions deep it is.

    `ran` is the outcome, or "eager" where nothing of it was compiled although Dynamo traced it: it
    has no tensor operation, or broke with no way to resume.
    """

    id: int
    name: str
    where: str
    entity: str
    outcome: str
    reason: str
    explanation: str
    resumes: int | None
    depth: int
    attempts: tuple[AttemptView, ...]
    graphs: tuple[int, ...]
    breaks: tuple[int, ...]
    guards: int
    bytecode: str = ""
    is_library: bool = False
    ran: str = ""


def build(recording: Recording, places: Places) -> tuple[FrameView, ...]:
    """The frames in the order Dynamo saw them."""
    facts = _Facts(recording, places)
    return tuple(_view(frame, facts) for frame in recording.frames)


class FrameCounts(NamedTuple):
    """`own` are the user's or were compiled; `library` are the rest, which Dynamo skipped."""

    own: int
    library: int


class _Facts:
    """The facts shown with frames, collected once for all of them."""

    def __init__(self, recording: Recording, places: Places) -> None:
        self.places = places
        self.names = frame_names(recording)
        self.depths = depths(recording.frames)
        self.guards = of_frames(recording.guards)
        self.recompiled = {item.frame for item in recording.recompiles}
        self.breaks: dict[int, list[Break]] = {}
        for item in recording.breaks:
            self.breaks.setdefault(item.frame, []).append(item)
        self.graphs: dict[int, list[int]] = {}
        for graph in recording.captured_graphs():
            if graph.frame is not None:
                self.graphs.setdefault(graph.frame, []).append(graph.id)
        self._is_known = all(graph.frame is not None for graph in recording.captured_graphs())

    def ran(self, frame: Frame) -> str:
        """How the frame ran: its outcome, or "eager" if it was traced in vain."""
        given_up = frame.outcome == "skipped" and frame.id in self.breaks
        return "eager" if given_up or self.is_eager(frame) else frame.outcome

    def is_eager(self, frame: Frame) -> bool:
        """Whether Dynamo finished it without a graph; of some imported logs that is not known."""
        has_graph = frame.id in self.graphs or any(one.graph is not None for one in frame.attempts)
        return frame.outcome == "compiled" and self._is_known and not has_graph


def _view(frame: Frame, facts: _Facts) -> FrameView:
    line = facts.places.line_of(frame.span)

    def text_of(number: int) -> str:
        return facts.places.text((line[0], number)).strip()

    return FrameView(
        id=frame.id,
        name=facts.names[frame.id],
        where=facts.places.where(line),
        entity=entity(line),
        outcome=frame.outcome,
        reason=frame.reason,
        explanation=_explanation(frame, facts),
        resumes=frame.resumes,
        depth=facts.depths[frame.id],
        attempts=tuple(_attempt(attempt, text_of) for attempt in frame.attempts),
        graphs=tuple(facts.graphs.get(frame.id, ())),
        breaks=tuple(item.id for item in facts.breaks.get(frame.id, ())),
        guards=facts.guards[frame.id],
        bytecode=listing(frame.bytecode, text_of),
        is_library=facts.places.is_library(line),
        ran=facts.ran(frame),
    )


def _attempt(attempt: Attempt, text_of: TextOf) -> AttemptView:
    again = f", analysis {attempt.restart + 1}" if attempt.restart else ""
    return AttemptView(
        label=f"{attempt.compile_id}{again}",
        outcome=attempt.outcome,
        reason=attempt.reason,
        graph=attempt.graph,
        seconds=attempt.seconds,
        recompiled=attempt.recompile_reasons,
        bytecode=listing(attempt.bytecode, text_of),
    )


def counts(recording: Recording) -> FrameCounts:
    """How many frames matter to the user, and how many do not; one that breaks does."""
    broken = {item.frame for item in recording.breaks}
    own = sum(frame.id in broken or is_own(recording, frame) for frame in recording.frames)
    return FrameCounts(own, len(recording.frames) - own)


def _explanation(frame: Frame, facts: _Facts) -> str:
    breaks = facts.breaks.get(frame.id, ())
    if frame.outcome == "compiling":
        return ""
    if is_suppressed(frame):
        again = " again" if frame.outcome == "compiled" else ""
        return f"Compiling it{again} failed; {SUPPRESSED}.{_UNUSED if again else ''}"
    if frame.outcome == "failed":
        return _failed(breaks, facts)
    if frame.outcome == "skipped":
        return explain_skip(frame.reason) or _skipped(breaks, facts)
    graphs = facts.graphs.get(frame.id, ())
    if breaks and facts.is_eager(frame):
        return f"It broke at {_at(breaks[0], facts)}, before any operation could be compiled."
    if breaks and breaks[-1].effect == "skipped":
        at = _at(breaks[-1], facts)
        return f"Compiled; compiled again, it broke at {at} with no way to resume, and ran eagerly."
    if breaks and breaks[-1].left_at is not None:
        left = facts.places.where((facts.places.line_of(frame.span)[0], breaks[-1].left_at))
        broke = _at(breaks[-1], facts)
        return f"Compiled before {left}, and left to Python from there on: it broke at {broke}."
    if breaks:
        return f"Compiled up to {_at(breaks[-1], facts)}, where it broke."
    if facts.is_eager(frame):
        return "Traced, but it contains no tensor operation: there was no graph to compile."
    if not graphs:
        return "Compiled; which graph is its own is not known."
    if len(graphs) == 1:
        return "Compiled completely, as one graph."
    if frame.id not in facts.recompiled:  # as after `torch._dynamo.reset()`
        return f"Compiled completely, {times(len(graphs))}."
    return f"Compiled completely, {times(len(graphs))}: its guards failed and it was recompiled."


_UNUSED = " The code that was compiled before is not used any more, where it would fit either."


def _failed(breaks: Sequence[Break], facts: _Facts) -> str:
    if breaks:
        return f"A single graph was required, but it broke at {_at(breaks[-1], facts)}."
    return "Compilation failed with an exception."


def _skipped(breaks: Sequence[Break], facts: _Facts) -> str:
    if breaks:
        return (
            f"It broke at {_at(breaks[-1], facts)} with no way to resume, so all of it ran eagerly."
        )
    return "Dynamo left it to Python, so all of it ran eagerly."


def _at(item: Break, facts: _Facts) -> str:
    return f"{facts.places.where_span(item.span)} ({rule_at(item, facts.places).title})"


def listing(bytecode: Sequence[Instruction], text_of: TextOf = lambda number: "") -> str:
    """Bytecode as `dis` prints it: line, jump mark, offset, name, argument.

    Where the text of a line is known, it stands above its instructions.
    """
    rows: list[str] = []
    shown = -1
    for item in bytecode:
        is_new = item.line not in (shown, -1)
        if is_new and rows:
            rows.append("")
        number = str(item.line) if is_new else ""
        if is_new and (text := text_of(item.line)):
            rows.append(f"{number:>5}    {text}")
            number = ""
        mark = ">>" if item.is_jump_target else "  "
        shown = item.line if is_new else shown
        rows.append(
            f"{number:>5} {mark} {item.offset:>6} {item.opname:<24} {item.argument}".rstrip()
        )
    return "\n".join(rows)
