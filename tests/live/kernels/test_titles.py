"""Titles of the loops around a library's kernel: they hand it what it reads, and no more."""

import torch
from torch import Tensor
from torch.nn.functional import conv2d, linear

import dynamo_lab as lab
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build


def _titles(recording: Recording) -> dict[str, list[str]]:
    """Of the kernels that are written, and of those that are called."""
    found: dict[str, list[str]] = {"loop": [], "extern": []}
    for one in build(recording).kernels.kernels:
        found["extern" if one.language == "extern" else "loop"].append(one.title)
    return found


def test_a_copy_for_a_library_is_not_what_the_library_computes() -> None:
    def convolved(x: Tensor, w: Tensor) -> Tensor:
        return conv2d(x, w)

    found = _titles(lab.lower(convolved, torch.randn(1, 3, 8, 8), torch.randn(4, 3, 3, 3)))
    assert found["extern"] == ["conv2d"]
    assert found["loop"]
    assert found["loop"][0] == "input of conv2d"
    assert set(found["loop"]) <= {"input of conv2d", "result of conv2d"}


def test_a_loop_is_titled_by_its_own_work_where_it_does_some() -> None:
    def rows(x: Tensor, w: Tensor) -> Tensor:
        return linear(torch.sin(x).transpose(0, 1), w).cos()

    found = _titles(lab.lower(rows, torch.randn(3, 4, 8), torch.randn(5, 8)))
    assert found == {"loop": ["sin", "cos"], "extern": ["linear"]}


def test_what_draws_the_seeds_is_not_what_draws_the_numbers() -> None:
    def noisy(x: Tensor) -> Tensor:
        return x + torch.randn_like(x)

    found = _titles(lab.lower(noisy, torch.randn(8, 8)))
    assert found == {"loop": ["fused randn_like + add"], "extern": ["seeds of randn_like"]}
