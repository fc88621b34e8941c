"""Where tensors lie that are convolved, and that numbers are eager's wherever they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

from dynamo_lab.compiler.backend import compiled
from dynamo_lab.compiler.work import Loop

if TYPE_CHECKING:
    from dynamo_lab.compiler.program import Program

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="needs oneDNN"),
]


@pytest.fixture(autouse=True)
def _fresh() -> None:
    torch.compiler.reset()
    torch.manual_seed(0)


def normed(inside: int, outside: int, size: int, **more: Any) -> list[nn.Module]:
    layer = nn.Conv2d(inside, outside, size, padding=size // 2, bias=False, **more)
    return [layer, nn.BatchNorm2d(outside), nn.ReLU()]


def pooled() -> nn.Module:
    return nn.Sequential(
        *normed(3, 16, 7, stride=2), nn.MaxPool2d(3, 2, 1), *normed(16, 32, 3), *normed(32, 32, 1),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10),
    )  # fmt: skip


class Residual(nn.Module):
    """What a convolution is given is read by a sum too."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(*normed(3, 16, 3))
        self.layers = nn.ModuleList([nn.Sequential(*normed(16, 16, 3)) for _ in range(3)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        for layer in self.layers:
            x = torch.relu(layer(x) + x)
        return x.mean((-1, -2))


def grouped() -> nn.Module:
    layers = [*normed(3, 16, 3), *normed(16, 16, 3, groups=16), *normed(16, 32, 3, dilation=2)]
    return nn.Sequential(*layers, nn.ConvTranspose2d(32, 8, 2, 2), nn.Flatten(2), nn.Softmax(-1))


def shuffled() -> nn.Module:
    """Its views are of strides that a view cannot have after a convolution."""
    parts = [nn.Conv2d(3, 16, 3), nn.PixelShuffle(2), nn.Conv2d(4, 8, 3), nn.ChannelShuffle(4)]
    return nn.Sequential(*parts, nn.Conv2d(8, 8, 1), nn.Flatten(), nn.GELU())


def programs_of(module: nn.Module, x: torch.Tensor, *, train: bool = False) -> list[Program]:
    """The programs of one call, whose numbers are eager's."""
    module.train(train)
    found: list[Program] = []
    with torch.set_grad_enabled(train), compiled(found.append):
        got = torch.compile(module, backend="lab", dynamic=False)(x)
        torch.testing.assert_close(got, module(x), rtol=1e-3, atol=1e-4)
        assert got.stride() == module(x).stride()
    return found


def given(program: Program) -> list[bool]:
    """Of each convolution: are the channels of what it is given side by side?"""
    calls = [work for work in program.graph.work if str(getattr(work, "target", "")) == CONVOLUTION]
    return [call.args[0].stride[1] == 1 for call in calls]  # type: ignore[union-attr]


CONVOLUTION = "aten.convolution.default"


@pytest.mark.parametrize("make", [pooled, Residual, grouped, shuffled])
@pytest.mark.parametrize("size", [(2, 3, 40, 44), (1, 3, 13, 9)])
def test_channels_lie_side_by_side(make: Any, size: tuple[int, ...]) -> None:
    (program,) = programs_of(make(), torch.randn(size))
    assert all(given(program))
    loops = [work for work in program.graph.work if isinstance(work, Loop)]
    copies = [one for one in loops if one.buffer.why and one.buffer.why.cause == "copy"]
    assert {name for one in copies for name in one.reads} <= program.graph.inputs.keys()


def test_what_a_graph_returns_keeps_its_strides() -> None:
    """A training forward returns what each convolution reads: it would all be copied back."""
    forward, *_ = programs_of(pooled(), torch.randn(2, 3, 40, 44), train=True)
    assert not any(given(forward))
    (program,) = programs_of(nn.Conv2d(3, 16, 3), torch.randn(2, 3, 40, 44))
    assert given(program) == [False]


def test_without_the_library_they_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    (program,) = programs_of(pooled(), torch.randn(2, 3, 40, 44))
    assert not any(given(program))
