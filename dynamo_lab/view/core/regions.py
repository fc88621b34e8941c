"""The fate of each line: compiled into which graph, eager, skipped or failed."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from dynamo_lab.model.frames import Frame, Instruction
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Line, Places

LineState = Literal["", "compiled", "eager", "skipped", "compiling", "failed"]

# Instructions that every function starts with and that belong to its `def` line.
_PROLOGUE = {"RESUME", "COPY_FREE_VARS", "MAKE_CELL", "RETURN_GENERATOR", "CACHE"}
# After these the next instruction runs only if something jumps to it.
_ENDS = {
    *("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"),
    *("JUMP_ABSOLUTE", "JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"),
}
# A line can be in several frames: a loop's body, a function called twice, a resumed part.
_RANK: dict[LineState, int] = {
    "": 0,
    "eager": 1,
    "skipped": 2,
    "compiling": 3,
    "failed": 4,
    "compiled": 5,
}


class Regions:
    """The state and the region of every line that a frame or a node is on."""

    def __init__(self, recording: Recording, places: Places) -> None:
        self._recording = recording
        self._places = places
        self.states: dict[Line, LineState] = {}
        self.regions: dict[Line, int] = {}
        self.nodes: dict[Line, int] = {}
        self._breaks = _break_lines(recording, places)
        self._left = {b.frame: b.left_at for b in recording.breaks if b.left_at is not None}
        self._broken = {line for lines in self._breaks.values() for line in lines}
        self._read_nodes()
        for frame in recording.frames:
            self._read_frame(frame)

    def _read_nodes(self) -> None:
        for region, stack, count in _node_stacks(self._recording):
            for line in self._places.stacks[stack]:
                self._raise(line, "compiled")
                self.regions[line] = max(region, self.regions.get(line, -1))
                self.nodes[line] = self.nodes.get(line, 0) + count

    def _read_frame(self, frame: Frame) -> None:
        lines = executed_lines(frame, self._places)
        if frame.outcome in ("skipped", "compiling"):
            self._raise_all(lines, frame.outcome)
        elif frame.outcome == "failed":
            lines = tuple(lines)
            self._raise_all(self._failing_lines(frame, lines) or lines, "failed")
        else:
            self._read_compiled(frame, lines)

    def _failing_lines(self, frame: Frame, lines: Iterable[Line]) -> set[Line]:
        """Where a frame failed, as far as known: the lines before it did not fail."""
        found: set[Line] = set()
        for item in self._recording.breaks:
            if item.frame == frame.id and item.effect == "failed":
                found.update(
                    (*self._places.lines_of(item.stack)[:1], self._places.line_of(item.span))
                )
        failure = self._recording.failure
        if not found and failure is not None and failure.span is not None:
            found = {self._places.line_of(failure.span)} & set(lines)
        return found

    def _read_compiled(self, frame: Frame, lines: Iterable[Line]) -> None:
        """Lines without nodes belong to the graph around them, up to the break.

        Past the break the frame's bytecode does not count: frames that resume it ran those lines,
        if any did.
        """
        breaks = self._breaks.get(frame.id, set())
        last = min((number for _, number in breaks), default=None)
        region = _region(frame, self._recording)
        left = self._left.get(frame.id)
        for line in lines:
            is_left = left is not None and line[1] >= left
            if is_left or line in breaks or (region < 0 and (last is None or line[1] <= last)):
                self._raise(line, "eager")
            elif frame.resumes is not None and line in self._broken:
                continue  # the rest of a line that broke: except for its nodes it ran in Python
            elif last is None or line[1] < last:
                self._raise(line, "compiled")
                self.regions.setdefault(line, region)

    def _raise_all(self, lines: Iterable[Line], state: LineState) -> None:
        for line in lines:
            self._raise(line, state)

    def _raise(self, line: Line, state: LineState) -> None:
        if _RANK[state] > _RANK[self.states.get(line, "")]:
            self.states[line] = state


def executed_lines(frame: Frame, places: Places) -> Iterator[Line]:
    """The lines of a frame's bytecode that it can come to, from where it resumes."""
    source = places.spans[frame.span].source
    first = frame.resumed_line or 0
    code = (i for i in reached(frame.bytecode) if i.line >= first and i.opname not in _PROLOGUE)
    return ((source, line) for line in dict.fromkeys(i.line for i in code) if line > 0)


def reached(bytecode: Sequence[Instruction]) -> Iterator[Instruction]:
    """The instructions that can run, in order: a function that resumes another has all of its code.

    What catches an exception counts as reached: the table that leads to it is not recorded.
    """
    at = {instruction.offset: n for n, instruction in enumerate(bytecode)}
    seen: set[int] = set()
    ahead = [0, *(n for n, one in enumerate(bytecode) if one.opname == "PUSH_EXC_INFO")]
    while ahead:
        n = ahead.pop()
        if n in seen or n >= len(bytecode):
            continue
        seen.add(n)
        target = bytecode[n].argument.removeprefix("to ")
        if target != bytecode[n].argument and target.isdigit():
            ahead.append(at.get(int(target), n))
        if bytecode[n].opname not in _ENDS:
            ahead.append(n + 1)
    return (one for n, one in enumerate(bytecode) if n in seen)


def _node_stacks(recording: Recording) -> Iterator[tuple[int, int, int]]:
    """(region, stack, number of nodes) for the operators of every graph that was compiled."""
    dead = _dead_graphs(recording)
    for graph in recording.graphs:
        root = graph
        while root.parent is not None and root.parent < root.id:
            root = recording.graphs[root.parent]
        if root.stage != "dynamo" or root.id in dead:
            continue
        calls = [string.startswith("call_") for string in graph.nodes.strings]
        counts: dict[int, int] = {}
        for op, stack in zip(graph.nodes.op, graph.nodes.stack, strict=True):
            if calls[op] and stack >= 0:
                counts[stack] = counts.get(stack, 0) + 1
        for stack, count in counts.items():
            yield root.id, stack, count


def _dead_graphs(recording: Recording) -> set[int]:
    """Graphs that were captured but never ran because their attempt failed."""
    attempts = [attempt for frame in recording.frames for attempt in frame.attempts]
    lost = {a.graph for a in attempts if a.outcome != "compiled" and a.graph is not None}
    return lost - {a.graph for a in attempts if a.outcome == "compiled"}


def _region(frame: Frame, recording: Recording) -> int:
    """The graph of the frame's latest compilation, -1 where it has none."""
    graphs = [a.graph for a in frame.attempts if a.outcome == "compiled" and a.graph is not None]
    graphs = graphs or [g.id for g in recording.captured_graphs() if g.frame == frame.id]
    return max(graphs, default=-1)


def _break_lines(recording: Recording, places: Places) -> dict[int, set[Line]]:
    """For each frame, the lines of its own code on which it broke and resumed."""
    found: dict[int, set[Line]] = {}
    for item in recording.breaks:
        stack = places.lines_of(item.stack)
        # The stack starts in the frame itself; the break may lie in a function that it calls.
        line = stack[0] if stack else places.line_of(item.span)
        if item.effect == "resumed":
            found.setdefault(item.frame, set()).add(line)
    return found
