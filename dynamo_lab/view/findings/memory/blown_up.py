"""A tensor many times as large as what a graph reads and returns, made by repeating elements."""

from collections.abc import Iterator

from dynamo_lab.model.fusion.memory import MemoryBuffer, MemoryPlan
from dynamo_lab.model.graphs import NodeTable
from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import percent, size
from dynamo_lab.view.findings import ops
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of
from dynamo_lab.view.fusion import peaks

_TIMES = 4
_AT_LEAST = 1 << 20
"""Bytes below which nobody runs out of memory."""

_FIRST = (
    "Compute with the rows as they are, and repeat the result: what reads the repeated tensor "
    "needs it in memory, where an `expand` is mostly copied as well."
)
_WAYS = {
    "one_hot": (
        "multiplies by a matrix of zeros and ones",
        "Take the rows with an index: a product with a one-hot matrix only picks them.",
        "out = weight[index]",
    ),
    "linear": (
        "multiplies by a matrix of zeros and ones",
        "Take the columns of the weight with an index: a product with a one-hot matrix only picks "
        "them.",
        "out = weight.T[index]  # + bias, if there is one",
    ),
    "repeat": (
        "repeats a tensor in memory",
        _FIRST,
        "y = fn(x).repeat(n, 1)  # fn: what reads it, one row at a time",
    ),
    "repeat_interleave": (
        "repeats a tensor in memory",
        _FIRST,
        "y = fn(x).repeat_interleave(n, 0)  # fn: what reads it, one row at a time",
    ),
    "": (
        "broadcasts two tensors against each other",
        "Multiply out what follows, so that no step needs every pair (for distances: "
        "`torch.cdist`), or call the compiled function with parts of the first dimension: the "
        "parts of one graph may all be in memory at once.",
        "out = torch.cat([compiled(part) for part in x.split(size)])  # outside of it",
    ),
}
"""What a line does, what to do, and what to write, by the operator that repeats elements.

Of a one-hot matrix that `linear` reads, by that."""

_WAYS["tile"] = _WAYS["repeat"]


def find(facts: Facts) -> Iterator[Found]:
    """The largest such tensor of each plan."""
    for plan in facts.recording.memory_plans:
        large = _largest(plan) if peaks.is_known(plan) else None
        if large is not None:
            yield from _told(facts, plan, large)


def _largest(plan: MemoryPlan) -> MemoryBuffer | None:
    """The largest buffer that nobody outside sees, if it is that large."""
    inner = [b for b in plan.buffers if b.role == "buffer" and b.bytes]
    large = max(inner, key=lambda buffer: buffer.bytes or 0, default=None)
    needed = max(_AT_LEAST, _TIMES * peaks.exchanged(plan))
    return large if large is not None and (large.bytes or 0) >= needed else None


def _told(facts: Facts, plan: MemoryPlan, large: MemoryBuffer) -> Iterator[Found]:
    recording = facts.recording
    graph = recording.schedules[plan.schedule].graph
    made = [
        (graph, node) for buffer in recording.buffers
        if buffer.graph == graph and buffer.name == large.name for node in buffer.nodes
    ]  # fmt: skip
    cause = _repeater(facts, made)
    line = line_of(facts, [cause]) if cause else None
    if cause and line:
        yield _found(facts, plan, large, cause, line)


def _repeater(facts: Facts, made: list[NodeKey]) -> NodeKey | None:
    """The node of the program that makes many elements of few, by repeating them."""
    for graph, node in facts.ancestry.above(made):
        found = facts.recording.graphs[graph]
        if found.stage == "dynamo" and _repeats(facts, (graph, node)):
            return graph, node
    return None


def _repeats(facts: Facts, node: NodeKey) -> bool:
    graph, at = node
    table = facts.recording.graphs[graph].nodes
    inputs = [ops.value(table, one).bytes for one in table.inputs[at]]
    known = [count for count in inputs if count is not None]
    result = ops.value(table, at).bytes
    if not result or len(known) < len(inputs) or not known:
        return False
    if ops.is_written(table, at):  # each element needs a place of its own
        return False
    if ops.name(table, at) == "one_hot" and not _picking(table, at, facts.readers(graph)):
        return False
    is_pair = ops.name(table, at) in ("add", "sub", "mul", "div", "truediv", "maximum", "minimum")
    return (is_pair or ops.name(table, at) in _WAYS) and result >= _TIMES * sum(known)


_CASTS = ("to", "float", "double", "half", "bfloat16", "type", "type_as")
_PRODUCTS = ("matmul", "mm", "bmm", "linear")


def _picking(table: NodeTable, at: int, readers: ops.Readers) -> frozenset[str]:
    """The products of which a one-hot matrix is a first factor, as it is or as another type.

    None where anything else reads it: as the second factor it adds columns up, those of one index
    together.
    """
    found = frozenset[str]()
    for reader in readers[at]:
        name = ops.name(table, reader)
        picks = name in _PRODUCTS and table.inputs[reader].index(at) == 0
        of_cast = _picking(table, reader, readers) if name in _CASTS else frozenset[str]()
        if not picks and not of_cast:
            return frozenset()
        found |= {name} if picks else of_cast
    return found


def _way(facts: Facts, node: NodeKey) -> str:
    table = facts.recording.graphs[node[0]].nodes
    name = ops.name(table, node[1])
    if name != "one_hot":
        return name
    return "linear" if "linear" in _picking(table, node[1], facts.readers(node[0])) else name


def _found(
    facts: Facts, plan: MemoryPlan, large: MemoryBuffer, cause: NodeKey, line: Line
) -> Found:
    does, remedy, code = _WAYS.get(_way(facts, cause), _WAYS[""])
    peak = peaks.peak_of(facts.recording, plan).bytes
    after = peaks.peak_without(facts.recording, plan, [large.name])
    held, around = large.bytes or 0, peaks.exchanged(plan)
    where = facts.places.where(line)
    finding = Finding(
        rule="blown-up-tensor",
        question="memory",
        sentence=(
            f"{where} {does}: {size(held)} are stored, {held // max(1, around):,} times what the "
            f"graph reads and returns, and {percent(held / max(1, peak))} of its planned peak."
        ),
        where=where,
        entity=entity(line),
        evidence=(
            Evidence(
                text=f"{large.name} takes {size(held)}",
                tab="fusion",
                entity=f"node:{cause[0]}:{cause[1]}",
            ),
        ),
        grade="fill in",
        remedy=remedy,
        code=code,
        gain=Gain(
            metric="bytes",
            before=peak,
            after=after,
            how="replayed: the plan of memory without this tensor",
        ),
        cost=min(1.0, held / max(1, peak)),
    )
    return Found(finding, line=line, about=frozenset({f"node:{cause[0]}:{cause[1]}"}))
