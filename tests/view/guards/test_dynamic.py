"""What compiled code leaves open: symbols that stay, that are tied, and that became constants."""

import pytest

from dynamo_lab.model.graphs import Value
from dynamo_lab.model.guards.guards import FailedGuard
from dynamo_lab.model.guards.symbols import ShapeFact, Symbol
from dynamo_lab.view.guards.advice import advice_on
from dynamo_lab.view.guards.dynamic import Dynamic, dynamic
from dynamo_lab.view.guards.failing import cause
from tests.view.samples.table import Table, graph

SIZE = cause(
    FailedGuard(
        compile_id="0/0",
        text="tensor 'L['x']' size mismatch at index 0. expected 4, actual 5",
        source="L['x']",
        was="4",
        now="5",
    )
)


NUMBER = cause(FailedGuard(compile_id="0/0", text="L['n'] == 5", source="L['n']", was="5", now="7"))


def asked(expression: str) -> ShapeFact:
    return ShapeFact(
        frame=0, compile_id="0/1", event="guard", expression=expression, symbols=("zf1",)
    )


def symbol(name: str, *sources: str, value: str = "") -> Symbol:
    return Symbol(frame=0, compile_id="0/1", name=name, sources=sources, value=value)


X, Y = "L['x'].size()[0]", "L['y'].size()[0]"


def test_a_size_that_another_one_replaced_is_open_and_is_marked_with_it() -> None:
    for symbols in (
        [symbol("s1", X, value="s2"), symbol("s2", Y)],
        [symbol("s1", X, value="2*s2"), symbol("s2", Y)],
        [symbol("s1", X, Y)],
    ):
        new = dynamic(symbols)
        assert new.opened == {"x.shape[0]": ("y.shape[0]",), "y.shape[0]": ("x.shape[0]",)}
        told = advice_on(SIZE, new)[0]
        assert "is dynamic" in told.text
        assert told.code == ("torch._dynamo.mark_dynamic(x, 0)\ntorch._dynamo.mark_dynamic(y, 0)")


def test_a_size_tied_to_one_that_code_cannot_name_is_not_marked_alone() -> None:
    inside = "L['self']._modules['0'].weight.size()[0]"
    told = advice_on(SIZE, dynamic([symbol("s1", X, inside)]))
    assert [remedy.code for remedy in told] == ["compiled = torch.compile(fn, dynamic=True)"]


def test_a_size_that_became_a_number_is_pinned_also_by_way_of_another() -> None:
    new = dynamic([symbol("s1", X, value="s2"), symbol("s2", Y, value="5")])
    assert new.pinned == {"x.shape[0]", "y.shape[0]"}
    assert "needs the number itself" in advice_on(SIZE, new)[0].text
    assert not advice_on(SIZE, new)[0].code


def test_a_size_without_a_symbol_is_said_to_be_neither() -> None:
    told = advice_on(SIZE, dynamic([]))[0]
    assert "Nothing made this size dynamic" in told.text
    assert told.code == "torch._dynamo.mark_dynamic(x, 0)"


def test_where_no_code_came_of_it_nothing_is_said_of_the_code() -> None:
    told = advice_on(SIZE, Dynamic(has_code=False))[0]
    assert told.text.startswith("No code came of this compilation")
    assert told.code == "torch._dynamo.mark_dynamic(x, 0)"


@pytest.mark.parametrize(("size", "is_sized"), [("s2", False), ("2*s1", True)])
def test_a_number_is_a_size_only_where_the_code_makes_one_of_it(size: str, is_sized: bool) -> None:
    """`n == x.shape[0]` makes one symbol of both; that a result is as long as `x` is not of `n`."""
    table = Table()
    x = table.input("x", Value(dtype="f32", shape=("s2",)))
    table.node("made", "mul", x, value=Value(dtype="f32", shape=(size,)))
    number = symbol("s1", "L['n']", value="" if is_sized else "s2")
    new = dynamic([number, symbol("s2", X)], graph=graph(0, table))
    assert new.sized == ({"n"} if is_sized else frozenset())


def test_symbols_of_a_damaged_file_that_replace_each_other_end() -> None:
    assert not dynamic([symbol("s1", X, value="s2"), symbol("s2", Y, value="s1")]).opened


@pytest.mark.parametrize(
    "expression", ["Eq(1.0 - zf1, 0.09)", "Eq(zf1, 6)", "Eq(2*zf1, 8)", "Eq(-zf1 + 1.0, 1e-05)"]
)
def test_a_guard_that_one_number_fulfils_leaves_nothing_open(expression: str) -> None:
    new = dynamic([symbol("zf1", "L['n']")], [asked(expression)])
    assert not new.opened
    assert new.pinned == {"n"}
    assert advice_on(NUMBER, new)[0].text.startswith("The new code is for this one number too")


@pytest.mark.parametrize(
    "expression",
    ["Eq(Mod(zf1, 2), 0)", "zf1 > 2.5", "Ne(zf1, 1)", "Eq(zf1, 2*s0)", "Eq(zf1**2, 4)"],
)
def test_a_guard_that_several_numbers_fulfil_leaves_it_open(expression: str) -> None:
    new = dynamic([symbol("zf1", "L['n']")], [asked(expression)])
    assert list(new.opened) == ["n"]
    told = advice_on(NUMBER, new)[0]
    assert "a tensor in its place breaks the graph" in told.text
    assert told.code == "compiled = torch.compile(fn, dynamic=True)"
