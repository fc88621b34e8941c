"""The same programs on a CUDA device: Triton kernels, linked to the lines they came from."""

from typing import Any

import pytest
import torch

import dynamo_lab as lab
from tests.live.programs import PROGRAMS

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

WITHOUT_KERNELS = {"lstm"}  # Dynamo skips the whole model on releases that lack RNN support


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_recorded_with_its_triton_kernels(name: str) -> None:
    with torch.device("cuda"):
        fn, args, given = PROGRAMS[name]()
    options = {key: given.pop(key) for key in ("grad", "dynamic") if key in given}
    recording = lab.explore(fn, *args, **options, **given)
    assert recording.failure is None
    lab.check(recording, failures=0)
    if not recording.captured_graphs():
        assert name in WITHOUT_KERNELS
        return
    languages = {kernel.language for kernel in recording.kernels}
    # Reformer keeps some indices on the CPU
    assert languages <= {"triton", "extern"} | ({"cpp"} if name == "reformer" else set())
    assert "triton" in languages or name == "attention"
    generated = [kernel for kernel in recording.kernels if kernel.language == "triton"]
    assert all("@triton.jit" in kernel.code for kernel in generated)
    assert all(kernel.nodes for kernel in generated)


def test_a_backward_that_the_autograd_thread_compiles_is_recorded_whole() -> None:
    weight = torch.randn(64, 64, device="cuda", requires_grad=True)

    def loss(x: torch.Tensor) -> Any:
        return (x @ weight).relu().square().sum()

    x = torch.randn(32, 64, device="cuda")
    for _ in range(2):  # the second time a compile cache could answer
        with lab.record() as recorder:
            torch.compile(loss)(x).backward()
        recording = recorder.recording
        lab.check(recording, failures=0)
        backward = [g.id for g in recording.graphs if g.stage == "post_grad" and g.is_backward]
        assert len(backward) == 1
        assert any(kernel.graph == backward[0] for kernel in recording.kernels)
