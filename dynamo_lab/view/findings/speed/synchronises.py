"""Values that the host needs while a compiled call runs on a GPU: it waits for the GPU."""

import re
from collections.abc import Iterator

from dynamo_lab.model.graphs import Graph, NodeTable
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import listed, plural, unique
from dynamo_lab.view.findings import ops
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.findings.lines import line_of

_NUMBER = "_local_scalar_dense"
_UNKNOWN_SIZE = re.compile(r"\bu\d+\b")
"""A size that is known only after the operator has run."""


def find(facts: Facts) -> Iterator[Found]:
    """Each line of a graph for a GPU whose result the host has to read."""
    for graph in facts.recording.graphs:
        if graph.stage != "post_grad":
            continue
        by_line: dict[Line, list[int]] = {}
        for at in ops.calls(graph.nodes):
            if _waits(graph.nodes, at) and (line := line_of(facts, [(graph.id, at)])):
                by_line.setdefault(line, []).append(at)
        yield from (_found(facts, graph, line, nodes) for line, nodes in by_line.items())


def _waits(table: NodeTable, at: int) -> bool:
    """Whether the code around the kernels needs a number or a size that the GPU computes."""
    if not _is_on_gpu(table, at):
        return False
    return ops.name(table, at) == _NUMBER or bool(_new_sizes(table, at))


def _is_on_gpu(table: NodeTable, at: int) -> bool:
    devices = [ops.value(table, one).device for one in table.inputs[at]]
    return any(device and not device.startswith(("cpu", "meta")) for device in devices)


def _new_sizes(table: NodeTable, at: int) -> set[str]:
    """The sizes of a tensor that none of what it is made of has."""
    made, *read = (ops.value(table, one) for one in (at, *table.inputs[at]))
    if not made.dtype:
        return set()
    known = {name for one in read for name in _UNKNOWN_SIZE.findall(one.text)}
    return set(_UNKNOWN_SIZE.findall(" ".join(made.shape))) - known


def _found(facts: Facts, graph: Graph, line: Line, nodes: list[int]) -> Found:
    where, table = facts.places.where(line), graph.nodes
    is_number = all(ops.name(table, at) == _NUMBER for at in nodes)
    what = "a number" if is_number else "the size of its result"
    names = listed(unique(f"`{_called(table, at)}`" for at in nodes))
    finding = Finding(
        rule="host-waits",
        question="speed",
        sentence=(
            f"{where} makes the host wait for the GPU in each call: the code around the kernels "
            f"needs {what}, which {names} computes there. Kernels after it are launched only then."
        ),
        where=where,
        entity=entity(line),
        evidence=(
            Evidence(
                text=f"{plural(len(nodes), 'value')} of the graph that the host reads",
                tab="graphs",
                entity=f"node:{graph.id}:{nodes[0]}",
            ),
        ),
        grade="fill in",
        remedy=_NUMBERS if is_number else _SIZES,
        code="" if is_number else "torch.where(mask, x, 0)",
        cost=1.0,
    )
    return Found(finding, line=line, about=frozenset({f"waits:{entity(line)}"}))


_NUMBERS = (
    "Keep it a tensor: one without dimensions takes part in arithmetic and in `torch.where`. What "
    "is only to be printed is read after the call."
)
_SIZES = (
    "Keep the size: a mask with `torch.where`, a sum weighted by the mask, or an operator that is "
    "told the size, as `torch.nonzero_static` and `repeat_interleave(..., output_size=n)`."
)


def _called(table: NodeTable, at: int) -> str:
    """The operator as the reader knows it."""
    return {_NUMBER: "item", "index": "indexing with a mask"}.get(
        ops.name(table, at), ops.name(table, at)
    )
