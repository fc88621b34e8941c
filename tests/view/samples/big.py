"""A program of any size."""

from typing import TYPE_CHECKING

from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.core.sources import Excerpt, Source, Span, Stack
from dynamo_lab.model.frames import Attempt, Frame
from dynamo_lab.model.kernels import Kernel, Wrapper
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import Timing

from .table import KERNEL_CODE, Table, code, graph

if TYPE_CHECKING:
    from dynamo_lab.model.graphs import Graph


def big(nodes: int = 5000) -> Recording:
    """A deep model: `nodes` operators in nested modules, four stages, a kernel per ten nodes."""
    text = "\n".join(f"    x = self.step_{i}(x)  # line {i + 1}" for i in range(400))
    spans = tuple(Span(0, 1 + i, "forward", 8, 1 + i, 20) for i in range(400))
    stacks: tuple[Stack, ...] = tuple((0, i) for i in range(1, 400))
    targets = ("aten.mm.default", "aten.add.Tensor", "aten.gelu.default", "aten.mul.Tensor")
    graphs: list[Graph] = []
    for number, stage in enumerate(("dynamo", "joint", "forward", "post_grad")):
        table = Table()
        last = table.input("x")
        for i in range(nodes):
            layer = i * 48 // nodes
            part = ("attn.query", "attn.key", "attn.value", "mlp.up", "mlp.down", "norm")[i % 6]
            last = table.node(
                f"n_{i}",
                targets[i % 4],
                *{last, max(0, last - 7)},
                stack=i % 399,
                module=f"L['self'].layers.{layer}.{part}",
            )
        table.output(last)
        graphs.append(graph(number, table, stage))  # pyright: ignore[reportArgumentType]
    pairs = tuple((i, i) for i in range(nodes + 2))
    return Recording(
        title="big",
        sources=(Source("/home/me/big.py", "user", (Excerpt(1, text),)),),
        spans=spans,
        stacks=stacks,
        frames=(
            Frame(
                id=0,
                name="forward",
                span=0,
                outcome="compiled",
                bytecode=code(*(("LOAD_FAST", "x", i + 1) for i in range(400))),
                attempts=(Attempt(compile_id="0/0", restart=0, outcome="compiled", graph=0),),
            ),
        ),
        graphs=tuple(graphs),
        kernels=tuple(
            Kernel(
                id=i,
                name=f"cpp_fused_{i}",
                language="cpp",
                graph=3,
                wrapper=0,
                nodes=tuple(range(1 + 10 * i, 11 + 10 * i)),
                code=KERNEL_CODE,
            )
            for i in range(nodes // 10)
        ),
        wrappers=(
            Wrapper(id=0, graph=3, compile_id="0/0", is_backward=False, code="import torch"),
        ),
        links=tuple(
            LinkTable(upstream=i, downstream=i + 1, reason="traced", pairs=pairs) for i in range(3)
        ),
        timings=tuple(
            Timing(f"pass.{i}", 0.01 * i, 0.009, -1 if i % 20 == 0 else i // 20 * 20)
            for i in range(400)
        ),
    )
