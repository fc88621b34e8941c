"""What differs between the layers, and between the steps, of a model that is trained."""

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


def stepped(*, is_first_eager: bool) -> lab.Recording:
    """Three steps of an optimizer that keeps a momentum from its first one on."""
    weight = torch.nn.Parameter(torch.ones(4))
    weight.grad = torch.ones(4)
    optimizer = torch.optim.SGD([weight], lr=0.1, momentum=0.9)
    if is_first_eager:
        optimizer.step()
    with lab.record() as recorder:
        compiled = torch.compile(lambda: optimizer.step(), backend="aot_eager")
        for _ in range(3):
            compiled()
    return recorder.recording


def test_a_momentum_is_compiled_for_once_more_unless_the_first_step_is_eager() -> None:
    recording = stepped(is_first_eager=False)
    assert recompilations(recording) == 1
    (told,) = [one for one in recording.findings if one.question == "recompilations"]
    assert told.rule == "optimizer-state"
    assert told.level == "note"
    assert "A first step without `torch.compile` spares it." in told.remedy
    assert recompilations(stepped(is_first_eager=True)) == 0
