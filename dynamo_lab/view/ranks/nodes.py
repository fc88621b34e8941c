"""Which node of a graph a collective was, where generated code called it."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from dynamo_lab.model.graphs import Graph, Node
from dynamo_lab.model.ranks.names import kind_of
from dynamo_lab.model.ranks.ranks import Call
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Line, Places
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.ranks.shapes import collective_name, is_collective

_EARLY = ("dynamo", "pre_grad", "joint")
_FINAL = ("forward", "backward")
_INSTEAD = {"reducescatter": "allreduce"}
"""What gloo calls in place of a collective that it does not have."""
_RUN_ONCE = ("control_deps", "invoke_subgraph", "tag_activation_checkpoint")
"""What runs a body once. Of a `cond` it is not known which branch ran, of a loop how often."""


class GraphCall(NamedTuple):
    """A collective in a graph: `line` is the user's, `function` that of the compiled function.

    `lines` are those of all that Inductor put together to it, `line` is the first of them.
    Where it is in a body that `graph` calls, `node` is the one that calls the body; unless that
    `runs_once`, it may have run in no run of the graph, or several times.
    """

    graph: Graph
    node: Node
    kind: str
    sizes: tuple[int, ...] | None
    lines: tuple[Line, ...]
    function: Line | None
    runs_once: bool

    @property
    def line(self) -> Line | None:
        """The user's line; None where no stack is known."""
        return self.lines[0] if self.lines else None


class Nodes:
    """The collectives in the last graphs of each compilation of a rank, by what they call."""

    def __init__(self, recording: Recording, places: Places, calls: Sequence[Call]) -> None:
        self._recording = recording
        self._places = places
        self._calls = [call for call in calls if call.is_compiled and not call.is_message]

    @cached_property
    def _tied(self) -> dict[tuple[str, int], tuple[GraphCall, ...]]:
        """Of each call, by its group and number, the one node that it was, or those it may be."""
        all_of_them = list(self._graph_calls())
        alike: dict[tuple[int, ...], list[Call]] = {}
        found: dict[tuple[str, int], tuple[GraphCall, ...]] = {}
        for call in self._calls:
            able = self._able(call, all_of_them)
            found[call.group, call.number] = able
            alike.setdefault(tuple(id(one) for one in able), []).append(call)
        for calls in alike.values():
            able = found[calls[0].group, calls[0].number]
            in_turn = len({one.graph.id for one in able}) == 1 and all(o.runs_once for o in able)
            if len(able) > 1 and in_turn and not len(calls) % len(able):
                for at, call in enumerate(calls):  # each run of the graph makes all of them
                    found[call.group, call.number] = (able[at % len(able)],)
        return found

    def node_of(self, call: Call) -> GraphCall | None:
        """The node that it was, if that can be told from others."""
        able = self._tied.get((call.group, call.number), ())
        return able[0] if len(able) == 1 else None

    def line_of(self, call: Call) -> Line | None:
        """The user's line of its node: also where several nodes of that line may be it."""
        lines = {one.line for one in self._tied.get((call.group, call.number), ())}
        line = lines.pop() if len(lines) == 1 else None
        return None if line is None or self._places.is_library(line) else line

    @cached_property
    def _titles(self) -> GraphTitles:
        return GraphTitles(self._recording)

    def title_of(self, found: GraphCall) -> str:
        """'`all_reduce_1` of graph 2 forward'."""
        return f"`{found.node.name}` of {self._titles.titles[found.graph.id]}"

    def _able(self, call: Call, known: Sequence[GraphCall]) -> tuple[GraphCall, ...]:
        """The nodes that a call can be; on its own line, if there are such."""
        sizes, kind = tuple(sizes for one in call.sizes for sizes in one), kind_of(call.name)
        own = self._places.own_line(call.stack)
        able = [
            one
            for one in known
            if kind in (one.kind, _INSTEAD.get(one.kind) if call.backend == "gloo" else None)
            and one.graph.is_backward == call.is_backward
            and one.sizes in (None, sizes)
        ]
        exact = [one for one in able if one.line == own]
        if exact or call.is_backward or own is None:
            return tuple(exact or able)
        return tuple(one for one in able if one.function == own)

    def _graph_calls(self) -> Iterator[GraphCall]:
        for graph in self._last_graphs():
            frame = None if graph.frame is None else self._recording.frames[graph.frame]
            function = None if frame is None else self._places.line_of(frame.span)
            for calls, within, node, runs_once in self._in_order(graph):
                if is_collective(node.target) and not node.target.endswith("wait_tensor.default"):
                    yield GraphCall(
                        graph=graph,
                        node=calls,
                        kind=kind_of(collective_name(node.target)),
                        sizes=_brought(within, node),
                        lines=self._lines(node),
                        function=function,
                        runs_once=runs_once,
                    )

    def _lines(self, node: Node) -> tuple[Line, ...]:
        lines = map(self._places.own_line, node.bucketed or (node.stack,))
        return tuple(dict.fromkeys(line for line in lines if line is not None))

    def _in_order(self, graph: Graph) -> Iterator[tuple[Node, Graph, Node, bool]]:
        """The nodes of a graph: the node that calls its body, its graph, it, whether it runs once.

        Inductor's overlap passes put a collective into a body of its own (`control_deps`).
        """
        for node in graph.nodes:
            yield node, graph, node, True
            once = node.target.rpartition(".")[2] in _RUN_ONCE
            for body in node.subgraphs:
                for _, within, inner, is_once in self._in_order(self._recording.graphs[body]):
                    yield node, within, inner, once and is_once

    def _last_graphs(self) -> Iterator[Graph]:
        """Of each compilation the graphs that code was made of, else the last that is known."""
        final: dict[tuple[str, int, bool], Graph] = {}
        early: dict[str, Graph] = {}
        for graph in self._recording.graphs:
            if graph.parent is not None:
                continue
            key = graph.compile_id, graph.part, graph.is_backward
            if graph.stage == "post_grad" or (graph.stage in _FINAL and key not in final):
                final[key] = graph
            elif graph.stage in _EARLY:
                early[graph.compile_id] = graph
        made = {compile_id for compile_id, _, _ in final}
        yield from final.values()
        yield from (graph for compile_id, graph in early.items() if compile_id not in made)


def _brought(graph: Graph, node: Node) -> tuple[int, ...] | None:
    """The sizes of the tensors that a node brings; None where one is a symbol.

    Where it is told what to fill (`all_gather_into_tensor_out`), it reads that last.
    """
    inputs = node.inputs[:-1] if ", out=" in node.arguments else node.inputs
    sizes = [size for at in inputs for size in graph.nodes[at].value.shape]
    return tuple(map(int, sizes)) if all(size.isdecimal() for size in sizes) else None
