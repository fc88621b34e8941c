"""The floating-point operations of a graph, and what is said where some are not known."""

import pytest
from msgspec.structs import replace

from dynamo_lab.model.graphs import Value
from dynamo_lab.model.guards.symbols import Symbol
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.graphs import graphs
from tests.view.samples.table import NONE, Table, graph


def tensor(*shape: str) -> Value:
    return Value(dtype="torch.float32", shape=shape, device="cpu")


def said(table: Table, *symbols: Symbol) -> tuple[int | None, str]:
    recording = Recording(title="", graphs=(replace(graph(0, table), frame=None),), symbols=symbols)
    (view,) = graphs.build(recording)
    return view.flops, view.arithmetic


def product(rows: str, target: str = "aten.mm.default") -> Table:
    """A product of a matrix with so many rows, and its ReLU."""
    table = Table()
    left, right = table.input("a", tensor(rows, "32")), table.input("b", tensor("32", "5"))
    made = table.node("made", target, left, right, value=tensor(rows, "5"))
    table.output(table.node("relu", "aten.relu.default", made, value=tensor(rows, "5")))
    return table


@pytest.mark.parametrize(
    "target",
    [
        "aten.mm.default",
        "aten.matmul.default",
        "torch.matmul",
        "operator.matmul",
        "torch.mm",
        "torch._C._nn.linear",
    ],
)
def test_products_are_added_up_at_every_stage(target: str) -> None:
    table = product("128", target)
    table.node("again", target, 0, 1, value=tensor("128", "5"))
    told = "81.9 kFLOP in 2 of 2 products, 1 other operator not counted"
    assert said(table) == (2 * 2 * 128 * 32 * 5, told)


def test_open_sizes_are_those_of_the_run_or_unknown() -> None:
    symbol = Symbol(frame=0, compile_id="0/0", name="s0", hint="6")
    told = "1.9 kFLOP in 1 of 1 product, 1 other operator not counted, at the sizes of this run"
    assert said(product("s0"), symbol) == (2 * 6 * 32 * 5, told)
    unknown = "FLOP unknown: 0 of 1 product, 1 other operator not counted"
    assert said(product("u0"), symbol) == (None, unknown)


def test_what_has_no_formula_is_not_counted_as_none() -> None:
    table = product("128")
    table.node("einsum", "torch.functional.einsum", 0, 1)
    table.node("own", "mylib.attend.default", 0, 1)
    table.node("view", "aten.view.default", 0)
    told = "41 kFLOP in 1 of 2 products, 2 other operators not counted, 1 view"
    assert said(table) == (2 * 128 * 32 * 5, told)


def test_a_product_of_integers_takes_no_floating_point_operation() -> None:
    table, whole = Table(), Value(dtype="torch.int64", shape=("4", "4"), device="cpu")
    left, right = table.input("a", whole), table.input("b", whole)
    table.node("mm", "aten.mm.default", left, right, value=whole)
    assert said(table) == (None, "FLOP unknown: no products, 1 product of integers")


def test_a_convolution_without_a_batch_has_no_formula() -> None:
    table = Table()
    x, weight = (
        table.input("x", tensor("3", "9", "9")),
        table.input("w", tensor("4", "3", "3", "3")),
    )
    table.node("conv2d", "torch.conv2d", x, weight, value=tensor("4", "7", "7"))
    assert said(table) == (None, "FLOP unknown: 0 of 1 product")


def test_attention_counts_batches_that_are_repeated() -> None:
    table = Table()
    queries = table.input("q", tensor("1", "4", "16", "32"))
    keys = table.input("k", tensor("2", "4", "24", "32"))
    target, result = "torch._C._nn.scaled_dot_product_attention", tensor("2", "4", "16", "32")
    table.node("a", target, queries, keys, value=result, arguments="q, k, k, is_causal=True")
    assert said(table)[0] == 2 * 2 * (2 * 4 * 16 * 24 * 32)


def test_sizes_that_no_machine_has_are_not_counted() -> None:
    told = "FLOP unknown: 0 of 1 product, 1 other operator not counted"
    assert said(product("9" * 19)) == (None, told)


def test_an_empty_product_has_no_operations() -> None:
    assert said(product("0"))[0] == 0


def test_a_graph_without_values_or_products_is_unknown() -> None:
    bare = Table()
    bare.node("mm", "aten.mm.default", bare.input("a", NONE), bare.input("b", NONE), value=NONE)
    assert said(bare) == (None, "FLOP unknown: 0 of 1 product")
    sums = Table()
    sums.node("add", "aten.add.Tensor", sums.input("a"))
    assert said(sums) == (None, "FLOP unknown: no products, 1 other operator not counted")
    assert said(Table()) == (None, "FLOP unknown: no products")


def test_views_alone_compute_nothing() -> None:
    turned = Table()
    turned.node("permute", "permute", turned.input("a"))
    assert said(turned)[1] == "no FLOP: 1 view alone"


def test_a_graph_that_calls_another_says_that_it_does_not_count_it() -> None:
    outer, body = Table(), product("128")
    outer.node("cond", "torch.ops.higher_order.cond", outer.input("a"))
    calls = graph(0, outer)
    calls = replace(calls, frame=None, nodes=replace(calls.nodes, subgraphs={1: (1,)}))
    called = replace(graph(1, body), frame=None, parent=0, parent_node=1)
    views = graphs.build(Recording(title="", graphs=(calls, called)))
    told = "FLOP unknown: no products, 1 other operator not counted, bodies counted apart"
    assert (views[0].flops, views[0].arithmetic) == (None, told)
    assert views[1].flops == 2 * 128 * 32 * 5


def test_what_torch_func_hides_is_said_not_to_be_counted() -> None:
    """Dynamo's graph has the call that maps or differentiates, and the shapes of one element."""
    table = Table()
    mapped = table.node("of_one", "torch._functorch.predispatch._add_batch_dim", table.input("x"))
    table.node("made", "operator.matmul", table.input("w"), mapped)
    count, text = said(table)
    assert count == 2 * 8**3
    assert text.endswith("1 other operator not counted, counting one element of each vmap")
    table.node("grad", "torch._functorch.eager_transforms._autograd_grad", mapped)
    assert said(table)[1].endswith("one element of each vmap and no gradient of torch.func")
