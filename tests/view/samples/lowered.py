"""A graph that was lowered: a loop that is inlined, stored ones, a kernel that is called."""

from typing import Any

from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.graphs import Value
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.lowering import (
    Autotuning,
    Buffer,
    Candidate,
    CudaGraphs,
    CudaPart,
    LoopLine,
    Lowered,
    Lowering,
    LoweringRule,
    Range,
    Why,
)
from dynamo_lab.model.recording import Recording

from .table import Table, graph

CODE = """\
def f(x):
    y = x @ x + 1
    return y.softmax(-1), torch.linalg.inv(y)
"""
_COLUMN = Value(dtype="torch.float32", shape=("8", "1"), stride=("1", "8"), device="cpu", bytes=32)
_I0, _I1, _R0 = Range("i0", "8"), Range("i1", "8"), Range("r0", "8")


def _square(**facts: Any) -> Buffer:
    """A buffer of 8 times 8 elements."""
    laid_out: dict[str, Any] = {
        "shape": ("8", "8"),
        "stride": ("8", "1"),
        "bytes": 256,
        "layout": "FixedLayout",
    }
    return Buffer(graph=1, dtype="f32", device="cpu", **(laid_out | facts))


def lowered() -> Recording:
    """`exp` is inlined into the sum and the quotient; `inv` is PyTorch's own kernel."""
    captured, table = Table(), Table()
    x = captured.input("l_x_")
    captured.output(captured.node("softmax", "softmax", x, stack=1))
    x = table.input("arg0_1")
    mm = table.node("mm", "aten.mm.default", x, x, stack=0)
    add = table.node("add", "aten.add.Tensor", mm, stack=0, arguments="mm, 1")
    exp = table.node("exp", "aten.exp.default", add, stack=1)
    total = table.node("sum_1", "aten.sum.dim_IntList", exp, stack=1, value=_COLUMN)
    div = table.node("div", "aten.div.Tensor", exp, total, stack=1)
    inv = table.node("linalg_inv_ex", "aten.linalg_inv_ex.default", add, stack=1)
    part = table.node("getitem", "operator.getitem", inv, stack=1, arguments="linalg_inv_ex, 0")
    table.output(div, part)
    pointwise = LoweringRule(name="make_pointwise", file="torch/_inductor/lowering.py", line=719)
    return Recording(
        title="f",
        sources=(Source("/home/a/f.py", "user", (Excerpt(1, CODE),)),),
        spans=(Span(0, 1, "f"), Span(0, 2, "f"), Span(0, 3, "f")),
        stacks=((1,), (2,)),
        frames=(Frame(id=0, name="f", span=0, outcome="compiled"),),
        graphs=(graph(0, captured), graph(1, table, "post_grad")),
        kernels=(
            Kernel(id=0, name="extern_kernels.mm", language="extern", graph=1, wrapper=None,
                   nodes=(mm,), buffers=("buf0",)),
            Kernel(id=1, name="cpp_fused_0", language="cpp", graph=1, wrapper=None, code="...",
                   nodes=(add, exp, total), buffers=("buf1", "buf2")),
        ),
        lowerings=(
            Lowering(
                graph=1,
                rules=(pointwise, LoweringRule(name="tuned_mm"), LoweringRule(name="sum_")),
                nodes=(
                    Lowered(node=0, outcome="input"),
                    Lowered(node=mm, outcome="extern", form="ExternKernelOut", rule=1,
                            buffers=(0,)),
                    Lowered(node=add, outcome="realised", form="Pointwise", rule=0, buffers=(1,)),
                    Lowered(node=exp, outcome="inlined", form="Pointwise", rule=0),
                    Lowered(node=total, outcome="realised", form="Reduction", rule=2, buffers=(2,)),
                    Lowered(node=div, outcome="realised", form="Pointwise", rule=0, buffers=(3,)),
                    Lowered(
                        node=inv, outcome="fallback", form="FallbackKernel", buffers=(4, 5),
                        why=Why(cause="listed"),
                    ),
                    Lowered(node=part, outcome="part", form="MultiOutput"),
                    Lowered(node=8, outcome="output"),
                ),
            ),
        ),
        buffers=(
            _square(id=0, name="buf0", operation="op0", kind="extern", nodes=(mm,),
                   form="ExternKernelOut", kernel="extern_kernels.mm", during=mm, reads=("arg0_1",),
                   was_free=True),
            _square(id=1, name="buf1", operation="op1", kind="pointwise", form="Pointwise",
                   during=add, nodes=(add,), reads=("buf0",), ranges=(Range("i0", "64"),),
                   why=Why(cause="reads reuse", users=2, count=5, limit=4), was_free=True, body=(
                       LoopLine("tmp0 = ops.load('buf0', i0)", "load", add),
                       LoopLine("tmp1 = ops.constant(1.0, torch.float32)", "constant", add),
                       LoopLine("tmp2 = ops.add(tmp0, tmp1)", "add", add),
                       LoopLine("ops.store('buf1', i0, tmp2)", "store", add),
                   )),
            Buffer(id=2, name="buf2", operation="op2", graph=1, kind="reduction", form="Reduction",
                   during=total, nodes=(exp, total), reads=("buf1",), ranges=(_I0, _R0),
                   reduction="sum", why=Why(cause="reduction", by="sum_"), was_free=True,
                   dtype="f32", device="cpu", shape=("8", "1"), stride=("1", "8"), bytes=32,
                   layout="FixedLayout", body=(
                       LoopLine("tmp0 = ops.load('buf1', 8*i0 + r0)", "load", exp),
                       LoopLine("tmp1 = ops.exp(tmp0)", "exp", exp),
                       LoopLine("tmp2 = ops.reduction(torch.float32, torch.float32, 'sum', tmp1)",
                                "reduction", total),
                       LoopLine("ops.store_reduction('buf2', i0, tmp2)", "store_reduction", total),
                   )),
            _square(id=3, name="buf3", operation="op3", kind="pointwise", form="Pointwise",
                   during=div, nodes=(exp, div), reads=("buf1", "buf2"), ranges=(_I0, _I1),
                   why=Why(cause="output"), was_free=True, body=(
                       LoopLine("tmp0 = ops.load('buf1', 8*i0 + i1)", "load", exp),
                       LoopLine("tmp1 = ops.exp(tmp0)", "exp", exp),
                       LoopLine("def masked_subblock1():", "", div),
                       LoopLine("tmp2 = ops.load('buf2', i0)", "load", div, 1),
                       LoopLine("tmp3 = ops.truediv(tmp1, tmp2)", "truediv", div),
                       LoopLine("ops.store('buf3', 8*i0 + i1, tmp3)", "store", div),
                   )),
            Buffer(id=4, name="buf4", operation="op4", graph=1, kind="fallback", nodes=(inv,),
                   form="FallbackKernel", kernel="torch.ops.aten.linalg_inv_ex.default", during=inv,
                   reads=("buf1",), why=Why(cause="listed"), layout="MultiOutputLayout"),
            _square(id=5, name="buf5", operation="op5", kind="part", form="MultiOutput",
                   during=inv, nodes=(inv,), of="buf4", reads=("buf4",), dropped=True),
        ),
        autotunings=(
            Autotuning(
                operator="mm", graph=1, node=mm, inputs=("float32[8, 8]", "float32[8, 8]"),
                candidates=(
                    Candidate(name="cpp_gemm_0", is_template=True, description="AVX2",
                              seconds=4e-5),
                    Candidate(name="mm", is_template=False, seconds=2e-5),
                    Candidate(name="cpp_gemm_1", is_template=True),
                ),
                chosen=1,
            ),
        ),
        cuda_graphs=(
            CudaGraphs(
                graph=1,
                asked=True,
                node=inv,
                mutated=(add,),
                fixed=(x,),
                sizes=("s0",),
                pieces=(
                    CudaPart(is_recorded=True, operations=4, mutated=(add,), copied=(x,)),
                    CudaPart(is_recorded=False, operations=1, reason="cpu ops", node=inv),
                ),
            ),
        ),
    )  # fmt: skip
