"""The pieces of a run: each frame's graphs, with their lines, operators and kernels."""

from collections import Counter

from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.regions import executed_lines
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.words import plural


class Pieces:
    """What frames became, collected once for the views that show it."""

    def __init__(self, recording: Recording, places: Places) -> None:
        self._recording = recording
        self._places = places
        self._titles = GraphTitles(recording)
        self._kernels = Counter(
            self._titles.numbers[kernel.graph]
            for kernel in recording.kernels
            if kernel.graph is not None
        )

    def graphs_of(self, frame: Frame) -> tuple[int, ...]:
        """The graphs of a frame's finished compilations, first to last."""
        done = (a.graph for a in frame.attempts if a.outcome == "compiled" and a.graph is not None)
        return tuple(dict.fromkeys(done))

    def title(self, graph: int) -> str:
        """'graph 1'."""
        return self._titles.titles[graph]

    def operators(self, graph: int) -> int:
        """The operators of a captured graph."""
        return self._recording.graphs[graph].operators

    def kernels(self, graph: int) -> int:
        """The kernels that were made for a captured graph, including those of its backward."""
        return self._kernels[self._titles.numbers[graph]]

    def size(self, graph: int) -> str:
        """'3 operators, 2 kernels'; without kernels where the backend makes none."""
        kernels = self.kernels(graph)
        size = plural(self.operators(graph), "operator")
        return f"{size}, {plural(kernels, 'kernel')}" if kernels else size

    def lines(self, frame: Frame, graph: int) -> str:
        """'lines 3-5': the frame's own lines that a graph was captured from."""
        return self._places.where_range(*self._extent(frame, self._captured(graph, frame)))

    def extent(self, frame: Frame, last: int | None = None) -> tuple[int, int, int]:
        """Source and lines of what was captured of the frame, else of what runs, up to a line."""
        captured = {n for graph in self.graphs_of(frame) for n in self._captured(graph, frame)}
        executed = (number for _, number in executed_lines(frame, self._places))
        return self._extent(frame, captured or {n for n in executed if last is None or n <= last})

    def _extent(self, frame: Frame, numbers: set[int]) -> tuple[int, int, int]:
        source, line = self._places.line_of(frame.span)
        return source, min(numbers, default=line), max(numbers, default=line)

    def _captured(self, graph: int, frame: Frame) -> set[int]:
        """Stacks start in the frame itself, and go on into what was inlined."""
        source = self._places.line_of(frame.span)[0]
        stacks = {stack for stack in self._recording.graphs[graph].nodes.stack if stack >= 0}
        lines = (self._places.lines_of(stack)[:1] for stack in stacks)
        return {number for first in lines for at, number in first if at == source}
