"""The reference that judges rounding: above what it judges, or none."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.bench.widened import NarrowError, widened
from dynamo_lab.model.benchmarks import Comparison

X = torch.randn(64, 65, generator=torch.Generator().manual_seed(0))
SCALE = torch.linspace(1, 2, 65)


def through_half(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x.half() * 3, -1)


def through_bfloat16(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.bfloat16).sum(-1, dtype=torch.float32).type(torch.bfloat16)


def with_own_numbers(x: torch.Tensor) -> torch.Tensor:
    return (x + SCALE) * torch.tensor(0.1) + torch.linspace(0, 1, 65)


def reads_bits(x: torch.Tensor) -> torch.Tensor:
    return x.view(torch.int64).view(torch.float16)


def through_a_type_s_name(x: torch.Tensor) -> torch.Tensor:
    return x.type("torch.HalfTensor") * 2


def with_a_narrow_part(x: torch.Tensor) -> torch.Tensor:
    return x + SCALE.exp()


def plain(x: torch.Tensor) -> torch.Tensor:
    return x.softmax(-1)


def plain_and_off(x: torch.Tensor) -> torch.Tensor:
    return x.softmax(-1) * (1 + 1e-15)


@pytest.mark.parametrize("fn", [through_half, through_bfloat16, with_own_numbers])
def test_all_that_a_program_computes_is_wide_casts_and_new_tensors_included(
    fn: Callable[..., torch.Tensor],
) -> None:
    with widened() as mode:
        found = fn(X.double())
    assert found.dtype == torch.float64
    assert mode.has_cast == (fn is not with_own_numbers)
    assert torch.get_default_dtype() == torch.float32
    assert torch.allclose(found, fn(X).double(), rtol=0.02, atol=0.1)


@pytest.mark.parametrize(
    "fn",
    [reads_bits, through_a_type_s_name, with_a_narrow_part],
)
def test_what_cannot_be_made_wide_gives_no_reference(fn: Callable[..., Any]) -> None:
    with pytest.raises(NarrowError), widened():
        fn(X.double())
    assert torch.get_default_dtype() == torch.float32


def compared(fn: Callable[..., Any], x: torch.Tensor, other: Callable[..., Any]) -> Comparison:
    facts = lab.bench(fn, x, ways={"other": other}, seconds=0.01, cold=False).facts
    return facts.comparisons[0]


def test_a_variant_that_rounds_less_than_eager_is_close_and_a_wrong_one_is_wrong() -> None:
    def rounds_less(x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x.double().half().double() * 3, -1).half()

    def wrong(x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x.half() * 3.1, -1)

    x = X.repeat(1, 8)
    found = compared(through_half, x, rounds_less)
    assert found.verdict == "close"
    assert found.error_ulp is not None
    assert found.eager_error_ulp is not None
    assert found.error_ulp < found.eager_error_ulp
    assert compared(through_half, x, wrong).verdict == "wrong"


def test_float64_does_not_judge_float64() -> None:
    found = compared(plain, X.double(), plain_and_off)
    assert found.verdict == "close"
    assert found.error_ulp is None
