"""One node that a pass puts in place of several is of the lines of all of them."""

import math
from typing import Any

import torch

import dynamo_lab as lab
from dynamo_lab.view import build


def product_and_sum(h: torch.Tensor, u: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    y = h @ u
    z = y + b
    return z.relu()


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    scores = q @ k.transpose(-2, -1)
    scaled = scores / math.sqrt(q.shape[-1])
    weights = scaled.softmax(-1)
    return weights @ v


def _lines_of(recording: lab.Recording, fn: Any, kernel: str) -> list[int]:
    """The lines of a function, from its first on, whose journey leads to a kernel."""
    first = fn.__code__.co_firstlineno
    lines = sorted({line - first for *_, line in fn.__code__.co_lines() if line and line > first})
    return [line for line in lines if kernel in str(recording.journey(f"line {first + line}"))]


def test_a_product_and_the_sum_that_is_taken_into_it() -> None:
    recording = lab.lower(
        product_and_sum, torch.randn(64, 64), torch.randn(64, 64), torch.randn(64)
    )
    [extern] = [one for one in build(recording).kernels.kernels if one.language == "extern"]
    assert extern.title == "matmul + add"
    assert _lines_of(recording, product_and_sum, extern.title) == [1, 2]


def test_attention_by_hand() -> None:
    inputs = [torch.randn(2, 4, 64, 64) for _ in range(3)]
    recording = lab.lower(attention, *inputs)
    [extern] = [one for one in build(recording).kernels.kernels if "scaled_dot_product" in one.name]
    assert _lines_of(recording, attention, extern.title) == [1, 2, 3, 4]
