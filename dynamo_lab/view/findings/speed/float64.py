"""float64 by accident: one operand makes a program of smaller numbers compute in float64."""

from collections.abc import Iterator

from dynamo_lab.model.graphs import Graph, NodeTable
from dynamo_lab.view.core.names import input_name
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import percent, size
from dynamo_lab.view.findings import ops, traffic
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of

_SMALLER = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
_ASKED = ("float64", "torch.double")


def find(facts: Facts) -> Iterator[Found]:
    """The first line of each graph at which float64 meets smaller numbers and wins.

    Code that was compiled again is not told again.
    """
    told = set[Line]()
    for graph in facts.recording.captured_graphs():
        for at in ops.calls(graph.nodes):
            line = _promoted(graph.nodes, at) and line_of(facts, [(graph.id, at)])
            if not line:
                continue
            if line not in told:
                yield _found(facts, graph, at, line)
            told.add(line)
            break


def _promoted(table: NodeTable, at: int) -> bool:
    """Whether a node makes float64 of a smaller type, for an operand that nobody asked for.

    What is written to a tensor takes its type: float64 in a sum of float32 is there on purpose.
    """
    if ops.writes(table, at):
        return False
    inputs = [one for one in table.inputs[at] if ops.value(table, one).shape]
    types = {ops.value(table, one).dtype for one in inputs}
    if ops.value(table, at).dtype != "f64" or not types.intersection(_SMALLER):
        return False
    wide = [one for one in inputs if ops.value(table, one).dtype == "f64"]
    return bool(wide) and not any(_asked(table, one) for one in wide)


def _asked(table: NodeTable, start: int) -> bool:
    """Whether the program names float64 where an operand comes from."""
    waiting, seen = [start], {start}
    while waiting:
        at = waiting.pop()
        if ops.name(table, at) == "double" or any(w in table.arguments[at] for w in _ASKED):
            return True
        fresh = {i for i in table.inputs[at] if ops.value(table, i).dtype == "f64"} - seen
        seen |= fresh
        waiting += fresh
    return False


def _found(facts: Facts, graph: Graph, at: int, line: Line) -> Found:
    table, places = graph.nodes, facts.places
    wide = next(one for one in table.inputs[at] if ops.value(table, one).dtype == "f64")
    small = next(one for one in table.inputs[at] if ops.value(table, one).dtype in _SMALLER)
    after = [node for node in ops.calls(table) if node >= at]
    doubled = ops.total(table, (n for n in after if ops.value(table, n).dtype == "f64"))
    every = ops.total(table, ops.calls(table)) or 1
    origin = _origin(facts, graph, wide)
    kind = _SMALLER[ops.value(table, small).dtype]
    gain = _gain(facts, graph)
    return Found(
        Finding(
            rule="float64",
            question="speed",
            sentence=(
                f"{places.where(line)} computes in float64{_how_far(table, at)}: {origin} is "
                f"float64, and PyTorch promotes the {kind} operand to it. Each number takes "
                f"{'twice' if kind == 'float32' else '4 times'} the bytes, in "
                f"{percent(doubled / every)} of what is computed."
            ),
            where=places.where(line),
            entity=entity(line),
            evidence=(
                Evidence(
                    text=f"{size(doubled)} of results are float64",
                    tab="graphs",
                    entity=f"node:{graph.id}:{at}",
                ),
            ),
            grade="may change meaning",
            remedy=(
                f"Convert {origin} to the other operand's type where it is made. The result is "
                f"then {kind}, as without it."
            ),
            code=_code(table, wide, kind),
            gain=gain,
            cost=1 - gain.after / gain.before if gain else doubled / every,
        ),
        line=line,
        about=frozenset({f"node:{graph.id}:{at}"}),
    )


def _how_far(table: NodeTable, start: int) -> str:
    """Whether all that follows from it is float64 too, as far as it computes with such numbers."""
    reached = {start}
    for at in range(start + 1, len(table)):
        if reached.intersection(table.inputs[at]):
            if ops.value(table, at).dtype in _SMALLER:
                return ""
            reached.add(at)
    return " from here on"


def _code(table: NodeTable, wide: int, kind: str) -> str:
    """What to write for what comes from outside; what is made inside has no name here.

    None where the program writes to it: to a copy, that would not reach whoever passed it.
    """
    if table.strings[table.op[wide]] != "placeholder" or ops.is_written(table, wide):
        return ""
    name = input_name(table, wide)
    return f"{name} = {name}.to(torch.{kind})"


def _origin(facts: Facts, graph: Graph, start: int) -> str:
    """Where an operand became float64: its line, or what comes from outside."""
    table, at = graph.nodes, start
    while parents := [i for i in table.inputs[at] if ops.value(table, i).dtype == "f64"]:
        at = parents[0]
    if table.strings[table.op[at]] == "placeholder":
        return "an array or tensor from outside the compiled code"
    line = line_of(facts, [(graph.id, at)])
    return f"what {facts.places.where(line)} makes" if line else f"`{table.name[at]}`"


def _gain(facts: Facts, graph: Graph) -> Gain | None:
    """The bytes that kernels move, and the same with what they make at half the width."""
    lowered = [g.id for g in ops.lowered_graphs(facts.recording.graphs, graph.compile_id)]
    before = traffic.moved(facts, lowered)
    if not before:
        return None
    wide = sum(
        buffer.bytes or 0
        for plan in traffic.plans_of(facts.recording, lowered)
        for buffer in traffic.accesses(facts.recording, plan)
        if buffer.dtype == "float64"
    )
    how = "counted: each float64 buffer takes half, each time that a kernel touches it"
    return Gain(metric="bytes", before=before, after=before - wide / 2, how=how) if wide else None
