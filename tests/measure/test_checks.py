from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
import torch

from dynamo_lab.measure.checks import compare, is_wrong, relative_error

if TYPE_CHECKING:
    from dynamo_lab.model.benchmarks import Comparison


def check(
    eager: torch.Tensor, other: torch.Tensor, exact: torch.Tensor | None = None
) -> Comparison:
    known = None if exact is None else {"output": exact}
    (found,) = compare({"output": eager}, {"output": other}, known, way=1, phase="forward")
    return found


def test_the_same_bits_are_equal_infinities_and_nan_too() -> None:
    value = torch.tensor([1.0, math.inf, -math.inf, math.nan])
    assert check(value, value.clone()).verdict == "equal"
    assert check(value, value.nan_to_num()).verdict == "wrong"
    assert check(value, -value).verdict == "wrong"


def test_a_unit_in_the_last_place_is_one_ulp() -> None:
    value = torch.full((4,), 1.5)
    found = check(value, torch.nextafter(value, torch.tensor(2.0)))
    assert found.verdict == "close"
    assert found.ulp == 1.0
    assert found.relative == pytest.approx(2**-23 / 1.5)


def test_one_wrong_element_in_a_million_is_found() -> None:
    value = torch.randn(1_000_000, generator=torch.Generator().manual_seed(0))
    other = value.clone()
    other[123_456] += 0.01
    exact = value.double() + 1e-7
    assert check(value, other, exact).verdict == "wrong"
    assert check(value, other).verdict == "wrong"


def test_what_eager_rounds_too_is_close() -> None:
    exact = torch.linspace(1, 2, 100, dtype=torch.float64) * 1e4
    eager, other = (exact + 0.5).float(), (exact - 1.5).float()
    assert check(eager, other).verdict == "wrong"
    found = check(eager, other, exact)
    assert found.verdict == "close"
    assert found.error_ulp is not None
    assert found.eager_error_ulp is not None
    assert found.error_ulp > found.eager_error_ulp


def test_what_cancels_counts_at_the_size_of_its_parts() -> None:
    eager, other = torch.tensor([1.0, 0.0]), torch.tensor([1.0, 3e-8])
    found = check(eager, other)
    assert found.ulp is not None
    assert found.ulp < 1


def test_other_shapes_dtypes_and_counts_are_wrong_and_say_so() -> None:
    one = torch.zeros(3)
    assert check(one, torch.zeros(4)).reason == "it is float32[4], eager's is float32[3]"
    assert check(one, one.half()).verdict == "wrong"
    found = compare({"a": one}, {}, way=1, phase="step")
    assert is_wrong(found)
    assert found[0].reason == "it gives 0 tensors, eager 1 tensor"


def test_integers_and_complex_numbers() -> None:
    assert check(torch.tensor([1, 2]), torch.tensor([1, 2])).verdict == "equal"
    assert check(torch.tensor([1, 2]), torch.tensor([1, 3])).verdict == "wrong"
    value = torch.tensor([1 + 2j, 3 - 1j])
    assert check(value, value.conj()).verdict == "wrong"
    assert check(value, value * (1 + 1e-7)).verdict in ("equal", "close")


def test_nothing_in_a_tensor_is_equal() -> None:
    assert check(torch.zeros(0), torch.zeros(0)).verdict == "equal"


def test_no_tensors_are_nothing_to_compare() -> None:
    (found,) = compare({}, {}, way=1, phase="forward")
    assert (found.verdict, found.reason) == ("not compared", "the program gives no tensor")


def test_nothing_passes_beside_an_infinity() -> None:
    eager = torch.tensor([math.inf, 1.0, 2.0])
    exact = torch.tensor([7e4, 1.0, 2.0], dtype=torch.float64)
    assert check(eager, torch.tensor([3.0, 1.0, 2.0])).verdict == "wrong"
    assert check(eager, torch.tensor([math.inf, 100.0, -7.0]), exact).verdict == "wrong"
    assert check(eager, torch.tensor([7e4, 1.0, 2.0]), exact).verdict == "close"


def test_sparse_tensors_are_compared() -> None:
    value = torch.eye(3).to_sparse()
    assert check(value, value.clone()).verdict == "equal"
    assert check(value, (torch.eye(3) * 2).to_sparse()).verdict == "wrong"


def test_the_relative_error_is_a_root_mean_square() -> None:
    assert relative_error(torch.tensor([3.0, 5.0]), torch.tensor([3.0, 4.0])) == pytest.approx(0.2)
    assert relative_error(torch.zeros(2), torch.zeros(2)) == 0


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (torch.ones(2), torch.zeros(2)),  # relative to nothing
        (torch.ones(2), torch.ones(3)),
        (torch.ones(0), torch.ones(0)),
        (torch.ones(2), torch.tensor([1.0, -math.inf])),
        (torch.tensor([1.0, math.nan]), torch.ones(2)),
        (torch.ones(2), torch.ones(2, dtype=torch.int32)),
        (None, torch.ones(2)),
    ],
)
def test_a_relative_error_that_is_no_number_is_not_known(
    found: torch.Tensor | None, expected: torch.Tensor
) -> None:
    assert relative_error(found, expected) is None
