"""Lines of PyTorch, and of code that Inductor wrote, are not shown as the reader's."""

import os
import tempfile

import pytest
import torch
from torch.export import Dim, export

import dynamo_lab as lab
from dynamo_lab.capture.core.sources import Texts
from dynamo_lab.view import build

pytestmark = pytest.mark.live


class Reads(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        n = x.max().item()
        torch._check(n < y.shape[0] * 2)
        return y[:n]


def test_the_assertions_of_an_export_are_pytorch_s_lines() -> None:
    """PyTorch names the file of its pass "torch/fx/passes/runtime_assert.py", wherever one is."""
    given = torch.full((8,), 4), torch.ones(8)
    with lab.record() as recorder:
        export(Reads(), given, dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO}), strict=False)
    recording = recorder.recording
    users = [source.path for source in recording.sources if source.kind == "user"]
    assert users
    assert not any("runtime_assert" in path for path in users)
    assert "an export captures a graph" in build(recording).kernels.empty


@pytest.mark.parametrize(
    ("path", "is_users"),
    [
        ("torch/fx/passes/runtime_assert.py", False),
        ("/home/somebody/.local/lib/python3.11/site-packages/torch/nn/modules/linear.py", False),
        (os.path.join(tempfile.gettempdir(), "torchinductor_me", "gc", "cgc.py"), False),
        ("torch/my_own.py", True),
        ("/home/somebody/model.py", True),
    ],
)
def test_whose_a_file_is(path: str, is_users: bool) -> None:
    assert Texts().is_users(path) == is_users
