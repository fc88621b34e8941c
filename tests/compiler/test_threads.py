"""How the threads of the CPU share the work of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from dynamo_lab import compiler

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.live


def test_the_threads_are_pytorchs() -> None:
    x, before = torch.randn(300, 300), torch.get_num_threads()
    lab = torch.compile(lambda x: x.tanh() + 1, backend="lab")
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            torch.testing.assert_close(lab(x), x.tanh() + 1)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("fn", [lambda x: x.exp().sum(-1), lambda x: x.softmax(-1)])
def test_threads_share_few_rows_or_each_row(fn: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """A parallel region in another, be it serial, would start new threads at every call."""
    x, before = torch.randn(3, 40_000), torch.get_num_threads()
    lab = torch.compile(fn, backend="lab")
    try:
        for threads in (1, 3, 4):
            torch.set_num_threads(threads)
            torch.testing.assert_close(lab(x), fn(x))
    finally:
        torch.set_num_threads(before)
    (program,) = compiler.programs(fn, x)
    rows, columns = program.sources[0].split("else {")
    assert rows.count("omp parallel") == 1
    assert "    #pragma omp parallel" in rows
    assert all("for simd" in line for line in columns.splitlines() if "omp parallel" in line)
