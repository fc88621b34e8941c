"""Three calls of attention: one that became a kernel, one by hand, and one composed of others."""

from dynamo_lab.model.attention.calls import Attention, Operand, Problem
from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.passes import Match, NodeText, Pass, Pattern, Pipeline
from dynamo_lab.model.recording import Recording
from tests.view.samples.table import Table, graph

CELL = """\
a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
b = torch.softmax(q @ k.mT / 8, -1) @ v
c = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1)"""

FLASH = "aten._scaled_dot_product_flash_attention_for_cpu.default"
SDPA = "torch.scaled_dot_product_attention"
BY_HAND = NodeText("by_hand", "call_function", FLASH, "")
LINKED = ((3, 3), (4, 4), (5, 5), (5, 6))


def operand(*shape: int, dtype: str = "f16") -> Operand:
    stride = [1]
    for size in reversed(shape[1:]):
        stride.insert(0, stride[0] * size)
    return Operand(dtype=dtype, shape=shape, stride=tuple(stride))


def problem(**changes: object) -> Problem:
    heads = operand(2, 8, 128, 64)
    given: dict[str, object] = {"query": heads, "key": heads, "value": heads, **changes}
    return Problem(**given)  # pyright: ignore[reportArgumentType]


def attending() -> Recording:
    """As it is on a CPU, in half precision."""
    masked = problem(mask=operand(128, 128, dtype="b8"))
    return Recording(
        title="attending",
        sources=(Source("<ipython-input-6-abc>", "cell", (Excerpt(1, CELL),)),),
        spans=tuple(Span(0, line, "cell") for line in (1, 2, 3)),
        stacks=((0,), (1,), (2,)),
        frames=(Frame(id=0, name="<cell>", span=0, outcome="compiled"),),
        graphs=(graph(0, _captured()), graph(1, _generated(), "post_grad")),
        links=(LinkTable(upstream=0, downstream=1, reason="made from", pairs=LINKED),),
        pipelines=(Pipeline(id=0, phase="joint", compile_id="0/0", graphs={"": 0}, end=1),),
        passes=(
            Pass(
                id=0, pipeline=0, name="pass_pattern_0",
                matches=(Match(pattern=0, after=(BY_HAND,)),),
            ),
        ),
        patterns=(Pattern(name="_sfdp_pattern_1", kind="replacement"),),
        attentions=(
            Attention(graph=0, node=3, kind="sdpa", device="cpu", problem=masked),
            Attention(graph=0, node=5, kind="sdpa", device="cpu", problem=problem(dropout=0.1)),
            Attention(graph=1, node=3, kind="fused", device="cpu", problem=masked),
            Attention(graph=1, node=4, kind="fused", device="cpu", problem=problem(grad=None)),
        ),
        environment=Environment(torch="2.13.0"),
    )  # fmt: skip


def _captured() -> Table:
    table = Table()
    inputs = [table.input(name) for name in "qkv"]
    table.node("masked", SDPA, *inputs, stack=0)
    table.node("product", "operator.matmul", *inputs, stack=1)
    table.node("dropped", SDPA, *inputs, stack=2, module="layers.0.attention")
    table.output(3, 4, 5)
    return table


def _generated() -> Table:
    table = Table()
    inputs = [table.input(name) for name in "qkv"]
    table.node("masked", FLASH, *inputs, stack=0)
    table.node("by_hand", FLASH, *inputs, stack=1)
    table.node("bmm", "aten.bmm.default", *inputs[:2], stack=2)
    table.node("bmm_1", "aten.bmm.default", 5, 2, stack=2)
    table.output(3, 4, 6)
    return table
