from __future__ import annotations

import pytest
from msgspec.structs import replace

from dynamo_lab.model.core.flops import Call, flops_of
from dynamo_lab.model.guards.symbols import Symbol
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.sizes import Sizes, UnknownSize


def sizes(**hints: str) -> Sizes:
    symbols = tuple(
        Symbol(frame=0, compile_id="0/0", name=name, hint=hint) for name, hint in hints.items()
    )
    return Sizes(Recording(title="", symbols=symbols), "0/0")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("128", 128),
        ("s0", 6),
        ("2*s0 + s1", 19),
        ("((s0 - 1)//2)", 2),
        ("FloorDiv(s0, 4)", 1),
        ("CeilDiv(s0, 4)", 2),
        ("ModularIndexing(s0*s1, 2, 5)", 1),
        ("Max(1, -s0 + s1)", 1),
        ("s0**2", 36),
    ],
)
def test_expressions_have_the_values_of_the_call(text: str, number: int) -> None:
    assert sizes(s0="6", s1="7").number(text) == number


@pytest.mark.parametrize(
    "text",
    ["u0", "s0 / 2", "s0**9", "-s0", "9" * 40, "s0//0", "Max()", "FloorDiv(1)", "__import__('os')",
     "s0.real", "(" * 200 + ")" * 200, "s0 +", "10**8**8", ""],
)  # fmt: skip
def test_what_is_no_size_is_unknown(text: str) -> None:
    with pytest.raises(UnknownSize):
        sizes(s0="6", u0="").number(text)


def test_symbols_of_another_compilation_are_others() -> None:
    recording = Recording(
        title="", symbols=(Symbol(frame=0, compile_id="1/0", name="s0", hint="6"),)
    )
    with pytest.raises(UnknownSize):
        Sizes(recording, "0/0").number("s0")


def test_a_call_that_does_not_fit_its_formula_has_none() -> None:
    none = Call(shapes=(), arguments=(), results=())
    assert flops_of("aten.mm.default", none) is None
    assert flops_of("aten.mm.default", replace(none, shapes=((2, 3), None))) is None
    assert flops_of("aten.sort.default", replace(none, shapes=((2,),), arguments=("x",))) is None
