"""A function whose joint graph was cut: one value kept, one operator run again."""

from dynamo_lab.model.autograd import (
    Differentiated,
    InputMutation,
    OutputAlias,
    Partition,
    Recomputed,
    SavedValue,
)
from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.graphs import Value
from dynamo_lab.model.recording import Recording

from .table import SCALAR, Table, graph

CODE = """\
def loss(x, w):
    h = x @ w
    return h.sin().sum()
"""
_OPEN = Value(dtype="torch.float32", shape=("s0", "8"), device="cpu")


def cut() -> Recording:
    """`h` is kept, its sine's cosine is computed from it; a symbolic value is kept as well."""
    captured = Table()
    x = captured.input("l_x_", source="x")
    w = captured.input("l_self_modules_lin_parameters_weight_", source="self.lin.weight")
    h = captured.node("h", "operator.matmul", x, w, stack=0)
    captured.output(captured.node("sum_1", "sum", captured.node("sin", "sin", h, stack=1), stack=1))
    joint = Table()
    x, w, t = joint.input("primals_1"), joint.input("primals_2"), joint.input("tangents_1", SCALAR)
    h = joint.node("mm", "aten.mm.default", x, w, stack=0)
    sine = joint.node("sin", "aten.sin.default", h, stack=1)
    joint.node("sum_1", "aten.sum.default", sine, value=SCALAR, stack=1)
    grown = joint.node("expand", "aten.expand.default", t, stack=1)
    cosine = joint.node("cos", "aten.cos.default", h, stack=1)
    joint.output(joint.node("mul", "aten.mul.Tensor", grown, cosine, stack=1))
    forward = Table()
    x, w = forward.input("primals_1"), forward.input("primals_2")
    h = forward.node("mm", "aten.mm.default", x, w, stack=0, module="lin")
    view = forward.node("view", "aten.view.default", h, stack=0, value=_OPEN)
    total = forward.node("sum_1", "aten.sum.default", h, stack=1, value=SCALAR)
    forward.output(total, w, h, view)
    backward = Table()
    w, h = backward.input("primals_2"), backward.input("mm")
    again = backward.node("view", "aten.view.default", h, stack=0)
    backward.output(backward.node("cos", "aten.cos.default", again, stack=1))
    return Recording(
        title="loss",
        sources=(Source("/home/a/loss.py", "user", (Excerpt(1, CODE),)),),
        spans=(Span(0, 1, "loss"), Span(0, 2, "loss", 8, 2, 13), Span(0, 3, "loss")),
        stacks=((1,), (2,)),
        frames=(Frame(id=0, name="loss", span=0, outcome="compiled"),),
        graphs=(
            graph(0, captured),
            graph(1, joint, "joint"),
            graph(2, forward, "forward"),
            graph(3, backward, "backward", backward=True),
        ),
        partitions=(_partition(),),
        links=(LinkTable(upstream=0, downstream=2, reason="same input", pairs=((0, 0), (1, 1))),),
    )


def _partition() -> Partition:
    return Partition(
        id=0,
        compile_id="0/0",
        frame=0,
        method="min-cut",
        joint=1,
        forward=2,
        backward=3,
        budget=0.8,
        cut=310.0,
        solved=2,
        saved=(
            SavedValue(
                name="primals_2", forward_node=1, backward_node=0, role="parameter", bytes=256,
                storage=0, weight=0.0, reason="cannot recompute: primal input",
            ),
            SavedValue(
                name="mm", forward_node=2, backward_node=1, role="activation", bytes=256,
                storage=1, weight=310.0, reason="cannot recompute: not in recomputable allowlist",
            ),
            SavedValue(
                name="view", forward_node=3, backward_node=None, role="activation", bytes=None,
                storage=2, reason="cannot recompute: a reason of a later release",
            ),
        ),
        recomputed=(
            Recomputed(name="sum_1", forward_node=4, backward_node=3, bytes=4, weight=9.0),
            Recomputed(name="view", forward_node=3, backward_node=2, bytes=256, is_free=True),
        ),
        unpartitioned_bytes=1024,
        differentiated=(
            Differentiated(operator="aten.mm", forward=(3,), backward=()),
            Differentiated(operator="aten.sin", forward=(4,), backward=(7, 8)),
            Differentiated(operator="", forward=(), backward=(6,)),
        ),
        mutations=(InputMutation(input=0, change="data", in_graph=True),),
        aliases=(OutputAlias(output=0, kind="alias_of_input", base=1),),
    )  # fmt: skip
