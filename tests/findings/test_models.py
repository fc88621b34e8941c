"""Findings on whole models of ours: none fails, none compiles, none is a problem of a clean one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import dynamo_lab as lab
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.live


class Step(nn.Module):
    """A residual block of a UNet, told the time."""

    def __init__(self, given: int, made: int) -> None:
        super().__init__()
        self.norm, self.conv = nn.GroupNorm(4, given), nn.Conv2d(given, made, 3, padding=1)
        self.time, self.skip = nn.Linear(16, made), nn.Conv2d(given, made, 1)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        h = self.conv(F.silu(self.norm(x))) + self.time(F.silu(time))[:, :, None, None]
        return h + self.skip(x)


class UNet(nn.Module):
    """Down, attention in the middle, and up again with what was kept on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.start = nn.Conv2d(3, 8, 3, padding=1)
        self.down = nn.ModuleList([Step(8, 16), Step(16, 32)])
        self.middle = nn.MultiheadAttention(32, 4, batch_first=True)
        self.up = nn.ModuleList([Step(32 + 32, 16), Step(16 + 16, 8)])
        self.end = nn.Conv2d(8, 3, 3, padding=1)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        kept: list[Tensor] = []
        h = self.start(x)
        for block in self.down:
            h = block(h, time)
            kept.append(h)
            h = F.avg_pool2d(h, 2)
        tokens = h.flatten(2).transpose(1, 2)
        tokens = tokens + self.middle(tokens, tokens, tokens, need_weights=False)[0]
        h = tokens.transpose(1, 2).reshape(h.shape)
        for block in self.up:
            h = F.interpolate(h, scale_factor=2.0, mode="nearest")
            h = block(torch.cat([h, kept.pop()], 1), time)
        return self.end(h)


def unet() -> lab.Recording:
    return lab.explore(
        UNet(), torch.randn(2, 3, 16, 16), torch.randn(2, 16), backend="aot_eager", grad=True
    )


def lstm() -> lab.Recording:
    class Reader(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.rnn = nn.Embedding(32, 16), nn.LSTM(16, 16, batch_first=True)
            self.head = nn.Linear(16, 32)

        def forward(self, tokens: Tensor) -> Tensor:
            return self.head(self.rnn(self.embed(tokens))[0])

    return lab.explore(Reader(), torch.randint(0, 32, (2, 12)), backend="aot_eager", grad=True)


def training() -> lab.Recording:
    model = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 1))
    rate = torch.tensor(0.01)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)

    def step(x: Tensor, y: Tensor) -> Tensor:
        optimizer.zero_grad(set_to_none=True)
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    untyped: Any = torch
    compiled = untyped.compile(step, backend="aot_eager")
    with lab.record() as recorder:
        for _ in range(3):
            compiled(torch.randn(4, 8), torch.randn(4, 1))
            scheduler.step()
    return recorder.recording


HOSTILE = "</script><img src=x onerror=alert(1)>\u2028\u202e\x1b[31m"


def hostile() -> lab.Recording:
    class Named(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.add_module(HOSTILE, nn.Linear(4, 4))
            self.calls = 0

        def forward(self, x: Tensor) -> Tensor:
            self.calls += 1
            if x.sum() > 0:
                x = x * self.calls
            return self._modules[HOSTILE](x)  # pyright: ignore[reportOptionalCall]

    untyped: Any = torch
    compiled = untyped.compile(Named(), backend="eager")
    with lab.record(HOSTILE) as recorder:
        for _ in range(4):
            compiled(torch.ones(2, 4))
    return recorder.recording


MODELS: tuple[Callable[[], lab.Recording], ...] = (unet, lstm, training, hostile)


def _refused(*_: Any, **__: Any) -> None:
    raise AssertionError("reading findings compiled something")


@pytest.mark.parametrize("made", MODELS)
def test_findings_of_a_model_are_read_without_compiling(
    made: Callable[[], lab.Recording],
) -> None:
    recording = made()
    assert recording.failure is None
    assert not recording.notes
    with (
        mock.patch("torch._dynamo.convert_frame.compile_frame", _refused, create=True),
        mock.patch("torch._inductor.compile_fx.compile_fx", _refused),
        mock.patch.object(torch, "compile", _refused),
    ):
        found = build(recording).findings
        printed = render(build(recording), sections=("findings",), width=100)
        assert len(recording.findings) == len(found.found)
    assert printed
    assert "\x1b[31m" not in printed
    assert "\u202e" not in printed


@pytest.mark.slow
def test_a_clean_model_has_notes_at_most() -> None:
    found = build(unet()).findings.found
    assert [(one.rule, one.sentence) for one in found if one.level == "problem"] == []
