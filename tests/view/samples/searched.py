"""A graph with all that a search asks for: modules, bodies, lines, layouts, a backward."""

from msgspec.structs import replace

from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.graphs import Graph, Value
from dynamo_lab.model.recording import Recording

from .table import Table, graph

MODEL = """\
def forward(self, x):
    for layer in self.encoder:
        x = layer(x)
    x = cond(x.sum() > 0, up, down, (x,))
    return x.flatten()
"""
LAYER = """\
def forward(self, x):
    return self.fc(self.norm(x))
"""

LIBRARIES = "/lib/python3.11/site-packages"
HOSTILE = 'flatten"\\\x1b\u202e<b>'

WIDE = Value(dtype="float32", shape=("8", "128"), stride=("128", "1"), device="cpu", bytes=4096)
WEIGHT = Value(dtype="float32", shape=("128", "128"), stride=("1", "128"), bytes=65536)
HALF = Value(dtype="torch.float16", shape=("4", "8", "128"), device="cuda:0", bytes=8192)
SYMBOLIC = Value(dtype="int64", shape=("s0", "128"), device="cpu")
PAIR = Value(text="(f32[8, 64], i64[8])")
FLAG = Value(dtype="torch.bool", shape=(), device="cpu", bytes=1)


def searched() -> Recording:
    """Two layers, a cond with two bodies, and a backward graph."""
    first, up, down, backward = _first(), _body("sin"), _body("cos"), _backward()
    main = graph(0, first)
    nodes = replace(
        main.nodes,
        subgraphs={11: (1, 2)},
        module_types={
            "encoder": "Sequential",
            "encoder.0": "Layer",
            "encoder.1": "Layer",
            "encoder.0.norm": "LayerNorm",
            "encoder.1.norm": "LayerNorm",
            "encoder.0.fc": "Linear",
            "encoder.1.fc": "Linear",
        },
    )
    bodies: tuple[Graph, ...] = tuple(
        replace(graph(number, table), parent=0, parent_node=11)
        for number, table in ((1, up), (2, down))
    )
    return Recording(
        title="searched",
        sources=(
            Source("/home/me/model.py", "user", (Excerpt(1, MODEL),)),
            Source(f"{LIBRARIES}/layers/layer.py", "library", (Excerpt(1, LAYER),)),
            Source(f"{LIBRARIES}/torch/nn/modules/linear.py", "library", ()),
        ),
        spans=(
            Span(0, 3, "forward"), Span(1, 2, "forward"), Span(2, 134, "forward"),
            Span(0, 4, "forward"), Span(0, 5, "forward"),
        ),
        stacks=((0, 1, 2), (3,), (4,), (1, 2)),
        frames=(Frame(id=0, name="forward", span=0, outcome="compiled"),),
        graphs=(
            replace(main, nodes=nodes),
            *bodies,
            graph(3, backward, stage="post_grad", backward=True),
        ),
        links=(LinkTable(upstream=0, downstream=3, reason="made", pairs=((2, 1), (3, 2))),),
    )  # fmt: skip


def _first() -> Table:
    table = Table()
    x = table.input("l_x_", WIDE)
    weight = table.input("l_self_encoder_0_fc_weight", WEIGHT)
    for layer in ("L['self'].encoder.0", "L['self'].encoder.1"):
        norm = table.node("layer_norm", "torch.nn.functional.layer_norm", x, value=WIDE, stack=0,
                          module=f"{layer}.norm", arguments="l_x_, (128,), eps=1e-05")  # fmt: skip
        x = table.node("linear", "torch._C._nn.linear", norm, weight, value=WIDE, stack=0,
                       module=f"{layer}.fc")  # fmt: skip
    total = table.node("sum_1", "sum", x, value=HALF, stack=1, op="call_method")
    test = table.node("gt", "operator.gt", total, value=FLAG, stack=1, arguments="sum_1, 0")
    pair = table.node("topk", "torch.topk", x, value=PAIR, stack=3, module="L['self'].head")
    table.node("add", "operator.add", x, x, value=SYMBOLIC, stack=1)
    up = table.node("cond_true_0", "cond_true_0", value=Value(), op="get_attr")
    chosen = table.node("cond", "torch.ops.higher_order.cond", test, up, x, value=WIDE, stack=1)
    table.node("add_", "aten.add_.Tensor", chosen, pair, value=WIDE, stack=2)
    flat = table.node("flatten", HOSTILE, chosen, value=WIDE, stack=2, op="call_method")
    table.output(flat)
    return table


def _body(operator: str) -> Table:
    table = Table()
    x = table.input("l_x__1", WIDE)
    table.output(table.node(operator, f"aten.{operator}.default", x, value=WIDE, stack=1))
    return table


def _backward() -> Table:
    table = Table()
    grad = table.input("tangents_1", WIDE)
    mm = table.node("mm", "aten.mm.default", grad, value=WEIGHT, module="encoder.1.fc")
    addmm = table.node("addmm", "aten.addmm.default", mm, grad, value=WIDE, module="encoder.0.fc")
    table.output(addmm)
    return table
