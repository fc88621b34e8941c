"""Operators that hold programs, and operators that people write."""

from tests.matrix.row import Row, bodies, calls, partly, shown

_DOCS = "https://docs.pytorch.org/docs/stable"
_HIGHER = "https://github.com/pytorch/pytorch/tree/main/torch/_higher_order_ops"

OPERATORS = (
    Row(
        title="`cond`",
        view="graphs",
        names=("cond",),
        program="""
def f(x): return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))
rec = lab.explore(f, torch.ones(3), backend="eager")
""",
        seen=lambda rec: shown(
            "the operator, and a body for each branch",
            "torch.ops.higher_order.cond" in calls(rec),
            bodies(rec) == 2,
        ),
        source=f"{_DOCS}/cond.html",
    ),
    Row(
        title="`switch`",
        view="graphs",
        needs=("_higher_order_ops.switch",),
        program="""
from torch._higher_order_ops import switch
def f(x, i): return switch(i, (torch.sin, torch.cos, torch.tan), (x,))
rec = lab.explore(f, torch.ones(3), torch.tensor(1), backend="eager")
""",
        seen=lambda rec: shown("the operator, and a body for each branch", bodies(rec) == 3),
        source=_HIGHER,
    ),
    Row(
        title="`while_loop`",
        view="graphs",
        needs=("_higher_order_ops.while_loop",),
        program="""
from torch._higher_order_ops import while_loop
def step(i, x): return i + 1, x.sin()
def f(x): return while_loop(lambda i, x: i < 4, step, (torch.tensor(0), x))
rec = lab.explore(f, torch.ones(3), backend="eager")
""",
        seen=lambda rec: shown(
            "the operator, its condition and its body",
            "torch.ops.higher_order.while_loop" in calls(rec),
            bodies(rec) == 2,
        ),
        source=_HIGHER,
    ),
    Row(
        title="`scan`",
        view="graphs",
        needs=("_higher_order_ops.scan",),
        program="""
from torch._higher_order_ops import scan
def step(carry, x): return carry + x, carry * x
rec = lab.explore(lambda x: scan(step, x[0], x), torch.ones(3, 2), backend="eager")
""",
        seen=lambda rec: shown(
            "the operator and its body",
            "torch.ops.higher_order.scan" in calls(rec),
            bodies(rec) == 1,
        ),
        source=_HIGHER,
    ),
    Row(
        title="`map`",
        view="graphs",
        needs=("_higher_order_ops.map",),
        program="""
from torch._higher_order_ops import map
rec = lab.explore(lambda xs: map(torch.sin, xs), torch.ones(3, 2), backend="eager")
""",
        seen=lambda rec: shown(
            "the operator and its body",
            "torch.ops.higher_order.map_impl" in calls(rec),
            bodies(rec) == 1,
        ),
        source=_HIGHER,
    ),
    Row(
        title="`associative_scan`",
        view="graphs",
        needs=("_higher_order_ops.associative_scan",),
        program="""
from torch._higher_order_ops import associative_scan
def f(x): return associative_scan(torch.add, x, 0, combine_mode="generic")
rec = lab.explore(f, torch.ones(4, 2), backend="eager")
""",
        seen=lambda rec: shown(
            "the slices and additions that it is made of in this mode",
            "torch.add" in calls(rec),
            bodies(rec) == 0,
        ),
        source=_HIGHER,
    ),
    Row(
        title="custom operators",
        view="graphs",
        names=("library.custom_op",),
        program="""
@torch.library.custom_op("matrix::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor: return x * 2
twice.register_fake(lambda x: torch.empty_like(x))
rec = lab.explore(lambda x: twice(x) + 1, torch.ones(3), backend="aot_eager")
""",
        seen=lambda rec: shown(
            "one node in each stage, which nothing looks into",
            "matrix.twice.default" in calls(rec),
            "matrix.twice.default" in calls(rec, "forward"),
        ),
        source=f"{_DOCS}/library.html",
    ),
    Row(
        title="`flex_attention` for CUDA",
        view="attention",
        needs=("nn.attention.flex_attention",),
        program="""
from torch.nn.attention.flex_attention import flex_attention
q = torch.ones(1, 2, 128, 64)
def f(q): return flex_attention(q, q, q, lambda s, b, h, i, j: s + i - j)
rec = lab.lower(f, q, target="cuda:sm_90", grad=False)
""",
        seen=lambda rec: shown(
            "the call with its sizes, the body that changes the scores, and the template's kernel",
            [one.kind for one in rec.attentions] == ["flex"],
            bodies(rec) >= 1,
            any("flex_attention" in kernel.name for kernel in rec.kernels),
        ),
        source=f"{_DOCS}/nn.attention.flex_attention.html",
    ),
    Row(
        title="`flex_attention`, backend FLASH",
        view="attention",
        needs=("nn.attention.flex_attention",),
        program="""
from torch.nn.attention.flex_attention import flex_attention
q = torch.ones(1, 2, 128, 64)
def f(q): return flex_attention(q, q, q, kernel_options={"BACKEND": "FLASH"})
rec = lab.lower(f, q, target="cuda:sm_90", grad=False)
""",
        seen=lambda rec: partly(
            "why it was refused: the library that it calls is not installed here",
            rec.failure
            and "BACKEND='FLASH' but flash attention cannot be used" in rec.failure.message,
        ),
        source=f"{_DOCS}/nn.attention.flex_attention.html",
    ),
    Row(
        title="`flex_attention`, backend TRITON_DECODE",
        view="attention",
        needs=("nn.attention.flex_attention",),
        program="""
from torch.nn.attention.flex_attention import flex_attention
q, k = torch.ones(1, 2, 1, 64), torch.ones(1, 2, 512, 64)
def f(q, k): return flex_attention(q, k, k, kernel_options={"BACKEND": "TRITON_DECODE"})
rec = lab.lower(f, q, k, target="cuda:sm_90", grad=False)
""",
        seen=lambda rec: shown(
            "the call with its sizes, the kernel of the split keys and those that join them",
            [one.kind for one in rec.attentions] == ["flex"],
            len(rec.kernels) > 3,
        ),
        source=f"{_DOCS}/nn.attention.flex_attention.html",
    ),
    Row(
        title="`flex_gemm`",
        view="kernels",
        needs=("_higher_order_ops.flex_gemm",),
        program="""
from torch._higher_order_ops.flex_gemm import flex_gemm
def f(x): return flex_gemm(torch.mm, (x, x), lambda y: y.relu())
rec = lab.lower(f, torch.ones(64, 64), target="cuda:sm_90")
""",
        seen=lambda rec: shown(
            "the operator, its body, and the kernels that are made of both",
            any("flex_gemm" in one for one in calls(rec)),
            bodies(rec) == 1,
            len(rec.kernels) > 0,
        ),
        source=_HIGHER,
    ),
    Row(
        title="Triton kernels that people write",
        view="kernels",
        packages=("triton",),
        cuda=True,
        program="""
import triton, triton.language as tl
@triton.jit
def double(x, y): i = tl.arange(0, 64); tl.store(y + i, tl.load(x + i) * 2)
def f(x): y = torch.empty_like(x); double[(1,)](x, y); return y
rec = lab.explore(f, torch.ones(64, device="cuda"))
""",
        seen=lambda rec: shown(
            "the kernel as a node, and its code among Inductor's",
            any("triton_kernel_wrapper" in target for target in calls(rec)),
            any("double" in kernel.name for kernel in rec.kernels),
        ),
        source="https://docs.pytorch.org/tutorials/recipes/torch_compile_user_defined_triton_kernel_tutorial.html",
    ),
    Row(
        title="Helion",
        view="kernels",
        packages=("helion",),  # 1.4.0 is the last that imports with PyTorch 2.11
        program="""
import helion, helion.language as hl
@helion.kernel(autotune_effort="none")
def double(x: torch.Tensor, y: torch.Tensor):
    for i in hl.tile(x.size(0)): y[i] = x[i] * 2
rec = lab.lower(lambda x: double(x, torch.empty_like(x)), torch.ones(64), target="cuda:sm_90")
""",
        seen=lambda rec: partly(
            "the kernel's call as a node of the graph, with its arguments; not the Triton code "
            "that Helion writes when it has the device, where Inductor's lowering asks for it",
            any("helion_kernel_wrapper" in target for target in calls(rec)),
        ),
        source="https://helionlang.com",
    ),
)
