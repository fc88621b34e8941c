"""Precision as tried, against what PyTorch computes with the same settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.bench.precision.errors import in_units
from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    from dynamo_lab.api.precision.precision import Precisions
    from dynamo_lab.model.precision.trial import Way


class Net(nn.Module):
    """Two products around a norm."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(32, 64)
        self.norm = nn.LayerNorm(64)
        self.down = nn.Linear(64, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu(self.up(x))
        return self.down(self.norm(hidden))


NET = Net()
X = torch.randn(16, 32)


@pytest.fixture(scope="module")
def tried() -> Precisions:
    return lab.precision(NET, X, rounds=0)


def way(tried: Precisions, name: str) -> Way:
    return next(one for one in tried.trial.ways if one.name == name)


def test_every_precision_gives_what_pytorch_gives(tried: Precisions) -> None:
    with torch.no_grad():
        exact = _double(NET)(X.double())
        with torch.autocast("cpu", torch.bfloat16):
            cast = NET(X)
    median = in_units(exact, cast).median()
    whole = next(error for error in way(tried, "autocast bf16").errors if not error.module)
    assert whole.median == pytest.approx(float(median))
    assert way(tried, "autocast bf16").dtype == "bfloat16"
    assert way(tried, "autocast fp16").dtype == "float16"


def _double(net: nn.Module) -> nn.Module:
    made = Net().double()
    made.load_state_dict(net.state_dict())
    return made


@pytest.mark.parametrize("name", ["high", "medium"])
def test_that_a_setting_changes_nothing_is_said_where_it_is_so(
    tried: Precisions, name: str
) -> None:
    before = torch.get_float32_matmul_precision()
    with torch.no_grad():
        plain = NET(X)
        torch.set_float32_matmul_precision(name)
        try:
            other = NET(X)
        finally:
            torch.set_float32_matmul_precision(before)
    assert way(tried, name).same == torch.equal(plain, other)


def test_errors_are_by_module_and_grow_as_precision_falls(tried: Precisions) -> None:
    def median(name: str, module: str) -> float:
        return next(e.median for e in way(tried, name).errors if e.module == module)

    for module in ("up", "norm", "down", ""):
        highest = median("highest", module)
        assert highest < 100 < median("autocast fp16", module) < median("autocast bf16", module)
        assert median("bf16 weights", module) > 1000


def test_operators_of_another_type_have_the_reader_s_line(tried: Precisions) -> None:
    found = {(one.name, one.dtype): one for one in way(tried, "autocast bf16").operators}
    product = found["aten::addmm", "bfloat16"]
    assert Path(product.file) == Path(__file__)
    assert ("aten::addmm", "float32") not in found
    row = next(one for one in tried.view.ways if one.name == "autocast bf16")
    assert any("aten::addmm: float32 -> bfloat16" in one for one in row.changed)
    assert tried.view.ways[0].changed == ()


def test_nothing_is_left_behind(tried: Precisions) -> None:
    assert tried.trial.ways
    assert torch.get_float32_matmul_precision() == "highest"
    assert not torch.is_autocast_enabled("cpu")
    assert {parameter.dtype for parameter in NET.parameters()} == {torch.float32}
    assert not any(module._forward_hooks for module in NET.modules())


def test_a_precision_that_fails_is_told_and_the_setting_put_back() -> None:
    def only_float32(x: torch.Tensor) -> torch.Tensor:
        result = x @ x.T
        if result.dtype == torch.float16:
            raise ValueError("no half")
        return result

    asked = lab.precision(only_float32, X, rounds=0)
    assert way(asked, "autocast fp16").error == "no half"
    assert way(asked, "autocast bf16").error == ""
    assert "bf16 weights" not in {one.name for one in asked.trial.ways}
    assert "It raised an error: no half" in str(asked)
    assert torch.get_float32_matmul_precision() == "highest"


def test_a_unit_is_the_distance_to_the_next_float32() -> None:
    exact = torch.tensor([1.0, 2.0, -4.0], dtype=torch.float64)
    step = 2.0**-23
    got = torch.tensor([1 + step, 2 + 4 * step, -4.0], dtype=torch.float32)
    assert in_units(exact, got).tolist() == [1.0, 2.0, 0.0]


def test_it_is_timed_and_shown() -> None:
    asked = lab.precision(NET, X, backend="eager", rounds=2, seconds=0.01)
    assert all(len(one.seconds) >= 2 <= len(one.eager_seconds) for one in asked.trial.ways)
    shown: dict[str, Any] = asked._repr_mimebundle_()
    assert "<table>" in shown["text/html"]
    assert "units in the last place of float32" in shown["text/plain"]


def test_bad_input_gets_a_sentence() -> None:
    with pytest.raises(OptionError, match="cannot be called"):
        lab.precision("net", X)  # pyright: ignore[reportArgumentType]
