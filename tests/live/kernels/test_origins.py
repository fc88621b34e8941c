"""What kernels are made for: a library's computes one operator, not what makes its inputs."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.view import build

SQUARE = torch.randn(16, 16)


def of_language(recording: lab.Recording, language: str) -> list[list[str]]:
    """The nodes of each kernel in this language."""
    return [
        [recording.graphs[kernel.graph or 0].nodes.name[node] for node in kernel.nodes]
        for kernel in recording.kernels
        if kernel.language == language
    ]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cpu", "cuda:sm_90"])
def test_a_product_after_other_operators_computes_the_product_alone(target: str) -> None:
    module = nn.Sequential(nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 16), nn.GELU())
    recording = lab.lower(module, SQUARE, target=target)
    assert of_language(recording, "extern") == [["addmm"]]
    assert [
        kernel.title for kernel in build(recording).kernels.kernels if kernel.language == "extern"
    ] == ["linear"]


@pytest.mark.parametrize(
    ("fn", "own"),
    [
        (lambda x: torch.linalg.qr(x.relu() + 1), "linalg_qr"),
        (lambda x: x.relu().sort(-1), "sort"),
        (lambda x: nn.functional.max_pool2d(x.exp()[None, None], 3, 3).cumsum(-1), "cumsum"),
    ],
)
def test_an_operator_without_a_lowering_computes_itself_alone(
    fn: Callable[..., Any], own: str
) -> None:
    assert of_language(lab.lower(fn, SQUARE, target="cpu"), "extern") == [[own]]


def test_a_template_computes_its_product_and_what_is_fused_after_it() -> None:
    half = torch.randn(64, 64, dtype=torch.bfloat16)
    options = {"max_autotune_gemm": True, "max_autotune_gemm_backends": "TRITON"}
    recording = lab.lower(
        lambda x, w: (x.relu() @ w).sigmoid(), half, half, target="cuda:sm_90", options=options
    )
    assert of_language(recording, "triton") == [["relu"], ["mm", "sigmoid"]]
