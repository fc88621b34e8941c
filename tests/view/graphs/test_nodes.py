"""A graph's columns: values in a few characters, the modules' tree, and operators' names."""

from collections.abc import Callable

import pytest

from dynamo_lab.model.graphs import NodeTable, Value
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.values import value_text
from dynamo_lab.view.graphs.boxes import ModuleView, module_tree
from dynamo_lab.view.graphs.paths import module_path

Make = Callable[[str], Recording]


def test_graphs_keep_their_columns(make: Make) -> None:
    recording = make("branch_and_print")
    graph = build(recording).graphs[0]
    assert (graph.title, graph.subtitle) == ("graph 1", "captured from cell, 4 operators")
    assert graph.values == ("f32[8, 8]", "f32[]", "bool[]", "")
    assert graph.inputs is recording.graphs[0].nodes.inputs


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Value(dtype="torch.bfloat16", shape=("s0", "4"), device="cpu"), "bf16[s0, 4]"),
        (Value(dtype="f32", shape=("2",), device="cuda:0"), "f32[2] cuda:0"),
        (Value(text="Sym(s0)"), "Sym(s0)"),
        (Value(), ""),
    ],
)
def test_values_in_a_few_characters(value: Value, text: str) -> None:
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", ()),
        ("layers.0.attn", ("layers", "0", "attn")),
        ("L['self'].layers.0.attn", ("layers", "0", "attn")),
        ("L['self']._modules['layers']._modules['0']", ("layers", "0")),
        ("L['self'].layers[0]", ("layers", "0")),
        ("L['self']", ()),
        ("linear", ("linear",)),
    ],
)
def test_module_paths(text: str, path: tuple[str, ...]) -> None:
    assert module_path(text) == path


def test_modules_nest_and_the_rest_lies_in_the_root() -> None:
    table = NodeTable(
        strings=("", "a.b", "L['self'].a.c"),
        name=("x", "n", "m", "o"),
        op=(0,) * 4,
        module=(0, 1, 2, 1),
        module_types={"a": "Block", "L['self'].a.c": "Linear"},
    )
    assert module_tree(table) == (
        ModuleView(name="", path="", type="", nodes=(0,), children=(1,)),
        ModuleView(name="a", path="a", type="Block", nodes=(), children=(2, 3)),
        ModuleView(name="b", path="a.b", type="", nodes=(1, 3)),
        ModuleView(name="c", path="a.c", type="Linear", nodes=(2,)),
    )


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("aten.add.Tensor", "add"),
        ("torch.ops.aten.gelu.default", "gelu"),
        ("prims.convert_element_type.default", "convert_element_type"),
        ("mylib.attend.default", "attend"),
        ("torch.nn.functional.gelu", "gelu"),
        ("operator.add", "add"),
        ("softmax", "softmax"),
        ("<built-in function gelu>", "gelu"),
    ],
)
def test_operator_names(target: str, name: str) -> None:
    assert operator_name(target) == name
