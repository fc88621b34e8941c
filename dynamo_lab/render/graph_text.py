"""A graph as lines of code, for the renderers that show text."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.core.words import unit
from dynamo_lab.view.graphs.graphs import GraphView
from dynamo_lab.view.graphs.repeats.folds import listed_nodes
from dynamo_lab.view.graphs.repeats.repeats import INPUTS, RepeatView


class Row(NamedTuple):
    """A node with control characters escaped: the statement, its value, its origin, its module.

    `nodes` counts the nodes that the row stands for.
    """

    code: str
    value: str
    where: str
    nodes: int = 1
    module: str = ""


class GraphText:
    """Writes the graphs of a view; source locations are short, as "line 3" or "model.py:7"."""

    def __init__(self, view: View) -> None:
        self._stacks = view.links.stacks
        self._own = {s.id: s.label for s in view.sources if s.kind != "library"}
        main = view.sources[view.main_source : view.main_source + 1]
        self._main = main[0].id if main and not main[0].is_wrapper else -1
        # Where there is no user code, "line 3" alone would not say which file is meant.
        is_library = bool(main) and main[0].kind == "library" and not main[0].is_wrapper
        self.lines_of = main[0].label.split("/")[-1] if is_library else ""
        self._titles = {graph.id: graph.title for graph in view.graphs}
        self._modules: dict[int, dict[int, str]] = {}

    def rows(self, graph: GraphView) -> list[Row]:
        """Every node."""
        return self.some(graph, range(len(graph.name)))

    def folded(self, graph: GraphView) -> list[Row]:
        """Every node; of repeated blocks the first, and a row that stands for the others."""
        return [
            self._row(graph, one) if isinstance(one, int) else _others(one)
            for one in listed_nodes(graph)
        ]

    def some(self, graph: GraphView, nodes: Sequence[int]) -> list[Row]:
        """These nodes."""
        return [self._row(graph, index) for index in nodes]

    def brief(self, graph: GraphView, inputs: int, limit: int) -> list[Row]:
        """The first inputs and the first nodes: hundreds of parameters say little."""
        is_input = [string == "placeholder" for string in graph.strings]
        heads = [i for i, op in enumerate(graph.op) if is_input[op]]
        # One hidden input would take as much space as the row that says so.
        hidden = set(heads[inputs:]) if len(heads) > inputs + 1 else set[int]()
        listed = (one for one in listed_nodes(graph, inputs=False) if one not in hidden)
        rows = [
            self._row(graph, one) if isinstance(one, int) else _others(one)
            for one in islice(listed, limit)
        ]
        if hidden:
            rows.insert(inputs, Row(f"… {len(hidden):,} more inputs", "", "", len(hidden)))
        return rows

    def _row(self, graph: GraphView, index: int) -> Row:
        return Row(
            one_line(self._code(graph, index)),
            one_line(graph.values[graph.value[index]]),
            self._where(graph.stack[index]),
            module=one_line(self._module(graph, index)),
        )

    def _module(self, graph: GraphView, index: int) -> str:
        """'encoder.0 LayerNorm'."""
        if graph.id not in self._modules:
            self._modules[graph.id] = {
                node: f"{box.path} {box.type}".strip()
                for box in graph.modules
                for node in box.nodes
                if box.path
            }
        return self._modules[graph.id].get(index, "")

    def _code(self, graph: GraphView, index: int) -> str:
        name, op = graph.name[index], graph.strings[graph.op[index]]
        target, arguments = graph.strings[graph.target[index]], graph.arguments[index]
        calls = [self._titles[number] for number in graph.subgraphs.get(index, ())]
        code = statement(name, op, target, arguments)
        return f"{code}{'  # calls ' if calls else ''}{', '.join(calls)}"

    def _where(self, stack: int) -> str:
        """The user's line: the innermost of the stack in their code."""
        if stack < 0:
            return ""
        for source, number in reversed(self._stacks[stack]):
            if source == self._main:
                return f"line {number}"
            if source in self._own:
                return f"{one_line(self._own[source])}:{number}"
        return ""


def _others(repeat: RepeatView) -> Row:
    """'… these 14 nodes 23 more times, h.0 … h.23: each reads 12 values of its own'."""
    times = repeat.times - 1
    names = f", {repeat.name}" if repeat.name else ""
    differs = "; ".join(repeat.differs) or "equal but for names"
    word = unit(repeat.size, "input" if repeat.holds == INPUTS else "node")
    these = f"these {repeat.size:,} {word}" if repeat.size > 1 else f"this {word}"
    text = f"… {these} {times:,} more times{names}: {differs}"
    return Row(one_line(text.replace("`", "")), "", "", repeat.size * times)


def statement(name: str, op: str, target: str, arguments: str) -> str:
    """A node as a line of Python."""
    if op == "placeholder":
        return name
    if op == "output":
        return f"return {arguments}"
    if op == "get_attr":
        return f"{name} = self.{target}"
    if op == "call_method":
        receiver, _, rest = arguments.partition(", ")
        return f"{name} = {receiver}.{target}({rest})"
    return f"{name} = {target}({arguments})"
