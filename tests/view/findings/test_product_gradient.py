"""The call of a product's short formula, on graphs made by hand."""

from __future__ import annotations

import pytest

from dynamo_lab.model.autograd import Differentiated
from dynamo_lab.view.findings.speed.product_gradient import call_of
from tests.view.samples.table import Table


@pytest.mark.parametrize(
    ("operator", "arguments", "call"),
    [
        ("prod", "x", "Prod.apply(x.flatten(), 0).squeeze(0)"),
        ("prod", "x, dtype=torch.float64", "Prod.apply(x.flatten(), 0).squeeze(0)"),
        ("prod", "x, 1", "Prod.apply(x, 1).squeeze(1)"),
        ("prod", "x, -1, True", "Prod.apply(x, -1)"),
        ("prod", "x, dim=0, keepdim=True", "Prod.apply(x, 0)"),
        ("prod", "x, dim", "Prod.apply(x, dim).squeeze(dim)"),
        ("cumprod", "x, -1", "Cumprod.apply(x, -1)"),
        ("cumprod", "x, dim", "Cumprod.apply(x, dim)"),
    ],
)
def test_the_dimension_is_that_of_the_programs_call(
    operator: str, arguments: str, call: str
) -> None:
    table = Table()
    at = table.node(operator, f"aten.{operator}.default", table.input("x"), arguments=arguments)
    one = Differentiated(operator=f"aten.{operator}", forward=(at,), backward=())
    assert call_of(table.freeze(), one) == call


@pytest.mark.parametrize("operator", ["prod", "cumprod"])
def test_a_call_that_is_not_among_the_nodes_leaves_the_dimension_open(operator: str) -> None:
    table = Table()
    table.input("x")
    one = Differentiated(operator=f"aten.{operator}", forward=(), backward=())
    call = call_of(table.freeze(), one)
    assert call.startswith(f"{operator.capitalize()}.apply(x, dim)")
    assert "flatten" not in call
