"""Which nodes a query finds, and in which graphs."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import structs

from dynamo_lab.errors import QueryError
from dynamo_lab.model.graphs import Node
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core import links
from dynamo_lab.view.core.places import source_labels
from dynamo_lab.view.graphs import graphs
from dynamo_lab.view.graphs.graphs import GraphView, stage_word
from dynamo_lab.view.graphs.query import Term, normal_dtype, parse, pattern
from dynamo_lab.view.view import View

Test = Callable[[int], bool]
"""Whether a node, by its index, fulfils a condition."""

_TENSOR = re.compile(r"([a-z][a-z0-9_]*)\[([^\]]*)\]")
_TORCH = re.compile(r"[\\/](?:torch|functorch)[\\/]")
"""PyTorch's own lines say how an operator is made, not where it was asked for."""


class FoundNode(Node, frozen=True, kw_only=True):
    """A node that a search found. `graph` is the id of its graph, `title` what that is called."""

    graph: int
    title: str


class File(NamedTuple):
    """What a search needs to know of a source."""

    label: str
    path: str
    kind: str


_LEFT_OUT = File("", "", "library")
"""A view leaves out libraries that nothing leads to."""


def files_of(view: View) -> dict[int, File]:
    """What there is to know of each source of a view."""
    return {one.id: File(one.label, one.path, one.kind) for one in view.sources}


def home_of(stack: Sequence[tuple[int, int]], files: Mapping[int, File]) -> tuple[int, int] | None:
    """The line to show of a stack: the innermost outside PyTorch, else the innermost of all."""

    def is_torch(source: int) -> bool:
        file = files.get(source, _LEFT_OUT)
        return file.kind == "library" and bool(_TORCH.search(file.path))

    outside = [line for line in stack if not is_torch(line[0])]
    return outside[-1] if outside else stack[-1] if stack else None


