"""Numbers of kernels and nodes, each given to the one module that holds all that it is of.

A kernel that was fused of several modules is of the module around them, and of each of them only a
part: what lies within a module adds up, what it shares does not and is told apart.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from dynamo_lab.model.benchmarks import Work
from dynamo_lab.model.graphs import Graph, NodeTable
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks.time_marks import calls_of
from dynamo_lab.view.benchmarks.timed_nodes import TimedNodes
from dynamo_lab.view.benchmarks.work import Works
from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.core.sizes import Sizes
from dynamo_lab.view.graphs.flops import products
from dynamo_lab.view.graphs.kinds import kind_of
from dynamo_lab.view.modules.tree import ModuleTree
from dynamo_lab.view.timings.costs import pieces as costs_of
from dynamo_lab.view.timings.timings import waited_seconds

_LAST = ("post_grad", "backward", "forward", "joint", "pre_grad", "dynamo")
"""The stages of a graph, the last first: products are counted in the last one."""


class Call(NamedTuple):
    """A call of a kernel in the generated code; `work` is None where it cannot be counted."""

    kernel: int
    nodes: tuple[NodeKey, ...]
    work: Work | None


def kernel_calls(recording: Recording) -> list[Call]:
    """The calls in the order of the code; a kernel that no memory plan names counts once.

    Their nodes are those of the buffers that they make, as where a benchmark times them.
    """
    works = Works(recording)
    buffers = {(one.graph, one.name): one.nodes for one in recording.buffers}
    found: list[Call] = []
    for plan in recording.memory_plans:
        schedule = recording.schedules[plan.schedule]
        for step in plan.steps:
            if step.kernel is None:
                continue
            operations = [schedule.operations[at] for at in step.operations]
            made = [name for one in operations for name in one.buffers]
            nodes = [node for name in made for node in buffers.get((schedule.graph, name), ())]
            nodes = nodes or [node for one in operations for node in one.nodes]
            work = works.of(step.kernel, made) if made else None
            keys = tuple((schedule.graph, node) for node in dict.fromkeys(nodes))
            found.append(Call(step.kernel, keys, work if isinstance(work, Work) else None))
    planned = {call.kernel for call in found}
    for kernel in recording.kernels:
        if kernel.id not in planned:
            graph = kernel.graph
            keys = () if graph is None else tuple((graph, node) for node in kernel.nodes)
            found.append(Call(kernel.id, keys, None))
    return found


def computing(graphs: Sequence[Graph], nodes: Iterable[NodeKey]) -> list[NodeKey]:
    """Those of the nodes that compute something; all, where none does.

    A view of what another module made is no work that is done for that module.
    """
    keys = list(nodes)
    return [key for key in keys if _computes(graphs[key[0]].nodes, key[1])] or keys


def _computes(table: NodeTable, node: int) -> bool:
    is_call = table.strings[table.op[node]].startswith("call_")
    return is_call and _kind(table.strings[table.target[node]]) != "view"


_kind = lru_cache(4096)(kind_of)  # a recording asks for the same few names again and again


def timed_calls(recording: Recording) -> list[tuple[float, tuple[NodeKey, ...]]]:
    """The seconds of each call that a benchmark timed, and the nodes that it computes."""
    found = recording.benchmark
    if found is None:
        return []
    return [(one.seconds, one.nodes) for one in calls_of(found, TimedNodes(recording))]


def products_of(recording: Recording, tree: ModuleTree) -> Iterator[tuple[NodeKey, int | None]]:
    """The floating-point operations of each product, in the last form of each graph."""
    for graph in _last_forms(recording.graphs, tree.numbers):
        found = products(graph.nodes, Sizes(recording, graph.compile_id))
        for node, count in found.items():
            yield (graph.id, node), count


def _last_forms(graphs: Iterable[Graph], numbers: tuple[int, ...]) -> Iterator[Graph]:
    """Of each captured graph the last form of the forward, and of the backward."""
    forms: dict[tuple[int, bool], list[Graph]] = {}
    for graph in graphs:
        if graph.parent is None and numbers[graph.id] and graph.stage in _LAST:
            forms.setdefault((numbers[graph.id], graph.is_backward), []).append(graph)
    for held in forms.values():
        last = min((graph.stage for graph in held), key=_LAST.index)
        yield from (graph for graph in held if graph.stage == last)


def compile_pieces(recording: Recording) -> Iterator[tuple[NodeKey, float]]:
    """The seconds of compiling that were taken at a node."""
    for piece in costs_of(recording, waited_seconds(recording)):
        yield (piece.graph, piece.node), piece.seconds
