"""The int8 step in PyTorch: samples become integers, and the model's parameters follow theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from dynamo_lab.tiny.int8.loss import SCORE
from dynamo_lab.tiny.step import ArenaStep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dynamo_lab.tiny.arena import Arena
    from dynamo_lab.tiny.int8.quantize import Quantized
    from dynamo_lab.tiny.int8.scales import Scale


class Int8Step:
    """A step in int8 that also writes what it changed to the float parameters, times its scale."""

    def __init__(
        self, quantized: Quantized, arena: Arena, values: Mapping[str, torch.Tensor]
    ) -> None:
        self._quantized = quantized
        self._values = values
        self._run = ArenaStep(quantized.step, arena, quantized.values)

    @property
    def is_intact(self) -> bool:
        """Whether nothing was written behind the arena's end."""
        return self._run.is_intact

    @property
    def steps(self) -> int:
        """How many steps it has made."""
        return self._run.steps

    @torch.no_grad()
    def __call__(self, sample: Sequence[torch.Tensor], lr: float) -> torch.Tensor:
        """The loss of a sample, and all parameters updated."""
        loss = self._run(self.integers(sample), lr)
        for name in self._quantized.step.updated:
            scales, integers = self._quantized.scales[name], self._quantized.values[name]
            shape = (-1, *([1] * (integers.dim() - 1)))
            self._values[name].copy_(integers * scales.view(shape))
        return loss

    def scores(self, inputs: Sequence[torch.Tensor]) -> torch.Tensor:
        """The model's output for inputs, without a step."""
        return self._run.forward(self.integers(inputs), self._quantized.scores).float() * SCORE

    def integers(self, sample: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """A sample as the step takes it."""
        scales = self._quantized.inputs
        return [
            as_int8(given, scales[name]) if name in scales and given.is_floating_point() else given
            for name, given in zip(self._quantized.step.inputs, sample, strict=False)
        ]


def as_int8(value: torch.Tensor, scale: Scale) -> torch.Tensor:
    """Values in a scale, those beyond its ends at them."""
    return ((value / scale.scale).round() + scale.zero).clamp(-128, 127).to(torch.int8)
