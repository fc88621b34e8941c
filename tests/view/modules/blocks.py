"""A model of four blocks, one of which may differ; a module that two lines call; a break."""

from msgspec.structs import replace

from dynamo_lab.model.benchmarks import Benchmark, KernelTime, Way
from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Attempt, Frame
from dynamo_lab.model.graphs import Graph, Stage
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.recording import Recording
from tests.view.samples.table import Table, graph

TEXT = """\
class Block(nn.Module):
    def forward(self, x):
        return x + self.act(self.lin(x))

class Net(nn.Module):
    def forward(self, x):
        x = self.shared(x)
        for layer in self.layers:
            x = layer(x)
        x = self.shared(x)
        return self.tail(x)

class Tail(nn.Module):
    def forward(self, x):
        print(x)
        return x
"""
_TYPES = {
    "shared": "Linear",
    **{f"layers.{at}": "Block" for at in range(4)},
    **{f"layers.{at}.lin": "Linear" for at in range(4)},
}


def _graph(number: int, stage: Stage, other: int) -> Graph:
    """The calls of the model, in one form or the other."""
    names = ("torch.linear", "torch.add") if stage == "dynamo" else ("aten.addmm", "aten.add")
    matrix, add = (f"{name}{'.default' * (stage != 'dynamo')}" for name in names)
    table = Table()
    x = table.input("x")
    x = table.node("first", matrix, x, stack=0, module="shared")
    for at in range(4):
        y = table.node(f"lin_{at}", matrix, x, stack=1, module=f"layers.{at}.lin")
        act = "gelu" if at == other else "relu"
        target = f"torch.{act}" if stage == "dynamo" else f"aten.{act}.default"
        z = table.node(f"{act}_{at}", target, y, stack=1, module=f"layers.{at}.act")
        x = table.node(f"add_{at}", add, x, z, stack=1, module=f"layers.{at}")
    x = table.node("last", matrix, x, stack=2, module="shared")
    table.output(x)
    made = graph(number, table, stage)
    traced = tuple(0.001 for _ in range(len(made.nodes))) if stage == "dynamo" else ()
    acts = {f"layers.{at}.act": "GELU" if at == other else "ReLU" for at in range(4)}
    return replace(made, nodes=replace(made.nodes, module_types=_TYPES | acts), traced=traced)


def _kernel(id: int, *nodes: int) -> Kernel:
    return Kernel(id=id, name=f"k{id}", language="cpp", graph=1, wrapper=None, nodes=nodes)


KERNELS = (
    (1,),  # shared
    (2, 3, 4),  # block 0
    (5, 6, 7, 8, 9, 10),  # blocks 1 and 2, fused
    (11, 12, 13),  # block 3
    (14,),  # shared again
)
"""The nodes of each kernel."""


def blocks(*, timed: bool = True, other: int = 2) -> Recording:
    """The recording; `other` is the block with another activation, -1 for none."""
    kernels = tuple(_kernel(at, *nodes) for at, nodes in enumerate(KERNELS))
    times = tuple(
        KernelTime(kernel=at, way=0, phase="forward", warm=((at + 1) * 1e-6,) * 3)
        for at in range(len(kernels))
    )
    benchmark = Benchmark(title="net", ways=(Way(name="inductor", kind="compiled"),), kernels=times)
    spans = (
        Span(0, 6, "forward"),
        Span(0, 7, "forward"),
        Span(0, 9, "forward"),
        Span(0, 3, "forward"),
        Span(0, 10, "forward"),
        Span(0, 11, "forward", 15, 11, 27),
        Span(0, 15, "forward", 8, 15, 16),
    )
    pairs = tuple((at, at) for at in range(1, 15))
    return Recording(
        title="net",
        sources=(Source("model.py", "user", (Excerpt(1, TEXT),)),),
        spans=spans,
        stacks=((1,), (2, 3), (4,), (5, 6)),
        frames=(
            Frame(
                id=0,
                name="Net.forward",
                span=0,
                outcome="compiled",
                attempts=(Attempt(compile_id="0/0", restart=0, outcome="compiled", graph=0),),
            ),
        ),
        graphs=(_graph(0, "dynamo", other), _graph(1, "post_grad", other)),
        links=(LinkTable(upstream=0, downstream=1, reason="made", pairs=pairs),),
        kernels=kernels,
        breaks=(
            Break(
                id=0,
                frame=0,
                compile_id="0/0",
                span=5,
                effect="resumed",
                gb_type="Call",
                reason="a print",
                stack=3,
                graph_before=0,
            ),
        ),
        benchmark=benchmark if timed else None,
        seconds=1.0,
    )
