"""Complex numbers, for which Inductor generates no code: library calls that nothing fuses with."""

from collections.abc import Iterator, Sequence

from dynamo_lab.model.fusion.fusion import Operation
from dynamo_lab.model.fusion.memory import MemoryPlan
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.lowering import Buffer
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks.work import is_view
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import listed, plural, unique
from dynamo_lab.view.findings import ops, traffic
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of

_COMPLEX = ("c64", "c128", "c32")

_NO_OTHER_WAY = ("_fft", "fft", "conj", "clone", "stft", "istft")
"""How operators begin that have to be complex, or that compute nothing but are no views."""


def find(facts: Facts) -> Iterator[Found]:
    """Each line that calls the library for complex numbers first, once for all its graphs."""
    by_graph: dict[int, list[Buffer]] = {}
    for buffer in facts.recording.buffers:
        if buffer.why and buffer.why.cause == "unsupported" and _is_complex(facts, buffer):
            by_graph.setdefault(buffer.graph, []).append(buffer)
    known = set[Line]()
    for number, buffers in by_graph.items():
        nodes = [(number, at) for buffer in buffers for at in buffer.nodes]
        line = line_of(facts, nodes)
        if line and line not in known:
            known.add(line)
            yield _found(facts, facts.recording.graphs[number], buffers, line)


def _is_complex(facts: Facts, buffer: Buffer) -> bool:
    """Whether an operator computes with complex numbers, and could do it with real ones."""
    table = facts.recording.graphs[buffer.graph].nodes
    return _touches_complex(facts, buffer) and any(
        not is_view(table.strings[table.target[at]])
        and not ops.name(table, at).startswith(_NO_OTHER_WAY)
        for at in buffer.nodes
    )


def _touches_complex(facts: Facts, buffer: Buffer) -> bool:
    """Whether complex numbers are what the operator of a buffer reads or makes."""
    table = facts.recording.graphs[buffer.graph].nodes
    around = {i for at in buffer.nodes for i in (at, *table.inputs[at])}
    return any(ops.value(table, at).dtype in _COMPLEX for at in around)


def _found(facts: Facts, graph: Graph, buffers: Sequence[Buffer], line: Line) -> Found:
    operators = unique(ops.name(graph.nodes, at) for one in buffers for at in one.nodes)
    every = sum(not b.dropped and b.kind not in ("part", "joined") for b in facts.recording.buffers)
    calls = plural(len(buffers), "library call")
    evidence = Evidence(
        text=f"Inductor has no code for them: {listed(operators)}",
        tab="lowering",
        entity=f"node:{graph.id}:{buffers[0].nodes[0]}",
    )
    return Found(
        Finding(
            rule="complex-numbers",
            question="speed",
            sentence=(
                f"{facts.places.where(line)} computes with complex numbers, for which Inductor "
                f"generates no code: {listed(operators)} {'are' if len(operators) > 1 else 'is'} "
                f"{calls}, and nothing is fused with them."
            ),
            where=facts.places.where(line),
            entity=entity(line),
            evidence=(evidence,),
            grade="fill in",
            remedy=(
                "Compute with real and imaginary parts: as two tensors, or as the last dimension "
                "of `torch.view_as_real(z)`. Those are ordinary numbers, and fuse."
            ),
            code="re, im = torch.view_as_real(z).unbind(-1)",
            gain=_gain(facts, graph),
            cost=len(buffers) / max(1, every),
        ),
        line=line,
        about=frozenset({f"lowered:{graph.id}"}),
    )


def _gain(facts: Facts, graph: Graph) -> Gain | None:
    """The bytes moved, and without those of complex buffers between two kernels."""
    before = traffic.moved(facts, [graph.id])
    if not before:
        return None
    plans = traffic.plans_of(facts.recording, [graph.id])
    between = sum(_between(facts.recording, plan) for plan in plans)
    how = "counted: complex results between two kernels are then never in memory"
    return Gain(metric="bytes", before=before, after=before - between, how=how) if between else None


def _between(recording: Recording, plan: MemoryPlan) -> int:
    """The bytes of complex results that are written and read, and need not be.

    Those of a transform stay complex, and so does what one reads; one that is viewed as real parts
    becomes a tensor of them. A view of an input, or of real numbers, is read either way.
    """
    operations = recording.schedules[plan.schedule].operations
    sizes = {
        one.name: one.bytes or 0
        for one in plan.buffers
        if one.role == "buffer" and one.dtype.startswith("complex")
    }
    makers = _makers(operations)
    keeps = ("view_as_real", "fft")
    stays = {name for one in operations if any(k in one.call for k in keeps) for name in one.reads}
    for name in (name for name in makers if name in sizes):  # in the order of the code
        maker = makers[name]  # of a transform, and views of that or of what is no such result
        gone = sizes.keys() - stays
        if "fft" in maker.call or (is_view(maker.call) and gone.isdisjoint(maker.reads)):
            stays.add(name)
    total = 0
    for step in plan.steps:
        done = [operations[at] for at in step.operations if not is_view(operations[at].call)]
        made = {name for one in done for name in one.buffers}
        written = {name for name in sizes if name in makers and makers[name] in done}
        read = {name for one in done for name in one.reads} - made
        total += sum(sizes.get(name, 0) for name in (*written, *read) if name not in stays)
    return total


def _makers(operations: Sequence[Operation]) -> dict[str, Operation]:
    """What computes each buffer; of a result that stands apart, what it is a result of.

    Up to PyTorch 2.14 each result of the library does, since 2.15 only one of several.
    """
    makers: dict[str, Operation] = {}
    for one in operations:
        of = makers.get(one.reads[0]) if one.call.startswith("a result of ") else None
        makers.update(dict.fromkeys(one.buffers, of or one))
    return makers
