"""A block of a model that is compiled anew for each time it occurs, with the same shapes."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dynamo_lab.model.graphs import Graph
from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.core.places import Line, entity_if_known
from dynamo_lab.view.core.words import percent, plural
from dynamo_lab.view.findings import ops
from dynamo_lab.view.findings.compile_time import seconds
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found

_LEAST_TIMES, _LEAST_NODES, _LEAST_SHARE = 8, 32, 0.5
_Shape = tuple[tuple[str, str, str], ...]


class _Block(NamedTuple):
    """Modules of one class that became the same nodes, by path."""

    graph: Graph
    kind: str
    modules: Mapping[str, list[int]]
    share: float

    @property
    def nodes(self) -> int:
        return sum(len(nodes) for nodes in self.modules.values())


def find(facts: Facts) -> Iterator[Found]:
    """The largest block of each captured graph; once, however often it is recompiled."""
    known: set[tuple[str, Line | None]] = set()
    for graph in facts.recording.captured_graphs():
        block = max(_blocks(graph), key=lambda one: one.nodes, default=None)
        line = _line(block, facts) if block else None
        if block and (block.kind, line) not in known:
            known.add((block.kind, line))
            yield Found(_finding(block, line, facts), line=line)


def _blocks(graph: Graph) -> Iterator[_Block]:
    operators = list(ops.calls(graph.nodes))
    if len(operators) < _LEAST_NODES:
        return
    groups: dict[tuple[str, _Shape], dict[str, list[int]]] = {}
    for path, nodes in _by_module(graph, operators).items():
        if len(nodes) > 1 and (kind := graph.nodes.module_types.get(path, "")):
            groups.setdefault((kind, _shape(graph, nodes)), {})[path] = nodes
    for (kind, _), modules in groups.items():
        count = sum(len(nodes) for nodes in modules.values())
        share = count / len(operators)
        is_much = count >= _LEAST_NODES and share >= _LEAST_SHARE
        if len(modules) >= _LEAST_TIMES and is_much:
            yield _Block(graph, kind, modules, share)


def _by_module(graph: Graph, operators: list[int]) -> dict[str, list[int]]:
    """The nodes of each module, with those of the modules in it."""
    found: dict[str, list[int]] = {}
    for node in operators:
        path = graph.nodes.strings[graph.nodes.module[node]]
        while path:
            found.setdefault(path, []).append(node)
            path = path.rpartition(".")[0]
    return found


def _shape(graph: Graph, nodes: list[int]) -> _Shape:
    """What the nodes compute, and on which sizes: blocks that share it compile to the same."""
    table = graph.nodes
    values = [table.values[table.value[node]] for node in nodes]
    return tuple(
        (table.strings[table.target[node]], ",".join(value.shape), value.dtype)
        for node, value in zip(nodes, values, strict=True)
    )


def _line(block: _Block, facts: Facts) -> Line | None:
    """The innermost of the reader's lines that all of the blocks are called from."""
    stacks = block.graph.nodes.stack
    nodes = [node for nodes in block.modules.values() for node in nodes if stacks[node] >= 0]
    lines = [facts.places.lines_of(stacks[node]) for node in nodes]
    if not lines:
        return None
    shared = set(lines[0]).intersection(*lines[1:])
    own = [line for line in lines[0] if line in shared and not facts.places.is_library(line)]
    looped = [line for line in own if _is_looped(line, block, facts)]
    if looped:
        return looped[-1]
    # a block of one line: its operators are on that line, and it is not the one that calls it
    inside = len(own) > 1 and any(stack[-1] == own[-1] for stack in lines)
    return own[-2] if inside else next(reversed(own), None)


def _is_looped(line: Line, block: _Block, facts: Facts) -> bool:
    """Whether a line is in a loop that ran for each of the blocks."""
    spans = facts.recording.spans
    loops = (
        spans[loop.span]
        for loop in facts.recording.unrolled
        if loop.graph == block.graph.id and loop.times >= len(block.modules)
    )
    return any(span.source == line[0] and span.line <= line[1] <= span.end_line for span in loops)


def _finding(block: _Block, line: Line | None, facts: Facts) -> Finding:
    places = facts.places
    times, kind = len(block.modules), block.kind
    size = block.nodes // times
    everywhere = _everywhere(block, facts)
    return Finding(
        rule="repeated-block",
        question="compile_time",
        sentence=(
            f"{kind} is compiled {times:,} times, each time with the same operators and sizes: "
            f"{times:,} times {plural(size, 'node')}, {percent(block.share)} of the graph."
        ),
        where=places.where(line) if line else "",
        entity=entity_if_known(line),
        evidence=(
            Evidence(
                text=f"{plural(block.nodes, 'node')} of {plural(times, kind)}",
                tab="graphs",
                entity=f"graph:{block.graph.id}",
            ),
        ),
        grade="may change meaning",
        remedy=(
            "Mark the block as a region: it is compiled once and called for each. It must change "
            "nothing outside of itself, and is fused with nothing around it. Or compile the "
            "blocks one by one instead of the model: Dynamo finds the code again for each. "
            f"{kind} is imported first, where your code does not name it yet."
        ),
        code=f"{kind}.forward = torch.compiler.nested_compile_region({kind}.forward)",
        gain=seconds.of_repeats(facts, everywhere, block.share, times),
        cost=block.share * (1 - 1 / times),
    )


def _everywhere(block: _Block, facts: Facts) -> set[NodeKey]:
    """The blocks' nodes, and those that they became in the graphs that were lowered."""
    found = {(block.graph.id, node) for nodes in block.modules.values() for node in nodes}
    for graph in facts.recording.graphs:
        if graph.stage == "post_grad" and graph.compile_id == block.graph.compile_id:
            inside = _by_module(graph, list(range(len(graph.nodes))))
            found |= {(graph.id, at) for path in block.modules for at in inside.get(path, ())}
    return found
