"""Gains: what updating a layer, or a share of it, contributes.

With data it is measured: a copy of the model is trained in float32 with that updated, and its
accuracy compared with what it is without it. The last k biases are compared with the classifier
alone, a share of a weight on top of all biases with all biases (Lin et al., NeurIPS 2022, section
2.2). Without data it is a proxy: by how much a step against the gradient on the example lowers the
loss to first order, per unit of the learning rate: the gradient's squared norm.
"""

from __future__ import annotations

import copy
import random
from statistics import fmean
from typing import TYPE_CHECKING, Any, Protocol

import torch

from dynamo_lab.tiny.search.space import Choice, Scheme
from dynamo_lab.tiny.selection import channel_dim, selection

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from torch import nn

    from dynamo_lab.tiny.optimizer import Optimizer
    from dynamo_lab.tiny.search.options import Search
    from dynamo_lab.tiny.search.space import Space

    Loss = Callable[..., Any]
    Sample = Sequence[torch.Tensor]


class Gains(Protocol):
    """How gains are found; `scores` are kept in a state file, by their key."""

    measure: str
    scores: dict[str, float]

    def gain(self, choice: Choice) -> float:
        """What a choice contributes."""
        ...

    def measured(self, scheme: Scheme) -> float | None:
        """What all choices of a scheme come to together; a proxy knows nothing of it."""
        ...

    @property
    def baseline(self) -> float | None:
        """The measure with the classifier alone, if there is one."""
        ...


class Trained:
    """Gains on data: accuracy where targets are classes, else what is taken off the loss."""

    def __init__(
        self,
        model: nn.Module,
        loss: Loss,
        space: Space,
        how: Search,
        optimizer: Optimizer,
        channels: str,
        scores: dict[str, float],
    ) -> None:
        self._model, self._loss, self._space = model, loss, space
        self._how, self._optimizer, self._channels = how, optimizer, channels
        self.scores = scores
        self.measure = "accuracy" if all(map(_has_classes, how.check)) else "loss"

    @property
    def baseline(self) -> float | None:
        """With the classifier alone."""
        return self.scores.get(self._key(self._space.nothing()))

    def gain(self, choice: Choice) -> float:
        """More accuracy, or less loss."""
        nothing = self._space.nothing()
        every = Scheme(len(self._space.biases), nothing.shares)
        before = every if choice.parameter else nothing
        return self.measured(self._space.with_choice(before, choice)) - self.measured(before)

    def _key(self, scheme: Scheme) -> str:
        return ", ".join(one.key for one in self._space.chosen(scheme)) or "classifier"

    def measured(self, scheme: Scheme) -> float:
        """Of copies that are trained with a scheme, the mean."""
        key = self._key(scheme)
        if key not in self.scores:
            update, times = self._space.update(scheme), self._how.repeats
            self.scores[key] = fmean(self._of_copy(update, order) for order in range(times))
        return self.scores[key]

    def _of_copy(self, update: Mapping[str, Any], order: int) -> float:
        made = copy.deepcopy(self._model)
        self._train(made, update, order)
        with torch.no_grad():
            found = [self._of_sample(made, sample) for sample in self._how.check]
        return sum(right for right, _ in found) / sum(count for _, count in found)

    def _train(self, model: nn.Module, update: Mapping[str, Any], order: int) -> None:
        selected = selection(model, update, self._channels)
        named = dict(model.named_parameters())
        for name, parameter in named.items():
            parameter.requires_grad_(name in selected)
        kept = {
            named[name]: (named[name].detach().clone(), _others(named[name], channels))
            for name, channels in selected.items()
            if channels is not None
        }
        options, rate = self._optimizer, self._how.lr or self._optimizer.lr
        sgd = torch.optim.SGD(
            [named[name] for name in selected],
            rate,
            momentum=options.momentum,
            weight_decay=options.weight_decay,
        )
        for share, sample in self._samples(order):
            sgd.param_groups[0]["lr"] = rate * share
            sgd.zero_grad()
            *inputs, target = sample
            self._loss(model(*inputs), target).backward()
            sgd.step()
            with torch.no_grad():  # an element's step depends on no other: the rest is as it was
                for parameter, (before, others) in kept.items():
                    dim = channel_dim(parameter)
                    parameter.index_copy_(dim, others, before.index_select(dim, others))

    def _samples(self, order: int) -> list[tuple[float, Sample]]:
        """The samples of all epochs in an order, with the share of the learning rate."""
        draw, found = random.Random(f"{self._how.seed} {order}"), list[Any]()
        for _ in range(self._how.epochs):
            found += draw.sample(list(self._how.data or ()), len(self._how.data or ()))
        return [(1 - at / len(found), sample) for at, sample in enumerate(found)]

    def _of_sample(self, model: nn.Module, sample: Sample) -> tuple[float, int]:
        *inputs, target = sample
        scores = model(*inputs)
        if self.measure == "accuracy":
            return (scores.argmax(1) == target).sum().item(), target.numel()
        return -self._loss(scores, target).item(), 1


def _has_classes(sample: Sample) -> bool:
    """Whether the target is a class a row."""
    return sample[-1].dim() == 1 and not sample[-1].is_floating_point()


def _others(parameter: torch.Tensor, channels: Sequence[int]) -> torch.Tensor:
    """The channels that are not chosen."""
    every = range(parameter.shape[channel_dim(parameter)])
    return torch.tensor(sorted(set(every) - set(channels)), dtype=torch.long)


class Proxy:
    """Squared norms of gradients on the example."""

    measure = "gradient"
    baseline = None

    def __init__(
        self, model: nn.Module, loss: Loss, space: Space, example: Sample, channels: str
    ) -> None:
        made = copy.deepcopy(model)
        made.zero_grad()
        *inputs, target = example
        loss(made(*inputs), target).backward()
        self._model, self._space, self._channels = model, space, channels
        self._grads = {
            name: torch.zeros_like(one) if one.grad is None else one.grad
            for name, one in made.named_parameters()
        }
        self.scores: dict[str, float] = {}

    def gain(self, choice: Choice) -> float:
        """Of a choice: those of several add up."""
        if not choice.parameter:
            last = self._space.biases[-choice.biases :]
            return sum(self._grads[name].square().sum().item() for name in last)
        grad = self._grads[choice.parameter]
        asked = "all" if choice.ratio == 1 else choice.ratio
        chosen = selection(self._model, {choice.parameter: asked}, self._channels)
        channels = chosen[choice.parameter]
        if channels is not None:
            grad = grad.index_select(channel_dim(grad), torch.tensor(channels))
        return grad.square().sum().item()

    def measured(self, scheme: Scheme) -> None:
        """Nothing: gradients do not say what training comes to."""
