"""What a search chooses from: how many of the last biases, and a share of each weight's channels.

The classifier, which is the last layer, is updated in every scheme.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch import nn

from dynamo_lab.tiny.selection import channel_dim, selection

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import torch


@dataclass(frozen=True)
class Scheme:
    """How many of the last biases are updated, and of each weight which share (0 for none)."""

    biases: int
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Choice:
    """One thing to update beside the classifier: some last biases, or a share of a weight."""

    parameter: str  # "" for biases
    ratio: float = 1.0
    biases: int = 0

    @property
    def key(self) -> str:
        """Its name in a state file."""
        return f"{self.parameter} {self.ratio:g}" if self.parameter else f"biases {self.biases}"


@dataclass(frozen=True)
class Space:
    """Parameters in the model's order; `ratios` are those of each weight that differ."""

    classifier: tuple[str, ...]
    biases: tuple[str, ...]
    weights: tuple[str, ...]
    ratios: Mapping[str, tuple[float, ...]]

    def nothing(self) -> Scheme:
        """The classifier alone."""
        return Scheme(0, (0.0,) * len(self.weights))

    def with_choice(self, scheme: Scheme, choice: Choice) -> Scheme:
        """A scheme in which this is chosen in place of what was."""
        if not choice.parameter:
            return Scheme(choice.biases, scheme.shares)
        at = self.weights.index(choice.parameter)
        return Scheme(scheme.biases, (*scheme.shares[:at], choice.ratio, *scheme.shares[at + 1 :]))

    def choices(self) -> Iterator[Choice]:
        """Everything that can be chosen."""
        for count in range(1, len(self.biases) + 1):
            yield Choice("", biases=count)
        for name in self.weights:
            for ratio in self.ratios[name]:
                yield Choice(name, ratio)

    def chosen(self, scheme: Scheme) -> Iterator[Choice]:
        """What a scheme has."""
        if scheme.biases:
            yield Choice("", biases=scheme.biases)
        for name, share in zip(self.weights, scheme.shares, strict=True):
            if share:
                yield Choice(name, share)

    def update(self, scheme: Scheme) -> dict[str, Any]:
        """A scheme as `lab.tiny` takes it."""
        found: dict[str, Any] = dict.fromkeys(self.classifier, "all")
        if scheme.biases:
            found |= dict.fromkeys(self.biases[-scheme.biases :], "all")
        for name, share in zip(self.weights, scheme.shares, strict=True):
            if share:
                found[name] = "all" if share == 1 else share
        return found


def space_of(model: nn.Module, ratios: Sequence[float]) -> Space:
    """What there is to choose of a model: its biases, and what has two dimensions or more."""
    classifier = tuple(selection(model, "last 1"))
    others = {
        name: one
        for name, one in model.named_parameters()
        if one.requires_grad and name not in classifier
    }
    weights = tuple(name for name, one in others.items() if one.dim() > 1)
    return Space(
        classifier,
        tuple(name for name in others if name.rpartition(".")[2] == "bias"),
        weights,
        {name: _apart(model, name, others[name], ratios) for name in weights},
    )


def _apart(
    model: nn.Module, name: str, weight: torch.Tensor, ratios: Sequence[float]
) -> tuple[float, ...]:
    """Ratios that are different numbers of channels; all of them where none can be chosen."""
    if not _has_channels(model.get_submodule(name.rpartition(".")[0])):
        return (1.0,)
    most = weight.shape[channel_dim(weight)]
    return tuple({max(1, round(ratio * most)): ratio for ratio in ratios}.values())


def _has_channels(module: nn.Module) -> bool:
    """Whether a layer's weight can be updated in some of its input channels alone."""
    if isinstance(module, nn.Conv1d | nn.Conv2d | nn.Conv3d):
        return module.groups == 1 or module.groups == module.in_channels == module.out_channels
    return isinstance(module, nn.Linear)
