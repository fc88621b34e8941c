"""Precision as tried, against what PyTorch computes with the same settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch._dynamo.utils import counters

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
FORWARD = Net.forward
NONE: dict[str, Any] = {"backend": None, "rounds": 0}
"""Nothing is compiled, nothing timed."""


@pytest.fixture(scope="module")
def tried() -> Precisions:
    return lab.precision(NET, X, backend=None, rounds=0)


@pytest.fixture(scope="module")
def compiled() -> Precisions:
    counters.clear()
    made = lab.precision(NET, X, precisions=["high", "autocast bf16"], rounds=2, seconds=0.01)
    # each at most once: what is compiled again when it is timed is not what was recorded
    assert counters["stats"]["unique_graphs"] == len(made.recordings)
    return made


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

    asked = lab.precision(only_float32, X, backend=None, rounds=0)
    assert way(asked, "autocast fp16").error == "no half"
    assert way(asked, "autocast bf16").error == ""
    assert "bf16 weights" not in {one.name for one in asked.trial.ways}
    assert "It raised an error: no half" in str(asked)
    assert torch.get_float32_matmul_precision() == "highest"


class Trained(nn.Module):
    """A norm with statistics, and dropout: both act in training alone."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.drop = nn.BatchNorm1d(32), nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.drop(self.norm(x))


def test_a_model_that_trains_has_no_errors_and_keeps_its_state() -> None:
    model, drawn = Trained(), torch.random.get_rng_state()
    asked = lab.precision(model, X, **NONE)
    assert not any(one.errors for one in asked.trial.ways)
    assert "call .eval() first" in str(asked)
    assert "call .eval() first" in asked._repr_mimebundle_()["text/html"]
    assert int(model.norm.num_batches_tracked or 0) == 0
    assert torch.equal(torch.random.get_rng_state(), drawn)
    again = lab.precision(model.eval(), X, **NONE)
    assert all(one.errors for one in again.trial.ways)
    assert again.view.unlike == ""


def test_without_float64_there_is_no_error_to_know() -> None:
    weight = torch.randn(32, 4)
    asked = lab.precision(lambda x: x @ weight, X, **NONE)
    assert "does not run in float64" in asked.view.unlike
    assert way(asked, "autocast bf16").dtype == "bfloat16"


def test_a_unit_is_the_distance_to_the_next_float32() -> None:
    exact = torch.tensor([1.0, 2.0, -4.0], dtype=torch.float64)
    step = 2.0**-23
    got = torch.tensor([1 + step, 2 + 4 * step, -4.0], dtype=torch.float32)
    assert in_units(exact, got).tolist() == [1.0, 2.0, 0.0]


@pytest.mark.slow
def test_kernels_and_memory_are_those_of_each_precision(compiled: Precisions) -> None:
    highest, high, cast = compiled.trial.ways
    assert all(one.peak for one in (highest, high, cast))
    assert all(len(one.seconds) >= 2 <= len(one.eager_seconds) for one in compiled.trial.ways)
    # where a device has no faster products, Dynamo's guards do not tell the two apart
    assert high.reused == ("high" not in compiled.recordings)
    assert highest.kernels == tuple(one.name for one in compiled.recordings["highest"].kernels)
    assert cast.kernels != highest.kernels
    row = compiled.view.ways[-1]
    assert row.lines
    assert all(one.before != one.after for one in row.lines)
    line = FORWARD.__code__.co_firstlineno + 1
    assert any(f"line {line}" in one.where for one in row.lines)
    shown: dict[str, Any] = compiled._repr_mimebundle_()
    assert "<meter" in shown["text/html"]
    assert "units in the last place of float32" in shown["text/plain"]


@pytest.mark.slow
def test_bench_has_it_by_name() -> None:
    asked = lab.bench(NET, X, ways="precision", backend="eager", rounds=2, seconds=0.01)
    assert [one.name for one in asked.trial.ways][:2] == ["highest", "high"]
    assert all(len(one.seconds) >= 2 for one in asked.trial.ways)
    with pytest.raises(OptionError, match="forward without gradients"):
        lab.bench(NET, X, ways="precision", training=True)  # pyright: ignore[reportCallIssue, reportArgumentType]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # PyTorch says that little of complex32 is supported
def test_complex_numbers_in_half_their_bits() -> None:
    def convolved(z: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return F.conv1d(z, w) * 2

    z, w = (torch.randn(*shape, dtype=torch.complex64) for shape in ((1, 2, 16), (3, 2, 3)))
    asked = lab.precision(convolved, z, w, precisions=["complex32"], rounds=0)
    highest, half = asked.trial.ways
    assert (highest.dtype, half.dtype) == ("complex64", "complex32")
    assert highest.errors[0].median < 10 < half.errors[0].median
    exact = convolved(z.to(torch.complex128), w.to(torch.complex128))
    median = in_units(exact, convolved(z, w)).median()
    assert highest.errors[0].median == pytest.approx(float(median))
    # what is multiplied stays complex, for which Inductor generates no code
    alone = asked.view.ways[0].alone
    assert any("aten.mul" in one and "no code for tensors of this type" in one for one in alone)
    assert "complex32" not in {one.name for one in lab.precision(torch.sin, X, **NONE).trial.ways}


@pytest.mark.filterwarnings("ignore")
def test_what_has_no_complex32_is_told() -> None:
    def product(z: torch.Tensor) -> torch.Tensor:
        return z @ z.T

    z = torch.randn(4, 4, dtype=torch.complex64)
    asked = lab.precision(product, z, precisions=["complex32"], **NONE)
    assert "ComplexHalf" in way(asked, "complex32").error
    assert way(asked, "highest").error == ""


def test_bad_input_gets_a_sentence() -> None:
    with pytest.raises(OptionError, match="cannot be called"):
        lab.precision("net", X)  # pyright: ignore[reportArgumentType]
    with pytest.raises(OptionError, match="There is no precision 'fp8'"):
        lab.precision(NET, X, precisions=["fp8"])
