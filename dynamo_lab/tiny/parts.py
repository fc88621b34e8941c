"""Parts: of a weight with chosen channels, those alone need memory that changes.

The other channels are constant, and lie with the constants: as the authors' engine has it, whose
convolutions read the first channels' weights from RAM and the others' from flash (`kernel_sram` and
`kernel_flash` of the `partialCH` kernels, github.com/mit-han-lab/tinyengine).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynamo_lab.tiny.int8.operators import conv8_sgd_

if TYPE_CHECKING:
    import torch

    from dynamo_lab.tiny.graph import StepGraph


@dataclass(frozen=True)
class Part:
    """The channels along `dim` of a weight that are trained, of so many that there are."""

    dim: int
    channels: tuple[int, ...]
    whole: int

    @property
    def others(self) -> tuple[int, ...]:
        """The channels that are not."""
        chosen = set(self.channels)
        return tuple(channel for channel in range(self.whole) if channel not in chosen)

    @property
    def slots(self) -> tuple[int, ...]:
        """By channel its number among the trained ones, or, as ~k, among the others."""
        found = {channel: k for k, channel in enumerate(self.channels)}
        found |= {channel: ~k for k, channel in enumerate(self.others)}
        return tuple(found[channel] for channel in range(self.whole))

    def of(self, size: int) -> int:
        """How much of a size of all channels is that of the trained ones."""
        return size // self.whole * len(self.channels)

    def constants(self, size: int) -> int:
        """The bytes of what is constant of a weight of a size: other channels, and 2 a slot."""
        return size - self.of(size) + 2 * self.whole


def parts_of(step: StepGraph) -> dict[str, Part]:
    """By placeholder, of an int8 step with its updates; empty of any other."""
    found: dict[str, Part] = {}
    for node in step.graph.nodes:
        if node.target is conv8_sgd_ and node.kwargs.get("channels") is not None:
            name, dim = node.meta["writes"], node.kwargs["dim"]
            value: torch.Tensor = step.nodes[name].meta["val"]
            found[name] = Part(dim, tuple(node.kwargs["channels"]), value.shape[dim])
    return found
