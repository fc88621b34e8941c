# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# torch and scikit-learn annotate their functions only in part.
"""Accuracy of training in float32 and in int8, of all and of some parameters.

`python -m tests.benchmarks.tiny.digits [SEEDS [EPOCHS]]`, with a process for each seed.

scikit-learn's handwritten digits (1,797 images of 8 x 8). A network learns the even digits in
float32; then, with a new head, it is trained on the odd ones, each way with the same samples in
the same order. Its accuracy is that of its own forward (int8 where it trained in int8) on images
that no training saw, mean and standard deviation over the seeds. The learning rate falls to zero in
a line, from the same number each way; without scaling there is also one way with a rate of its own,
the best of a grid by the accuracy on a third part of the images (as Lin et al. compare, in
`algorithm/scripts/compare_qas.sh` of github.com/mit-han-lab/tiny-training). What is searched for,
the last layers and the biases are trained within the same memory, that of a step of one image.
"""

from __future__ import annotations

import copy
import itertools
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
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

BATCH, EPOCHS = 16, 30
LIMIT = 7_000  # bytes of a step of one image; a full update needs twice as many
TRAIN, CHECK = 480, 160  # of 901 odd digits; the others are the test
RATE = 0.05
UNSCALED = (1e2, 1e3, 1e4, 1e5)


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
    """A way to train: what is updated, in which numbers, whether int8's updates are scaled.

    One that `is_tuned` has a learning rate of its own.
    """

    name: str
    update: Any
    dtype: str = "int8"
    scaling: bool = True
    is_tuned: bool = False


WAYS = (
    Way("float32, all", "all", "float32"),
    Way("int8, all", "all"),
    Way("int8, all, not scaled", "all", scaling=False),
    Way("int8, all, not scaled, own rate", "all", scaling=False, is_tuned=True),
    Way("int8, searched", "search"),
    Way("int8, last 5 layers", "last 5"),
    Way("int8, biases and head", ["*.bias", "head.*"]),
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


def in_batches(part: tuple[torch.Tensor, torch.Tensor]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    return list(zip(part[0].split(BATCH), part[1].split(BATCH), strict=True))


def planned(model: nn.Module, way: Way, update: Any, data: Data, batch: int = BATCH) -> Plan:
    samples = [(x[:batch], y[:batch]) for x, y in in_batches(data.train)[:4]]
    options: dict[str, Any] = {"dtype": way.dtype}
    if way.dtype == "int8":
        options |= {"calibrate": samples, "scaling": way.scaling}
    return lab.tiny(model, samples[0], update=update, memory=None, **options)


def chosen(model: nn.Module, way: Way, data: Data, seed: int) -> Any:
    """What is updated: searched for with the images that are trained and checked on."""
    if way.update != "search":
        return way.update
    train, check = in_batches(data.train), in_batches(data.check)
    settings = {"data": train, "check": check, "epochs": 4, "seed": seed}
    x, y = train[0]
    plan = lab.tiny(
        *(model, (x[:1], y[:1])),
        update="search",
        dtype="int8",
        memory=LIMIT,
        optimizer={"lr": RATE},
        search={**settings, "population": 12, "generations": 8},
        calibrate=[(x[:1], y[:1]) for x, y in train[:4]],
    )
    print(f"seed {seed}\n{plan.search}", flush=True)
    return plan.search.update if plan.search else way.update


def accuracy(plan: Plan, part: tuple[torch.Tensor, torch.Tensor]) -> float:
    x, y = part
    right = 0
    for k in range(0, len(y), BATCH):
        right += int((plan.predict(x[k : k + BATCH]).argmax(1) == y[k : k + BATCH]).sum())
    return right / len(y)


def trained(
    model: nn.Module, way: Way, update: Any, data: Data, rate: float, seed: int, epochs: int
) -> Iterator[Plan]:
    """The plan after the first and the last epoch."""
    plan = planned(copy.deepcopy(model), way, update, data)
    x, y = data.train
    draw = torch.Generator().manual_seed(seed)
    done, steps = 0, epochs * len(y) // BATCH
    for epoch in range(epochs):
        for part in torch.randperm(len(y), generator=draw).split(BATCH):
            plan.step(x[part], y[part], lr=rate * (1 - done / steps))
            done += 1
        if epoch in (0, epochs - 1):
            yield plan


def rate_of(model: nn.Module, way: Way, data: Data, seed: int, epochs: int) -> float:
    """The learning rate; its own is that with the best accuracy on the images for that."""
    if not way.is_tuned:
        return RATE
    found = {
        rate: accuracy(
            list(trained(model, way, way.update, data, rate, seed, epochs))[-1], data.check
        )
        for rate in UNSCALED
    }
    return max(found, key=found.__getitem__)


def of_seed(seed: int, epochs: int) -> dict[str, tuple[float, float, int]]:
    """By way the accuracy after the first and the last epoch, and the bytes for one image."""
    torch.set_num_threads(1)
    even, data = digits(seed)
    model = learned(*even, seed)
    found: dict[str, tuple[float, float, int]] = {}
    for way in WAYS:
        update = chosen(model, way, data, seed)
        rate = rate_of(model, way, data, seed, epochs)
        plans = trained(model, way, update, data, rate, seed, epochs)
        first, *later = [accuracy(plan, data.test) for plan in plans]
        size_of_one = planned(model, way, update, data, batch=1).facts.bytes
        found[way.name] = first, later[-1] if later else first, size_of_one
        print(seed, way.name, rate, *found[way.name], flush=True)
    return found


def rows(found: Sequence[dict[str, tuple[float, float, int]]]) -> Iterator[tuple[str, ...]]:
    full = [of_one[WAYS[0].name][1] for of_one in found]
    for way in WAYS:
        first, ends, sizes = zip(*(of_one[way.name] for of_one in found), strict=True)
        apart = [end - other for end, other in zip(ends, full, strict=True)]
        yield (
            way.name,
            f"{100 * mean(first):.1f} %",
            f"{100 * mean(ends):.1f} %",
            f"{100 * stdev(ends):.1f}" if len(ends) > 1 else "",
            f"{100 * min(ends):.1f} %",
            f"{100 * mean(apart):+.1f}",
            size(max(sizes)),
        )


def main() -> None:
    seeds, epochs = (*map(int, sys.argv[1:]), *(5, EPOCHS)[len(sys.argv) - 1 :])[:2]
    workers = min(seeds, os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(of_seed, range(seeds), [epochs] * seeds))
    head = ("trained", "after one epoch", f"after {epochs}", "spread", "least", "to float32")
    print("\n".join(table([(*head, "memory, one image"), *rows(found)])))


if __name__ == "__main__":
    main()
