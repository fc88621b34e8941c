"""What gelu becomes: core ATen has it, Inductor a rule for it, and prims one more below."""

from msgspec.structs import replace

from dynamo_lab.model.decompositions import Call, Decompositions, Row, Rule, Step, Traced, Way
from dynamo_lab.model.recording import Recording

from .branch_and_print import branch_and_print

GELU = """\
@register_decomposition(aten.gelu)
def gelu(a: TensorLikeType, approximate: str = "none") -> TensorLikeType:
    kAlpha = M_SQRT1_2
    return a * 0.5 * (1 + torch.erf(a * kAlpha))
"""


def decomposed() -> Recording:
    """The guiding example, with what its operators became."""
    return replace(branch_and_print(), decompositions=_facts(graph=4))


def _facts(graph: int) -> Decompositions:
    here, stays, lost = Way(end="set"), Way(end="no rule"), Way(end="extern")
    return Decompositions(
        traced=(
            Traced(call=0, rule=0, graph=graph, nodes=(1,)),
            Traced(call=3, graph=graph, nodes=(2,)),
            Traced(call=3, graph=graph, nodes=()),
            Traced(call=4, graph=graph, nodes=(3,)),
        ),
        calls=(
            Call(
                operator="aten.gelu.default",
                arguments="f32[8, 8]",
                value="f32[8, 8]",
                ways=(here, Way(step=0), Way(step=0)),
            ),
            Call(
                operator="aten.mul.Tensor",
                arguments="f32[8, 8], 0.5",
                value="f32[8, 8]",
                ways=(here, here, Way(step=1)),
            ),
            Call(
                operator="aten.erf.default",
                arguments="f32[8, 8]",
                value="f32[8, 8]",
                ways=(here, here, Way(end="raised", reason="RuntimeError: no")),
            ),
            Call(
                operator="aten.add.Tensor",
                arguments="f32[8, 8], 1",
                value="f32[8, 8]",
                ways=(here, here, here),
            ),
            Call(
                operator="aten.sum.default",
                arguments="f32[8, 8]",
                value="f32[]",
                ways=(here, lost, stays),
            ),
            Call(
                operator="prims.mul.default",
                arguments="f32[8, 8], 0.5",
                value="f32[8, 8]",
                ways=(stays, here, here),
            ),
        ),
        steps=(
            Step(
                call=0,
                rule=0,
                inputs=("self",),
                rows=(
                    Row(call=1, name="mul", arguments="self, 0.5"),
                    Row(call=1, name="mul_1", arguments="self, 0.7071"),
                    Row(call=2, name="erf", arguments="mul_1"),
                ),
                returns="erf",
            ),
            Step(
                call=1,
                rule=1,
                inputs=("self", "other"),
                rows=(Row(call=5, name="mul", arguments="self, 0.5"),),
                returns="mul",
            ),
        ),
        rules=(
            Rule(
                kind="reference",
                name="gelu",
                file="torch/_refs/nn/functional/__init__.py",
                line=1100,
                text=GELU,
            ),
            Rule(kind="composite", name="aten.mul.Tensor"),
        ),
    )
