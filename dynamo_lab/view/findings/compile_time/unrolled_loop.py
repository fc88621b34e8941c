"""A Python loop that Dynamo unrolled: its body is compiled once for each time it ran."""

from collections.abc import Iterator
from typing import NamedTuple

from dynamo_lab.model.core.sources import Span
from dynamo_lab.model.frames import Loop
from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import percent, plural
from dynamo_lab.view.findings import ops
from dynamo_lab.view.findings.compile_time import seconds
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found

_LEAST_TIMES, _LEAST_NODES, _LEAST_SHARE = 16, 32, 0.5
SCAN = """\
from torch._higher_order_ops import scan

torch._dynamo.config.capture_scalar_outputs = True  # Inductor compiles no scan without it

def step(carry, x):  # the body of the loop
    carry = ...
    return carry, carry.clone()

carry, all_of_them = scan(step, init, xs)"""

_YOURS = (
    "If the steps do not need each other, compute them at once, on one tensor with a "
    "dimension more. If each needs the one before, let scan or while_loop run the loop: "
    "its body is then compiled once. Or keep the loop outside of the compiled function. "
    "Both make a call slower where the steps are short: no step is fused with the next. "
    "scan and while_loop are prototypes of PyTorch, which refuse some programs; Inductor "
    "compiles scan only with `capture_scalar_outputs`."
)
_LIBRARY_S = (
    "The loop is a library's, whose lines are not yours to change. Where compiling takes too long, "
    "leave what runs the loop to Python, with `torch.compiler.disable` around the call."
)
_OPTIMIZER_S = (
    "The loop is the optimizer's, over the parameters. Made with `foreach=True` it computes on "
    "lists of them, and far fewer nodes are traced. Adam and AdamW then take a tensor as their "
    "learning rate only with `capturable=True`, which is for GPUs."
)
_FOREACH = "optimizer = torch.optim.AdamW(model.parameters(), foreach=True)  # for example"


class _Unrolled(NamedTuple):
    loop: Loop
    span: Span
    nodes: frozenset[NodeKey]
    share: float


def find(facts: Facts) -> Iterator[Found]:
    """Loops that make up most of a graph, the outermost of nested ones, each line once."""
    known: set[Line] = set()
    taken: set[NodeKey] = set()
    by_size = sorted(_unrolled(facts), key=lambda one: (-len(one.nodes), -one.loop.times))
    for one in by_size:
        line = _line(one, facts)
        if line not in known and not taken & one.nodes:
            known.add(line)
            taken |= one.nodes
            yield Found(_finding(one, line, facts), line=line)


def _unrolled(facts: Facts) -> Iterator[_Unrolled]:
    recording = facts.recording
    for loop in recording.unrolled:
        if loop.times < _LEAST_TIMES:
            continue
        span = recording.spans[loop.span]
        operators = list(ops.calls(recording.graphs[loop.graph].nodes))
        inside = _inside(span, loop.graph, operators, facts)
        share = len(inside) / max(1, len(operators))
        is_large = len(inside) >= max(_LEAST_NODES, loop.times) and share >= _LEAST_SHARE
        if is_large and not _is_over_modules(loop, inside, facts):
            yield _Unrolled(loop, span, frozenset((loop.graph, at) for at in inside), share)


def _inside(span: Span, graph: int, nodes: list[int], facts: Facts) -> list[int]:
    """The nodes that came about on the loop's lines, or in what is called there."""
    stacks = facts.recording.graphs[graph].nodes.stack
    within = {at for at in {stacks[node] for node in nodes} if at >= 0 and _passes(span, at, facts)}
    return [node for node in nodes if stacks[node] in within]


def _passes(loop: Span, stack: int, facts: Facts) -> bool:
    spans = (facts.recording.spans[at] for at in facts.places.stack_spans[stack])
    return any(
        span.source == loop.source
        and span.function == loop.function
        and loop.line <= span.line <= loop.end_line
        for span in spans
    )


def _is_over_modules(loop: Loop, nodes: list[int], facts: Facts) -> bool:
    """Each time another module: what repeats is then a block, not a loop's body."""
    table = facts.recording.graphs[loop.graph].nodes
    paths = {table.module[node] for node in nodes if table.strings[table.module[node]]}
    return len(paths) >= loop.times


def _line(one: _Unrolled, facts: Facts) -> Line:
    """The loop's header, or the reader's line from which a library's loop is reached, if any."""
    header = (one.span.source, one.span.line)
    if not facts.places.is_library(header):
        return header
    graph, node = min(one.nodes)
    own = facts.places.own_line(facts.recording.graphs[graph].nodes.stack[node])
    return header if own is None or facts.places.is_library(own) else own


def _mending(one: _Unrolled, facts: Facts) -> tuple[str, str]:
    """What to do about the loop, and the code; nobody rewrites a library's."""
    if not facts.places.is_library((one.span.source, one.span.line)):
        return _YOURS, SCAN
    is_of_optimizer = one.span.function.startswith("_single_tensor_")
    return (_OPTIMIZER_S, _FOREACH) if is_of_optimizer else (_LIBRARY_S, "")


def _everywhere(one: _Unrolled, facts: Facts) -> set[NodeKey]:
    """The loop's nodes, and those that they became in later graphs."""
    found = set(one.nodes)
    for graph in facts.recording.graphs:
        if graph.stage == "post_grad":
            nodes = _inside(one.span, graph.id, list(range(len(graph.nodes))), facts)
            found |= {(graph.id, node) for node in nodes}
    return found


def _finding(one: _Unrolled, line: Line, facts: Facts) -> Finding:
    recording, places = facts.recording, facts.places
    header = (one.span.source, one.span.line)
    reached = "" if header == line else f", reached from {places.where(line)},"
    times = f"{one.loop.times:,} times" if one.loop.exact else f"at least {one.loop.times:,} times"
    remedy, code = _mending(one, facts)
    is_own = code == SCAN
    everywhere = _everywhere(one, facts)
    kernels = sum(
        any((kernel.graph, node) in everywhere for node in kernel.nodes)
        for kernel in recording.kernels
    )
    made = plural(len(one.nodes), "node") + (f", {plural(kernels, 'kernel')}" if kernels else "")
    return Finding(
        rule="unrolled-loop",
        question="compile_time",
        sentence=(
            f"The loop at {places.where(header)}{reached} was unrolled {times}: {made}, "
            f"{percent(one.share)} of its graph. Each of them is traced and compiled by itself."
        ),
        where=places.where(line),
        entity=entity(line),
        evidence=(
            Evidence(text=f"{made} of the loop", tab="graphs", entity=f"graph:{one.loop.graph}"),
            Evidence(text="the seconds of its lines", tab="timeline", entity=entity(line)),
        ),
        grade="fill in",
        remedy=remedy,
        code=code,
        gain=seconds.of_repeats(facts, everywhere, one.share, one.loop.times) if is_own else None,
        cost=one.share * (1 - 1 / one.loop.times),
    )
