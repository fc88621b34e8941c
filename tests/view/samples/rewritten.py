"""Passes over one graph, from its forward to what is lowered: one of each kind there is."""

from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.passes import (
    GraphChange,
    Match,
    NodeText,
    Pass,
    Pattern,
    Pipeline,
    Placed,
)
from dynamo_lab.model.recording import Recording

from .table import F32, Table, graph

CELL = """\
def double(graph):
    ...
y = b + x.clone() @ w"""

TENSOR = "f32[8, 8]"
VALUE = F32.__class__(text=TENSOR, dtype="torch.float32", shape=("8", "8"), device="cpu")


def rewritten() -> Recording:
    """Two phases: in the first a copy goes, in the second `mm` and `add` become `addmm`."""
    mm = NodeText("mm", "call_function", "aten.mm.default", "x, w", TENSOR)
    add = NodeText("add", "call_function", "aten.add.Tensor", "b, mm", TENSOR)
    addmm = NodeText("addmm", "call_function", "aten.addmm.default", "b, x, w", TENSOR)
    return Recording(
        title="rewritten",
        sources=(Source("<ipython-input-4-abc>", "cell", (Excerpt(1, CELL),)),),
        spans=(Span(0, 3, "cell"), Span(0, 1, "double")),
        stacks=((0,),),
        frames=(Frame(id=0, name="<cell>", span=0, outcome="compiled"),),
        graphs=(
            graph(0, _captured(), frame=0),
            graph(1, _forward(), "forward"),
            graph(2, _lowered(), "post_grad"),
        ),
        pipelines=(
            Pipeline(id=0, phase="joint", compile_id="0/0", frame=0, graphs={"": 1}, end=3),
            Pipeline(
                id=1, phase="post_grad", compile_id="0/0", frame=0, follows=0, became={"": 2},
                first=3, end=8,
            ),
        ),
        passes=(
            Pass(
                id=0, pipeline=0, name="remove_noop_ops", subsystem="joint_graph_passes",
                function="remove_noop_ops", place="torch/_inductor/fx_passes/post_grad.py:1225",
                timed=True, seconds=0.002,
                changes=(
                    GraphChange(
                        removed=("clone",),
                        changed=(mm,),
                    ),
                ),
            ),
            Pass(
                id=1, pipeline=0, name="constant_fold_uniform_value", timed=True, seconds=0.001,
            ),
            Pass(id=2, pipeline=0, name="pass_pattern_0", timed=True, disabled=True),
            Pass(
                id=3, pipeline=1, name="before the post_grad passes", kind="between",
                changes=(GraphChange(moved=((0, "b"),)),),
            ),
            Pass(
                id=4, pipeline=1, name="pass_pattern_2", subsystem="post_grad_passes", timed=True,
                seconds=0.004, left_alone={1: 2},
            ),
            Pass(
                id=5, pipeline=1, name="post_grad.pass_patterns[2]", kind="step", parent=4,
                seconds=0.003,
                changes=(
                    GraphChange(
                        removed=("mm", "add"),
                        added=(Placed(3, addmm),),
                        changed=(NodeText("output", "output", "output", "addmm"),),
                    ),
                ),
                matches=(
                    Match(pattern=0, before=(mm, add), after=(addmm,), gone=("mm", "add")),
                ),
            ),
            Pass(
                id=6, pipeline=1, name="post_grad_custom_post_pass", function="double",
                description="Looks for something to double.", place="cell 4:1", span=1,
                timed=True, seconds=0.0001,
            ),
            Pass(
                id=7, pipeline=1, name="post_grad_custom_post_pass", function="raises",
                timed=True, error="ValueError: no such node",
            ),
        ),
        patterns=(
            Pattern(
                name="addmm", kind="graph", place="torch/_inductor/fx_passes/post_grad.py:1820",
                source="def addmm(match, mat1, mat2, *, inp): ...",
                expression="CallFunction(aten.add, KeywordArg('inp'), CallFunction(aten.mm))",
            ),
            Pattern(
                name="own", kind="replacement", span=1, place="cell 4:1",
                source="def own(x): return x + x", replacement="def put(x): return 2 * x",
            ),
        ),
    )  # fmt: skip


def _captured() -> Table:
    table = Table()
    x, w, b = (table.input(name, VALUE) for name in ("l_x_", "l_w_", "l_b_"))
    copied = table.node("clone", "clone", x, op="call_method", stack=0)
    product = table.node("matmul", "operator.matmul", copied, w, stack=0)
    table.output(table.node("add", "operator.add", b, product, stack=0))
    return table


def _forward() -> Table:
    table = Table()
    x, w, b = (table.input(name, VALUE) for name in ("x", "w", "b"))
    copied = table.node("clone", "aten.clone.default", x, value=VALUE, stack=0)
    product = table.node("mm", "aten.mm.default", copied, w, value=VALUE, stack=0)
    table.output(table.node("add", "aten.add.Tensor", b, product, value=VALUE, stack=0))
    return table


def _lowered() -> Table:
    table = Table()
    b, x, w = (table.input(name, VALUE) for name in ("b", "x", "w"))
    table.output(table.node("addmm", "aten.addmm.default", b, x, w, value=VALUE, stack=0))
    return table
