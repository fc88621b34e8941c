"""A graph that the backend `lab` compiled: its rules, and a kernel in three languages."""

from typing import Any

from dynamo_lab.model.compiler import LabGraph, LabKernel, LabLine, LabRule, LabText, LabUse
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.lowering import Buffer, LoopLine, Lowered, Lowering, LoweringRule, Range
from dynamo_lab.model.ranks.splits import Bucket, Split
from dynamo_lab.model.recording import Recording

from .hostile import HOSTILE
from .table import Table, graph

CODE = "def f(x):\n    return x.exp() * 2\n"


def staged(rule: str = "def _exp(call, x):\n    return call.map('exp', x)") -> Recording:
    """`exp` is computed within `mul`; Metal refuses the kernel."""
    captured, table = Table(), Table()
    captured.output(captured.node("mul", "mul", captured.input("l_x_"), stack=0))
    x = table.input("arg0_1")
    exp = table.node("exp", "aten.exp.default", x, stack=0)
    mul = table.node("mul", "aten.mul.Tensor", exp, stack=0, arguments="exp, 2")
    table.output(mul)
    ir = (
        LabLine("%0 = load(arg0_1, i0)", (exp,)),
        LabLine("%1 = exp(%0)", (exp,)),
        LabLine("%2 = store(buf0, i0, %1 * 2)", (mul,)),
    )
    printed = (LabLine("void kernel0(...) {"), LabLine("  buf0[i0] = EXP(t0) * 2;", (exp, mul)))
    size: dict[str, Any] = {"shape": ("8",), "stride": ("1",), "bytes": 32, "layout": "FixedLayout"}
    return Recording(
        title="f",
        sources=(Source("/home/a/f.py", "user", (Excerpt(1, CODE),)),),
        spans=(Span(0, 2, "f"),),
        stacks=((0,),),
        frames=(Frame(id=0, name="f", span=0, outcome="compiled"),),
        graphs=(graph(0, captured), graph(1, table, "post_grad")),
        kernels=(
            Kernel(id=0, name="kernel0", language="cpp", graph=1, wrapper=None,
                   code="\n".join(line.text for line in printed), nodes=(exp, mul),
                   buffers=("buf0",)),
        ),
        splits=(
            Split(compile_id="0/0", graph=0, first_limit=1, limit=2,
                  buckets=(Bucket(bytes=4, parameters=("w",)),)),
        ),
        lowerings=(
            Lowering(
                graph=1,
                compiler="lab",
                rules=(LoweringRule(name="_exp"),),
                nodes=(
                    Lowered(node=x, outcome="input"),
                    Lowered(node=exp, outcome="inlined", form="Loop", rule=0),
                    Lowered(node=mul, outcome="output", form="Loop", rule=0, buffers=(0,)),
                    Lowered(node=mul + 1, outcome="output"),
                ),
            ),
        ),
        buffers=(
            Buffer(id=0, name="buf0", operation="op0", kind="pointwise", form="Loop", graph=1,
                   dtype="f32", device="cpu", nodes=(exp, mul), ranges=(Range("i0", "8"),),
                   body=tuple(LoopLine(line.text, "op", line.nodes[0]) for line in ir), **size),
        ),
        lab_graphs=(
            LabGraph(
                graph=1,
                rules=(LabRule(name="_exp", file="rules/pointwise.py", line=7, text=rule),),
                uses=(LabUse(exp, 0), LabUse(mul, 0)),
                kernels=(
                    LabKernel(
                        kernel=0,
                        name="kernel0",
                        buffers=("buf0",),
                        loop_ir=ir,
                        texts=(
                            LabText(language="cpp", printed=printed),
                            LabText(language="metal", refused="of type float64"),
                        ),
                    ),
                ),
            ),
        ),
    )  # fmt: skip


def hostile_staged() -> Recording:
    """A rule whose text wants to be markup."""
    return staged("\n".join(HOSTILE))