class Searched:
    """A graph prepared for many queries; `stacks` and `files` are those of its view."""

    def __init__(
        self,
        graph: GraphView,
        stacks: Sequence[Sequence[tuple[int, int]]],
        files: dict[int, File],
    ) -> None:
        self._graph = graph
        self._stacks = stacks
        self._files = files

    def find(self, terms: Sequence[Term]) -> list[int]:
        """The nodes that fulfil every condition, in order."""
        tests = [(self._test(term), not term.is_negated) for term in terms]
        return [
            node
            for node in range(len(self._graph.name))
            if all(test(node) is wanted for test, wanted in tests)
        ]

    def _test(self, term: Term) -> Test:
        graph, fits = self._graph, pattern(term.value)
        match term.field:
            case "op":
                within = _part_pattern(term.value)
                hits = [bool(within.search(text.lower())) for text in graph.strings]
                return lambda node: hits[graph.op[node]] or hits[graph.target[node]]
            case "dtype":
                values = [any(fits.fullmatch(d) for d, _ in v) for v in self._tensors]
                return lambda node: values[graph.value[node]]
            case "shape":
                fits = pattern(term.value, one="[^x]+")
                values = [any(fits.fullmatch(shape) for _, shape in v) for v in self._tensors]
                return lambda node: values[graph.value[node]]
            case "module":
                return self._in_module(term.value)
            case "line":
                lines = [self._has_line(stack, term) for stack in self._stacks]
                return lambda node: graph.stack[node] >= 0 and lines[graph.stack[node]]
            case "stage":
                is_it = any(fits.fullmatch(word) for word in (graph.stage, stage_word(graph)))
                return lambda _: is_it
            case "name":
                return lambda node: bool(fits.fullmatch(graph.name[node].lower()))
            case "bytes":
                known = [b is not None and term.low <= b <= term.high for b in graph.bytes]
                return lambda node: known[graph.value[node]]
            case "users":
                return lambda node: term.low <= self._users[node] <= term.high
            case _:
                return lambda node: term.value in self._texts[node]

    @cached_property
    def _tensors(self) -> list[list[tuple[str, str]]]:
        """Dtype and shape of each tensor in each value, as "f32" and "8x128"."""
        return [list(_tensors_in(text.lower())) for text in self._graph.values]

    @cached_property
    def _users(self) -> list[int]:
        counts = [0] * len(self._graph.name)
        for inputs in self._graph.inputs:
            for node in set(inputs):
                counts[node] += 1
        return counts

    @cached_property
    def _homes(self) -> dict[int, int]:
        """The box that each node lies in directly."""
        boxes = enumerate(self._graph.modules)
        return {node: number for number, box in boxes for node in box.nodes}

    @cached_property
    def _texts(self) -> list[str]:
        graph = self._graph
        return [
            "\n".join(
                (
                    graph.name[node],
                    graph.strings[graph.target[node]],
                    graph.values[graph.value[node]],
                    graph.arguments[node],
                    graph.modules[self._homes[node]].path if node in self._homes else "",
                )
            ).lower()
            for node in range(len(graph.name))
        ]

    def _in_module(self, value: str) -> Test:
        """In a box whose path holds the parts, or that is of the class, or lies in such a one."""
        within, whole = _part_pattern(value), pattern(value)
        inside: set[int] = set()

        def visit(number: int, is_inside: bool) -> None:
            box = self._graph.modules[number]
            is_inside = is_inside or bool(
                within.search(box.path.lower()) or whole.fullmatch(box.type.lower())
            )
            if is_inside:
                inside.add(number)
            for child in box.children:
                visit(child, is_inside)

        if self._graph.modules:
            visit(0, False)
        return lambda node: self._homes.get(node, -1) in inside

    def _has_line(self, stack: Sequence[tuple[int, int]], term: Term) -> bool:
        """Whether one of the reader's lines in it fits, or the one that the node is shown with."""
        home = self._home(stack)
        return any(
            term.low <= number <= term.high and self._is_of(source, term.file)
            for source, number in stack
            if (source, number) == home or self._file(source).kind != "library"
        )

    def _home(self, stack: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
        return home_of(stack, self._files)

    def _file(self, source: int) -> File:
        return self._files.get(source, _LEFT_OUT)

    def _is_of(self, source: int, file: str) -> bool:
        return not file or f"/{self._file(source).label.lower()}".endswith(f"/{file}")


def _tensors_in(text: str) -> Iterator[tuple[str, str]]:
    for dtype, sizes in _TENSOR.findall(text):
        yield normal_dtype(dtype), re.sub(r" *, *", "x", sizes)


def _part_pattern(value: str) -> re.Pattern[str]:
    """The same for some of the parts of a dotted path."""
    return re.compile(rf"(?:^|\.){pattern(value).pattern}(?:\.|$)", re.DOTALL)


def searched_graphs(view: View) -> Iterator[tuple[GraphView, Searched]]:
    """Each graph of a view with the search of it."""
    files = {s.id: File(s.label, s.path, s.kind) for s in view.sources}
    for graph in view.graphs:
        yield graph, Searched(graph, view.links.stacks, files)


def _searched(recording: Recording) -> Iterator[tuple[GraphView, Searched]]:
    """The same without the rest of a view: it shows every source that a node's stack names."""
    labels = zip(source_labels(recording.sources), recording.sources, strict=True)
    files = {at: File(label, s.path, s.kind) for at, (label, s) in enumerate(labels)}
    stacks = links.build(recording).stacks
    for graph in graphs.build(recording):
        yield graph, Searched(graph, stacks, files)


def found(recording: Recording, query: str, graph: int | None = None) -> Iterator[FoundNode]:
    """The facts of the nodes that a query finds, in all graphs or in one.

    Raises:
        QueryError: the query is not valid, or there is no such graph.
    """
    terms = parse(query)
    count = len(recording.graphs)
    if graph is not None and not 0 <= graph < count:
        raise QueryError(f"There is no graph {graph}: the recording has {count}.")
    for shown, searched in _searched(recording):
        if graph in (None, shown.id):
            for node in searched.find(terms):
                fact = recording.graphs[shown.id].nodes[node]
                yield FoundNode(**structs.asdict(fact), graph=shown.id, title=shown.title)
