"""Gradients of products: compiled code allows for zeros, eager looks whether there are any."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest
import torch

import dynamo_lab as lab
from tests.findings.faults import faulty_line, findings_of, program, recorded
from tests.findings.times import with_steps

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.view.findings.finding import Finding

pytestmark = pytest.mark.live

_PROGRAM = """
    import torch

    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.prod(1)

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            return gradient.unsqueeze(1) * x.prod(1, keepdim=True) / x

    def fn(x):
        y = x.exp()
        y = {product}  # fault
        return y.sum()

    def record(lab):
        x = torch.randn(8, 32, requires_grad={trains})
        return lab.explore(fn, x, backend="aot_eager", grad={trains})
"""

SHINING = "light_that_reaches_a_sample"
PRODUCTS = {
    "along_rows": "y.cumprod(1)",
    "along_columns": "torch.cumprod(y, dim=0)",
    SHINING: "y * torch.cumprod(1 - y + 1e-10, -1)",
    "of_each_row": "y.prod(1)",
    "of_all": "torch.prod(y)",
    "of_each_row_kept": "y.prod(1, keepdim=True)",
}
OTHERS = {
    "sum": "y.cumsum(1)",
    "of_logarithms": "y.logcumsumexp(1)",
    "detached": "y * y.detach().cumprod(1)",
    "with_its_own_gradient": "Own.apply(y)",
}


def _found(product: str, folder: Path, name: str, *, trains: bool = True) -> list[Finding]:
    source = _PROGRAM.format(product=product, trains=trains)
    found = findings_of(recorded(source, folder, f"product_{name}"))
    assert [one.sentence for one in found if one.level != "note"] == []
    return [one for one in found if one.rule == "product-gradient"]


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_product_whose_gradient_allows_for_zeros_is_a_note(name: str, tmp_path: Path) -> None:
    [found] = _found(PRODUCTS[name], tmp_path, name)
    assert found.entity.endswith(f":{faulty_line(_PROGRAM)}")
    assert "only measuring tells" in found.sentence


@pytest.mark.parametrize("name", OTHERS)
def test_a_gradient_that_asks_for_no_zeros_is_none(name: str, tmp_path: Path) -> None:
    assert _found(OTHERS[name], tmp_path, name) == []


def test_a_product_without_a_gradient_is_none(tmp_path: Path) -> None:
    assert _found("y.cumprod(1)", tmp_path, "without_gradient", trains=False) == []


@pytest.mark.parametrize(
    ("eager", "compiled", "is_busy", "level"),
    [(300, 1000, False, "problem"), (300, 1000, True, "note"), (1000, 300, False, "note")],
)
def test_where_a_step_was_measured_to_be_slower_it_is_a_problem(
    eager: float, compiled: float, is_busy: bool, level: str, tmp_path: Path
) -> None:
    source = _PROGRAM.format(product=PRODUCTS["along_rows"], trains=True)
    facts = recorded(source, tmp_path, "measured_product")
    found = findings_of(with_steps(facts, eager=eager, compiled=compiled, is_busy=is_busy))
    [one] = [one for one in found if one.rule == "product-gradient"]
    assert one.level == level
    if level == "problem":
        assert one == found[0]
        assert "a training step takes 1.0 ms, eager's 301 µs" in one.sentence
        assert one.remedy.startswith("If no factor is ever 0")
    else:
        assert "only measuring tells" in one.sentence


@pytest.mark.parametrize("name", [name for name in PRODUCTS if name != SHINING])
def test_the_short_formula_ends_the_finding_and_has_eagers_gradient(
    name: str, tmp_path: Path
) -> None:
    [found] = _found(PRODUCTS[name], tmp_path, f"formula_{name}")
    function, _, call = found.code.rpartition("\n\n")
    source = _PROGRAM.format(product=call.replace("(x", "(y"), trains=True)
    head = textwrap.indent(function, "    ").strip()
    source = source.replace("class Own(", f"{head}\n\n    class Own(", 1)
    mended = program(source, tmp_path, f"mended_{name}")
    fault = program(_PROGRAM.format(product=PRODUCTS[name], trains=True), tmp_path, f"was_{name}")
    assert findings_of(mended.record(lab)) == ()
    x = torch.randn(4, 6, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(mended.fn(x), fault.fn(x))
    (short,), (expected,) = (torch.autograd.grad(one.fn(x), x) for one in (mended, fault))
    torch.testing.assert_close(short, expected)
