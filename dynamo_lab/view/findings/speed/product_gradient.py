"""Gradients of products, for which eager looks at the numbers and compiled code cannot."""

import re
from collections.abc import Iterator

from dynamo_lab.model.autograd import Differentiated
from dynamo_lab.model.graphs import NodeTable
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import plural, seconds
from dynamo_lab.view.findings import ops
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.findings.lines import line_of
from dynamo_lab.view.findings.speed.measured import Timed, compiled_ways

_SHORT = {
    "aten.cumprod": """\
class Cumprod(torch.autograd.Function):  # for factors that are never 0
    @staticmethod
    def forward(ctx, x, dim):
        out = x.cumprod(dim)
        ctx.save_for_backward(x, out)
        ctx.dim = dim
        return out

    @staticmethod
    def backward(ctx, gradient):
        x, out = ctx.saved_tensors
        dim = ctx.dim
        return (gradient * out).flip(dim).cumsum(dim).flip(dim) / x, None

""",
    "aten.prod": """\
class Prod(torch.autograd.Function):  # for factors that are never 0
    @staticmethod
    def forward(ctx, x, dim):
        out = x.prod(dim, keepdim=True)
        ctx.save_for_backward(x, out)
        return out

    @staticmethod
    def backward(ctx, gradient):
        x, out = ctx.saved_tensors
        return gradient * out / x, None

""",
}
"""What eager computes where no factor is 0, for real numbers.

Source: `prod_backward` in torch/csrc/autograd/FunctionsManual.cpp, `cumprod_backward` in
aten/src/ATen/native/ReduceOps.cpp: both ask the data, unless they are traced.
"""


def find(facts: Facts) -> Iterator[Found]:
    """Each line with a product whose gradient was traced for factors that may be 0."""
    known: set[Line] = set()
    slower = _slower_step(facts)
    for part in facts.recording.partitions:
        for one in part.differentiated if part.joint is not None else ():
            table = facts.recording.graphs[part.joint or 0].nodes
            line = _is_for_any(one, table) and line_of(facts, [(part.joint or 0, one.backward[0])])
            if line and line not in known:
                known.add(line)
                yield _found(facts, part.joint or 0, one, line, slower)


def _slower_step(facts: Facts) -> Timed | None:
    """A compiled training step that a benchmark told apart from eager's as slower."""
    found = facts.recording.benchmark
    ways = compiled_ways(found) if found is not None else ()
    steps = (one for one in ways if one.phase == "step" and one.ratio.differs)
    return next((one for one in steps if one.ratio.value < 1), None)


def _is_for_any(one: Differentiated, table: NodeTable) -> bool:
    """Whether a gradient allows for zeros: without them, no product is computed again."""
    return one.operator in _SHORT and any(ops.name(table, at) == "cumprod" for at in one.backward)


def _found(
    facts: Facts, joint: int, one: Differentiated, line: Line, slower: Timed | None
) -> Found:
    name, where = one.operator.removeprefix("aten."), facts.places.where(line)
    measured = (
        f"Compiled code cannot look: a training step takes {seconds(slower.compiled.median)}, "
        f"eager's {seconds(slower.eager.median)}."
        if slower
        else "Compiled code cannot look, and may so be slower than eager; only measuring tells."
    )
    condition = (
        "If no factor is ever 0"
        if slower
        else "Measure it with `lab.bench`, on an idle machine. If it is slower, and no factor is "
        "ever 0"
    )
    finding = Finding(
        rule="product-gradient",
        question="speed",
        level="problem" if slower else "note",
        sentence=(
            f"{where}: the gradient of `{name}` is compiled for factors that may be 0. Eager looks "
            f"at the numbers first, and takes a shorter formula if none is 0. {measured}"
        ),
        where=where,
        entity=entity(line),
        evidence=(
            Evidence(
                text=f"{plural(len(one.backward), 'operator')} of the gradient of `{name}`",
                tab="graphs",
                entity=f"node:{joint}:{one.backward[0]}",
            ),
        ),
        grade="may change meaning",
        remedy=(
            f"{condition}, write the short formula as a function with a gradient of its own: it "
            "gives NaN or infinity where a factor is 0."
        ),
        code=_SHORT[one.operator] + call_of(facts.recording.graphs[joint].nodes, one),
        cost=1 - slower.ratio.value if slower else 0.0,
    )
    return Found(finding, line=line)


_ARGUMENTS = re.compile(
    r"^[^,]+(?:, (?:dim=)?(?P<dim>-?\w+)(?=,|$))?(?:, (?:keepdim=)?(?P<kept>True|False))?"
)


def call_of(table: NodeTable, one: Differentiated) -> str:
    """The call of the short formula, with the dimension that the program's own call has.

    Where that call is not among the nodes, the dimension is left to fill in.
    """
    wanted = one.operator.removeprefix("aten.")
    at = next((at for at in one.forward if ops.name(table, at) == wanted), None)
    found = _ARGUMENTS.match(table.arguments[at].strip("()")) if at is not None else None
    dim = found["dim"] if found else "dim"
    if wanted == "cumprod":
        return f"Cumprod.apply(x, {dim or 'dim'})"
    if found is None:
        return "Prod.apply(x, dim)  # and .squeeze(dim), without keepdim=True"
    if dim is None:
        return "Prod.apply(x.flatten(), 0).squeeze(0)"
    return f"Prod.apply(x, {dim})" + ("" if found["kept"] == "True" else f".squeeze({dim})")
