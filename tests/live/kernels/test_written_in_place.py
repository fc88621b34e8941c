"""Library functions that write in place are kernels as all others: each is listed and tied."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.view import build


def scattered(x: torch.Tensor, at: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x.scatter_add(0, at, y) * 2


def chosen(x: torch.Tensor, mask: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x.index_put((mask,), y) * 2


def drawn(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x).bernoulli_(0.5) * x


INDICES = torch.randint(8, (16,))
MASK = torch.arange(8) % 2 == 0


@pytest.mark.parametrize(
    ("fn", "given", "called"),
    [
        (scattered, (torch.randn(8), INDICES, torch.randn(16)), "aten.scatter_reduce_.two"),
        (chosen, (torch.randn(8), MASK, torch.randn(4)), "aten.index_put_"),
        (drawn, (torch.randn(8),), "torch.ops.aten.bernoulli_.float"),
    ],
)
def test_a_library_that_writes_in_place_is_a_kernel(
    fn: Callable[..., torch.Tensor], given: Any, called: str
) -> None:
    recording = lab.lower(fn, *given, target="cpu", grad=False)
    (kernel,) = [one for one in recording.kernels if one.language == "extern"]
    assert (kernel.name, kernel.calls, len(kernel.nodes)) == (called, 1, 1)
    assert kernel.line is not None
    assert called in recording.wrappers[0].code.split("\n")[kernel.line - 1]
    (step,) = [one for one in recording.memory_plans[0].steps if one.name == called]
    assert step.kernel == kernel.id
    assert kernel.id in [one.kernel for one in recording.schedules[0].final]
    assert "calls 1 library kernel" in build(recording).summary.sentence
