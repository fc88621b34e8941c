"""What a graph's view says beyond its columns: kinds, sizes, layouts, transforms, the outline."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.model.graphs import Value
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.values import layout_text
from dynamo_lab.view.core.words import size
from dynamo_lab.view.graphs import graphs
from dynamo_lab.view.graphs.boxes import module_tree
from dynamo_lab.view.graphs.graphs import GraphView, build
from dynamo_lab.view.graphs.kinds import KINDS, kind_of
from dynamo_lab.view.graphs.outline import outline
from dynamo_lab.view.graphs.paths import module_path
from dynamo_lab.view.graphs.scenes import Scenes
from tests.view.samples.table import Table, graph

Make = Callable[[str], Recording]


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("aten.convolution_backward.default", "matrix"),
        ("torch._C._nn.linear", "matrix"),
        ("aten._native_batch_norm_legit_functional.default", "normalisation"),
        ("aten.sum.dim_IntList", "reduction"),
        ("operator.iadd", "elementwise"),
        ("aten.add_.Tensor", "elementwise"),
        ("operator.getitem", "view"),
        ("aten._to_copy.default", "copy"),
        ("aten.full.default", "creation"),
        ("torch.ops.higher_order.brand_new", "control"),
        ("mylib.attend.default", "other"),
        ("", "other"),
    ],
)
def test_the_kind_of_an_operator(target: str, kind: str) -> None:
    assert kind_of(target) == kind
    assert kind in (*KINDS, "other")


@pytest.mark.parametrize(
    ("shape", "stride", "text"),
    [
        ("8 128", "128 1", ""),
        ("128 8", "1 128", "transposed"),
        ("2 3 4 5", "60 1 15 3", "channels last"),
        ("2 3 4 5 6", "360 1 90 18 3", "channels last 3d"),
        ("2 3 4 5", "60 20 5 1", ""),
        ("2 3 4", "12 1 3", "strides (12, 1, 3)"),
        ("8 8", "0 1", "strides (0, 1)"),
        ("1 8", "99 1", ""),  # the stride of a dimension of one is never used
        ("0 8", "1 3", ""),
        ("s0 8", "8 1", ""),
        ("8 8", "s0 1", ""),
        ("8", "1 1", ""),
        ("", "", ""),
    ],
)
def test_how_a_tensor_lies_in_memory(shape: str, stride: str, text: str) -> None:
    assert layout_text(Value(shape=tuple(shape.split()), stride=tuple(stride.split()))) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1536, "1.5 kB"), (99_960, "100 kB"),
     (999_600, "1 MB"), (3_140_000, "3.1 MB"), (5 * 10**15, "5000 TB")],
)  # fmt: skip
def test_bytes_in_words(count: int, text: str) -> None:
    assert size(count) == text


def enter(table: Table, name: str, *, module: str = "", arguments: str = "") -> int:
    target = f"torch._functorch.predispatch.{name}"
    return table.node(name, target, module=module, arguments=arguments)


def test_transforms_are_boxes_around_what_they_transform() -> None:
    table = Table()
    x = table.input("x")
    enter(table, "_grad_increment_nesting", module="net")
    enter(table, "_vmap_increment_nesting", module="net", arguments="4, 'error'")
    table.node("linear", "torch._C._nn.linear", x, module="net.fc")
    enter(table, "_vmap_decrement_nesting")
    enter(table, "_vmap_increment_nesting", arguments="7, 'error'")
    enter(table, "_vmap_decrement_nesting")
    enter(table, "_grad_decrement_nesting")
    table.output(x)
    nodes = replace(table.freeze(), module_types={"net": "Net", "net.fc": "Linear"})
    boxes = {box.path: (box.type, box.nodes) for box in module_tree(nodes)}
    assert boxes == {
        "": ("", (0, 8)),
        "net": ("Net", ()),
        "net.grad": ("torch.func", (1, 7)),
        "net.grad.vmap": ("torch.func, over 4", (2, 4)),
        "net.grad.vmap.fc": ("Linear", (3,)),
        "net.grad.vmap 2": ("torch.func, over 7", (5, 6)),
    }


def test_a_transform_that_is_left_and_never_entered_is_no_box() -> None:
    table = Table()
    enter(table, "_vmap_decrement_nesting")
    assert [box.path for box in module_tree(table.freeze())] == [""]


def test_a_copy_back_lies_with_the_value_that_it_writes() -> None:
    table = Table()
    mean = table.input("running_mean")
    add = table.node("add", "aten.add.Tensor", mean, module="bn")
    table.node("copy_", "aten.copy_.default", mean, add)
    table.node("other", "aten.add.Tensor", mean, add)
    assert [box.nodes for box in module_tree(table.freeze())] == [(0, 3), (1, 2)]


def view(make: Make, name: str = "searched") -> GraphView:
    return graphs.build(make(name))[0]


def test_sizes_layouts_and_kinds_stand_in_columns(make: Make) -> None:
    graph = view(make)
    at = graph.value[graph.name.index("l_self_encoder_0_fc_weight")]
    assert (graph.bytes[at], graph.layouts[at]) == (65536, "transposed")
    kinds = {graph.strings[n]: kind for kind, numbers in graph.kinds.items() for n in numbers}
    assert kinds["torch._C._nn.linear"] == "matrix"
    assert "l_x_" not in kinds  # what an input is called says nothing of work


def test_the_outline_tells_like_neighbours_once(make: Make) -> None:
    rows = outline(view(make))
    assert [(row.depth, row.name, row.last, row.alike, row.operators) for row in rows] == [
        (0, "", "", 1, 11),
        (1, "encoder", "", 1, 4),
        (2, "0", "1", 2, 2),
        (3, "norm", "", 1, 1),
        (3, "fc", "", 1, 1),
        (1, "head", "", 1, 1),
    ]
    assert rows[2].kinds == (("normalisation", 1), ("matrix", 1))


def test_a_level_opens_whole_or_not_at_all(make: Make) -> None:
    graph = view(make)
    scenes = Scenes(graph, {graph.id: graph})
    most = scenes.count(scenes.initially_open())
    assert scenes.initially_open(comfortable=most - 1) < scenes.initially_open()
    for opened in (frozenset[str](), scenes.initially_open(), scenes.all_open()):
        assert scenes.count(opened) == len(list(scenes.modules(opened).boxes()))


def test_modules_deeper_than_any_model_end_in_one_box() -> None:
    path = module_path("a." * 5_000)
    assert len(path) == 100
    assert path[-1].count("a") == 4_901
    table = Table()
    table.output(table.node("n", "aten.relu.default", table.input("x"), module="a." * 5_000))
    facts = Recording(title="", graphs=(replace(graph(0, table, "dynamo"), frame=None),))
    assert len(outline(build(facts)[0])) == 101
