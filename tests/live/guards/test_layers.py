"""Layers that share code: the first one's input has no gradient, that of the others has."""

from __future__ import annotations

from typing import Any

import torch

import dynamo_lab as lab
from dynamo_lab.view.guards.compilations import recompilations


class Layer(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.base = torch.nn.Linear(4, 4).requires_grad_(False)
        self.up = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.up(self.base(x)) + x


def trained(code: str = "") -> tuple[lab.Recording, list[torch.Tensor]]:
    """A recorded step with `code` before each layer, and the gradients that it left."""
    torch.manual_seed(0)
    layers = [Layer() for _ in range(3)]
    scope: dict[str, Any] = {"torch": torch, "x": torch.ones(2, 4)}
    with lab.record() as recorder:
        for layer in layers:
            layer.compile(backend="aot_eager")
            exec(code, scope)
            scope["x"] = layer(scope["x"])
        scope["x"].sum().backward()
    found = [one.grad for layer in layers for one in layer.up.parameters()]
    return recorder.recording, [one for one in found if one is not None]


def test_what_is_advised_on_gradients_takes_none_from_the_layers_before() -> None:
    recording, gradients = trained()
    assert recompilations(recording) == 1
    (told,) = [one for one in recording.findings if one.rule == "gradients-change"]
    mended, same = trained(told.code)
    assert recompilations(mended) == 0
    assert len(same) == len(gradients) == 6
    torch.testing.assert_close(same, gradients)
