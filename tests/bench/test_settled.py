"""What compiles at every call is not timed: past Dynamo's limit it would run eagerly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor, nn

from dynamo_lab.bench.settled import settle
from dynamo_lab.capture.core.compat import many_ways
from dynamo_lab.errors import BenchError

if TYPE_CHECKING:
    from collections.abc import Callable


class _Counts(nn.Module):
    """A forward that counts its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def forward(self, x: Tensor) -> Tensor:
        self.steps += 1
        return x * self.steps


def _call(fn: Callable[[Tensor], Tensor]) -> Callable[[], object]:
    torch.compiler.reset()
    library: Any = torch
    way, x = library.compile(fn, backend="eager"), torch.ones(2)
    return lambda: way(x)


def test_what_compiles_at_every_call_is_refused() -> None:
    with many_ways(), pytest.raises(BenchError, match="compiled anew at every call"):
        settle(_call(_Counts()))


def test_a_number_that_becomes_dynamic_settles() -> None:
    count = [0]

    def fn(x: Tensor) -> Tensor:
        count[0] += 1
        return x * count[0]

    with many_ways():
        settle(_call(fn))
    assert count[0] > 2
