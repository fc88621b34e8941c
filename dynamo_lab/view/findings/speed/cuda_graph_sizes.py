"""Symbolic sizes under CUDA graphs: each value that they take is recorded once more."""

import re
from collections.abc import Iterator

from dynamo_lab.model.lowering import CudaGraphs
from dynamo_lab.view.core.places import entity
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.findings import ops
from dynamo_lab.view.findings.arguments import argument_of
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.findings.lines import line_of
from dynamo_lab.view.lowering.cudagraphs import use_of

_SKIP = "torch._inductor.config.triton.cudagraph_skip_dynamic_graphs = True"


def find(facts: Facts) -> Iterator[Found]:
    """A note for each compilation whose CUDA graphs would be recorded anew."""
    told = set[str]()
    for found in facts.recording.cuda_graphs:
        graph = facts.recording.graphs[found.graph]
        if not found.asked or not found.sizes or use_of(found) == "not used":
            continue
        line = line_of(facts, ((graph.id, at) for at in ops.calls(graph.nodes)))
        if line is None or graph.compile_id in told:
            continue
        told.add(graph.compile_id)
        where = facts.places.where(line)
        sizes = _sizes(facts, found)
        finding = Finding(
            rule="cuda-graph-per-size",
            question="speed",
            level="note",
            sentence=(
                f"A CUDA graph is recorded for each new value of {listed(sizes, 4)}, with memory "
                "of its own: calls whose sizes keep changing record more than they replay."
            ),
            where=where,
            entity=entity(line),
            evidence=(
                Evidence(
                    text=f"open sizes of the inputs: {listed(list(found.sizes), 4)}",
                    tab="lowering",
                    entity=f"graph:{graph.id}",
                ),
            ),
            grade="fill in",
            remedy=(
                "Pad inputs to a few sizes, each of which is recorded once. Or let graphs with "
                "open sizes run without CUDA graphs."
            ),
            code=_SKIP,
        )
        yield Found(finding, line=line, about=frozenset({f"cuda_graph:{found.graph}"}))


def _sizes(facts: Facts, found: CudaGraphs) -> list[str]:
    """The sizes as the reader writes them, `x.shape[0]`, else their symbols."""
    nodes = facts.recording.graphs[found.graph].nodes
    named = dict[str, str]()
    for at in range(len(nodes.op)):
        if nodes.strings[nodes.op[at]] != "placeholder":
            continue
        name = argument_of(facts, (found.graph, at))
        for axis, size in enumerate(ops.value(nodes, at).shape if name else ()):
            for symbol in re.findall(r"[a-z]+\d+", size):
                named.setdefault(symbol, f"`{name}.shape[{axis}]`")
    return list(dict.fromkeys(named.get(symbol, symbol) for symbol in found.sizes))
