# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# torch and scikit-learn annotate their functions only in part.
"""Accuracy of training in float32 and in int8: `python -m tests.benchmarks.tiny.digits [seeds]`.

scikit-learn's handwritten digits (1,797 images of 8 x 8). A network learns the even digits in
float32; then, with a new head, it is trained on the odd ones, each way with the same samples in
the same order. Its accuracy is that of its own forward (int8 where it trained in int8) on images
that no training saw, mean and standard deviation over the seeds. The learning rate falls to zero
in a line, from the same number each way. Without scaling nothing would move at that rate: its own
is the best of a grid, on the first seed, by the accuracy on a third part of the images.
"""

from __future__ import annotations

import copy
import itertools
import sys
from dataclasses import dataclass
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import fuse_conv_bn_eval

import dynamo_lab as lab
from dynamo_lab.render.tables import table
from dynamo_lab.tiny.networks import Block, InvertedBottleneck
from dynamo_lab.view.core.words import size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dynamo_lab.tiny.plan import Plan

BATCH, EPOCHS = 16, 10
TRAIN, CHECK = 480, 160  # of 901 odd digits; the others are the test
RATE = 0.05
UNSCALED = (1e3, 1e4, 1e5)


class Digits(nn.Module):
    """A convolution, inverted bottlenecks and a classifier, for images of 8 x 8."""

    def __init__(self, classes: int = 5) -> None:
        super().__init__()
        blocks = [(8, Block(3, 3, 8)), (8, Block(3, 3, 16, 2)), (16, Block(3, 3, 16))]
        self.first = nn.Conv2d(1, 8, 3, 1, 1)
        self.blocks = nn.ModuleList(InvertedBottleneck(*block) for block in blocks)
        self.last = nn.Conv2d(16, 48, 1)
        self.head = nn.Linear(48, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu6(self.first(x))
        for block in self.blocks:
            x = block(x)
        return self.head(functional.relu6(self.last(x)).mean((2, 3)))


@dataclass(frozen=True)
class Way:
    """A way to train: what is updated, in which numbers, and whether int8's updates are scaled."""

    name: str
    update: Any
    dtype: str = "int8"
    scaling: bool = True


SPARSE = {
    "head.*": "all",
    "last.*": "all",
    "blocks.2.*.bias": "all",
    "blocks.2.up.weight": "all",
    "blocks.1.*.bias": "all",
    "blocks.1.down.weight": 0.5,
}
WAYS = (
    Way("float32, all", "all", "float32"),
    Way("int8, all", "all"),
    Way("int8, all, not scaled", "all", scaling=False),
    Way("int8, sparse", SPARSE),
    Way("int8, biases and head", ["*.bias", "head.*"]),
    Way("int8, last 3 layers", "last 3"),
    Way("int8, head", "head.*"),
)


@dataclass(frozen=True)
class Data:
    """Odd digits in three parts, each as images and labels of 0 to 4."""

    train: tuple[torch.Tensor, torch.Tensor]
    check: tuple[torch.Tensor, torch.Tensor]
    test: tuple[torch.Tensor, torch.Tensor]


def digits(seed: int) -> tuple[tuple[torch.Tensor, torch.Tensor], Data]:
    """The even digits, and the odd ones in a seed's order."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    x = torch.tensor(images, dtype=torch.float32).view(-1, 1, 8, 8) / 16
    y = torch.tensor(labels)
    order = torch.randperm(len(y), generator=torch.Generator().manual_seed(seed))
    x, y = x[order], y[order]
    even, odd = y % 2 == 0, y % 2 == 1
    (ex, ey), (ox, oy) = (x[even], y[even] // 2), (x[odd], y[odd] // 2)
    ends = (0, TRAIN, TRAIN + CHECK, len(oy) - (len(oy) - TRAIN - CHECK) % BATCH)
    parts = [(ox[a:b], oy[a:b]) for a, b in itertools.pairwise(ends)]
    return (ex, ey), Data(*parts)


def learned(x: torch.Tensor, y: torch.Tensor, seed: int) -> Digits:
    """A network that knows these digits, with a new head.

    Batches are normalized while it learns; that is folded into the convolutions, as for a device.
    """
    torch.manual_seed(seed)
    model = Digits()
    places = [name for name, one in model.named_modules() if isinstance(one, nn.Conv2d)]
    for name in places:
        convolution = model.get_submodule(name)
        channels = cast("nn.Conv2d", convolution).out_channels
        model.set_submodule(name, nn.Sequential(convolution, nn.BatchNorm2d(channels)))
    adam = torch.optim.Adam(model.parameters(), 3e-3)
    for _ in range(10):
        for part in torch.randperm(len(y)).split(32):
            adam.zero_grad()
            functional.cross_entropy(model(x[part]), y[part]).backward()
            adam.step()
    model.eval()
    for name in places:
        pair = cast("Any", model.get_submodule(name))
        model.set_submodule(name, fuse_conv_bn_eval(pair[0], pair[1]))
    model.head = nn.Linear(48, 5)
    return model


def planned(model: nn.Module, way: Way, data: Data) -> Plan:
    x, y = data.train
    samples = [(x[k : k + BATCH], y[k : k + BATCH]) for k in range(0, 64, BATCH)]
    options: dict[str, Any] = {"dtype": way.dtype}
    if way.dtype == "int8":
        options |= {"calibrate": samples, "scaling": way.scaling}
    return lab.tiny(model, samples[0], update=way.update, memory=None, **options)


def accuracy(plan: Plan, part: tuple[torch.Tensor, torch.Tensor]) -> float:
    x, y = part
    right = 0
    for k in range(0, len(y), BATCH):
        right += int((plan.predict(x[k : k + BATCH]).argmax(1) == y[k : k + BATCH]).sum())
    return right / len(y)


def trained(model: nn.Module, way: Way, data: Data, rate: float, seed: int) -> Iterator[Plan]:
    """The plan after each epoch."""
    plan = planned(copy.deepcopy(model), way, data)
    x, y = data.train
    draw = torch.Generator().manual_seed(seed)
    done, steps = 0, EPOCHS * len(y) // BATCH
    for _ in range(EPOCHS):
        for part in torch.randperm(len(y), generator=draw).split(BATCH):
            plan.step(x[part], y[part], lr=rate * (1 - done / steps))
            done += 1
        yield plan


def rate_of(model: nn.Module, way: Way, data: Data) -> float:
    """The learning rate; without scaling that with the best accuracy on the images for that."""
    if way.scaling:
        return RATE
    found = {
        rate: accuracy(list(trained(model, way, data, rate, 0))[-1], data.check)
        for rate in UNSCALED
    }
    return max(found, key=found.__getitem__)


def curves(seeds: Sequence[int]) -> dict[str, list[list[float]]]:
    """By way and seed the accuracy after each epoch; printed as it is found."""
    found: dict[str, list[list[float]]] = {way.name: [] for way in WAYS}
    rates: dict[str, float] = {}
    for seed in seeds:
        even, data = digits(seed)
        model = learned(*even, seed)
        for way in WAYS:
            if way.name not in rates:
                rates[way.name] = rate_of(model, way, data)
            curve = [
                accuracy(plan, data.test)
                for plan in trained(model, way, data, rates[way.name], seed)
            ]
            found[way.name].append(curve)
            print(seed, way.name, rates[way.name], [f"{one:.3f}" for one in curve], flush=True)
    return found


def rows(found: dict[str, list[list[float]]]) -> Iterator[tuple[str, ...]]:
    _, data = digits(0)
    for way in WAYS:
        ends = [curve[-1] for curve in found[way.name]]
        first = [curve[0] for curve in found[way.name]]
        spread = stdev(ends) if len(ends) > 1 else 0.0
        plan = planned(Digits(), way, data)
        yield (
            way.name,
            f"{100 * mean(first):.1f} %",
            f"{100 * mean(ends):.1f} %",
            f"{100 * spread:.1f} %",
            f"{100 * min(ends):.1f} %",
            size(plan.facts.bytes),
        )


def main() -> None:
    torch.set_num_threads(1)
    found = curves(range(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
    head = ("trained", "after one epoch", f"after {EPOCHS}", "spread", "least", "memory")
    print("\n".join(table([head, *rows(found)])))


if __name__ == "__main__":
    main()
