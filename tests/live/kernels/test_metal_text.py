"""Inductor's Metal: a C++ compiler that is told what Metal adds takes each generated kernel."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import dynamo_lab as lab
from dynamo_lab.model.recording import Recording
from dynamo_lab.suite.models.models import models
from tests.kernels.metal_of_torch import library, mistakes
from tests.live.foreign.every import FOREIGN
from tests.live.programs import PROGRAMS


def metal(recording: Recording) -> list[str]:
    return [kernel.code for kernel in recording.kernels if kernel.language == "metal"]


def sample(x: Tensor, keep: Tensor) -> Any:
    """Loops and reductions, halves, whole numbers, random numbers and special functions."""
    y = functional.layer_norm(x, (64,)).softmax(-1) * torch.where(keep, x.erf(), x.lgamma())
    return functional.dropout(y, 0.5), x.half().exp() + 1, x.argmax(-1) % 5, (x > 0).sum(0)


@pytest.fixture(scope="module")
def shaders() -> list[str]:
    recording = lab.lower(sample, torch.randn(8, 64), torch.rand(8, 64) > 0.5, target="mps")
    return metal(recording)


def test_generated_shaders_are_c_plus_plus_with_what_metal_adds(shaders: list[str]) -> None:
    text = "\n".join(shaders)
    assert all(word in text for word in ("threadgroup_", "erf", "half", "rand"))
    assert mistakes(shaders) == ""


def test_a_mistake_in_one_is_found_on_its_line(shaders: list[str]) -> None:
    wrong = shaders[0].replace("static_cast<", "static_cost<")
    assert wrong != shaders[0]
    line = next(n for n, one in enumerate(wrong.splitlines(), 1) if "static_cost" in one)
    assert f"shader 1:{line}:" in mistakes([shaders[-1], wrong])


def test_an_elementwise_shader_computes_what_eager_does(tmp_path: Path) -> None:
    def f(x: Tensor, y: Tensor) -> Tensor:
        return (x.sin() * y + x.erf()).clamp(min=-0.5)

    x, y = torch.randn(96), torch.randn(96)
    (shader,) = metal(lab.lower(f, x, y, target="mps", grad=False))
    out = torch.empty(96)
    library(shader, tmp_path).generated_kernel(out, x, y, threads=96, group_size=32)
    torch.testing.assert_close(out, f(x, y))


def programs() -> dict[str, Any]:
    """The model list: programs, foreign ones, and the suite's models, small."""
    return {**PROGRAMS, **FOREIGN, **models()}


def _lowered(name: str) -> Recording:
    if made := {**PROGRAMS, **FOREIGN}.get(name):
        fn, args, options = made()
        return lab.lower(fn, *args, target="mps", **options)
    model = models()[name]
    if not model.is_installed:
        pytest.skip(f"needs {model.family}")
    program = model.build("small")

    def called(inputs: Any) -> Any:  # of which one may be named as an option of `lower` is
        return program.module(**inputs)

    return lab.lower(called, program.inputs, target="mps", grad=True)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(programs()))
def test_every_shader_of_the_model_list(name: str) -> None:
    recording = _lowered(name)
    if recording.failure is not None:
        assert name in ("double", "attention_trained")  # which PyTorch refuses for MPS itself
    assert mistakes(metal(recording)) == ""
