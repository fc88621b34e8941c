"""What is said of programs whose sizes change, or are known only while they run."""

import importlib
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import dynamo_lab as lab
from dynamo_lab.view import build
from dynamo_lab.view.graphs.graphs import build as graphs
from tests.live.lines import line_of

DYNAMO: Any = importlib.import_module("torch._dynamo.config")
X = torch.randn(8, 16)
BYTES = 8 * 16 * 4


def scaled_by_its_size(x: Tensor) -> Tensor:
    n = x.numel()
    return x.sin() * n  # computed


def filled(x: Tensor) -> Tensor:
    y = torch.full((x.shape[1],), x.shape[0])
    return x + y  # computed


def numbered(x: Tensor) -> Tensor:
    i = torch.arange(x.shape[0])
    return x * i[:, None]  # computed


def scaled_by_an_item(x: Tensor, t: Tensor) -> Tensor:
    k = t.item()
    return x * k  # computed


def places(x: Tensor) -> Tensor:
    i = x.nonzero()
    return i.float().cos()  # computed


def picked(x: Tensor) -> Tensor:
    y = x[x > 0]
    return y.exp().sum()  # computed


def counted(x: Tensor, t: Tensor) -> Tensor:
    k: Any = t.item()
    torch._check(k >= 0)
    return torch.zeros(k).sin() + x.sum()  # computed


def recorded(fn: Callable[..., Any], *args: Tensor) -> lab.Recording:
    both = {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True}
    with DYNAMO.patch(**both):
        return lab.lower(fn, X, *args, dynamic=True, grad=False)


def memory_of(recording: lab.Recording) -> list[str]:
    [schedule] = build(recording).fusions.schedules
    [plan] = schedule.memory
    return list(plan.sentences)


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (scaled_by_its_size, ()),
        (filled, ()),
        (numbered, ()),
        (scaled_by_an_item, (torch.tensor(2.5),)),
        (scaled_by_an_item, (torch.tensor(3),)),
    ],
)
def test_sizes_of_this_run_are_called_so(fn: Callable[..., Any], args: tuple[Tensor, ...]) -> None:
    recording = recorded(fn, *args)
    [kernel] = build(recording).kernels.kernels
    assert str(line_of(fn, "# computed")) in kernel.where
    said = memory_of(recording)
    assert said[0].startswith(f"At most {BYTES} B are allocated")
    assert said[1] == "1 buffer: 1 allocated."
    assert "Dynamic sizes are those of this run." in said


@pytest.mark.parametrize(
    ("fn", "args", "known", "buffers"),
    [
        (places, (), "0 B", "2 buffers: 2 allocated."),  # the places, and their cosines
        (picked, (), "128 B", "3 buffers: 3 allocated."),  # the mask, what it picks, the sum
        (counted, (torch.tensor(5),), "4 B", "2 buffers: 2 allocated."),  # the sum, the result
    ],
)
def test_sizes_that_only_a_run_knows_make_it_a_lower_bound(
    fn: Callable[..., Any], args: tuple[Tensor, ...], known: str, buffers: str
) -> None:
    recording = recorded(fn, *args)
    kernels = build(recording).kernels.kernels
    assert all(kernel.where for kernel in kernels)
    assert str(line_of(fn, "# computed")) in kernels[-1].where
    said = memory_of(recording)
    assert said[0].startswith(f"At least {known} are allocated")
    assert said[1] == buffers
    assert not any("Fusion kept" in one for one in said)  # a check of a size is no buffer
    assert "Sizes computed only at run time are unknown, and count as zero." in said


def test_what_a_mask_picks_is_no_view() -> None:
    assert "view" not in graphs(recorded(picked))[0].arithmetic
    assert graphs(recorded(numbered))[0].arithmetic.endswith("1 view")  # a new axis
