"""A block of a transformer, compiled: the program that `measured` measures."""

from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.core.sources import Excerpt, Source, Span, Stack
from dynamo_lab.model.frames import Attempt, Frame
from dynamo_lab.model.kernels import Kernel, Wrapper
from dynamo_lab.model.recording import Recording

from .table import KERNEL_CODE, Table, code, graph

BLOCK = """\
def block(x):
    h = norm(x)
    h = up(h)
    h = F.gelu(h, approximate="tanh")
    h = down(h)
    x = x + h
    scale = x.amax() + 1
    return torch.softmax(x / scale, -1).T.contiguous()"""
KERNELS = (
    # name, language, nodes, backward, calls, warm and cold microseconds
    ("cpp_fused_native_layer_norm_0", "cpp", (1,), False, 1, 22, 41),
    ("extern_kernels.addmm", "extern", (2,), False, 1, 118, 131),
    ("cpp_fused_gelu_1", "cpp", (3,), False, 1, 14, 24),
    ("extern_kernels.addmm_1", "extern", (4,), False, 1, 116, 134),
    ("cpp_fused_add_amax_2", "cpp", (5, 6, 7), False, 1, 19, 30),
    ("cpp_fused__softmax_div_3", "cpp", (8, 9), False, 1, 21, 33),
    ("cpp_fused_clone_4", "cpp", (10,), False, 1, 17, 27),
    ("cpp_fused_gelu_backward_5", "cpp", (1, 2), True, 1, 33, 51),
    ("cpp_fused_sum_6", "cpp", (3,), True, 4, 11, 3.1),
)


def block() -> Recording:
    spans = tuple(Span(0, line, "block", 4, line, 20) for line in range(1, 9))
    stacks: tuple[Stack, ...] = tuple((at,) for at in range(8))
    return Recording(
        title="block",
        sources=(Source("/home/me/block.py", "user", (Excerpt(1, BLOCK),)),),
        spans=spans,
        stacks=stacks,
        frames=(
            Frame(
                id=0,
                name="block",
                span=0,
                outcome="compiled",
                bytecode=code(*(("LOAD_FAST", "x", line) for line in range(2, 9))),
                attempts=(
                    Attempt(compile_id="0/0", restart=0, outcome="compiled", graph=0, seconds=11.3),
                ),
            ),
        ),
        graphs=(
            graph(0, _captured()),
            graph(1, _post_grad(), "post_grad"),
            graph(2, _backward(), "post_grad", backward=True),
        ),
        kernels=tuple(
            Kernel(
                id=at,
                name=name.removesuffix("_1") if language == "extern" else name,
                language=language,  # pyright: ignore[reportArgumentType]
                graph=2 if backward else 1,
                wrapper=1 if backward else 0,
                nodes=nodes,
                code="" if language == "extern" else KERNEL_CODE,
                calls=calls,
            )
            for at, (name, language, nodes, backward, calls, _, _) in enumerate(KERNELS)
        ),
        wrappers=(
            Wrapper(id=0, graph=1, compile_id="0/0", is_backward=False, code="import torch\n"),
            Wrapper(id=1, graph=2, compile_id="0/0", is_backward=True, code="import torch\n"),
        ),
        links=(
            LinkTable(
                upstream=0,
                downstream=1,
                reason="traced",
                pairs=tuple((node, node) for node in range(11)),
            ),
            LinkTable(upstream=0, downstream=2, reason="traced", pairs=((3, 1), (3, 2), (5, 3))),
        ),
    )


_NODES = (
    # name, what is called in the captured graph and after decomposition, line
    ("layer_norm", "torch.nn.functional.layer_norm", "aten.native_layer_norm.default", 2),
    ("linear", "torch._C._nn.linear", "aten.addmm.default", 3),
    ("gelu", "torch.nn.functional.gelu", "aten.gelu.default", 4),
    ("linear_1", "torch._C._nn.linear", "aten.addmm.default", 5),
    ("add", "operator.add", "aten.add.Tensor", 6),
    ("amax", "amax", "aten.amax.default", 7),
    ("scale", "operator.add", "aten.add.Tensor", 7),
    ("truediv", "operator.truediv", "aten.div.Tensor", 8),
    ("softmax", "torch.softmax", "aten._softmax.default", 8),
    ("contiguous", "contiguous", "aten.clone.default", 8),
)


def _captured() -> Table:
    table = Table()
    last = table.input("x")
    for name, called, _, line in _NODES:
        last = table.node(name, called, last, stack=line - 1)
    table.output(last)
    return table


def _post_grad() -> Table:
    table = Table()
    last = table.input("x")
    for name, _, called, line in _NODES:
        last = table.node(name, called, last, stack=line - 1)
    table.output(last)
    return table


def _backward() -> Table:
    table = Table()
    last = table.input("tangents_1")
    last = table.node("gelu_backward", "aten.gelu_backward.default", last)
    last = table.node("mul", "aten.mul.Tensor", last)
    last = table.node("sum_1", "aten.sum.dim_IntList", last)
    table.output(last)
    return table
