# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# torch and scikit-learn annotate their functions only in part.
"""Accuracy of training in float32 and in int8, of all and of some parameters.

`python -m tests.benchmarks.tiny.digits [SEEDS [EPOCHS]]`; an interrupted one goes on where it was.

scikit-learn's handwritten digits (1,797 images of 8 x 8). A network learns the even digits in
float32; then, with a new head, it is trained on the odd ones, each way with the same samples in
the same order. Its accuracy is that of its own forward (int8 where it trained in int8) on images
that no training saw: median, least and most over the seeds. The learning rate falls to zero in a
line. It begins at float32's, which is the best of a grid; or at a way's own, the best of its grid.
The best is that with the highest accuracy on a third part of the images, for the first seed.

Without scaling a step of int8 takes the gradient as it is (Lin et al., NeurIPS 2022, section 2.1).
The authors' comparison (`algorithm/scripts/compare_qas.sh` of github.com/mit-han-lab/tiny-training)
gives each way its best rate and keeps the classifier in float (`ScaledLinear`), so that one rate
has to suit both. Here that is the way without scaling but of the head. What is searched for,
the last layers and the biases are trained within the same memory, that of a step of one image.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from math import log10
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import fuse_conv_bn_eval

import dynamo_lab as lab
from dynamo_lab.tiny.networks import Block, InvertedBottleneck
from dynamo_lab.view.core.words import size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dynamo_lab.tiny.plan import Plan

BATCH, EPOCHS = 16, 20
LIMIT = 7_000  # bytes of a step of one image; a full update needs twice as many
TRAIN, CHECK = 480, 160  # of 901 odd digits; the others are the test
RATES = (0.05, 0.2, 0.8)
UNSCALED = (1e3, 4e3, 1.6e4)


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
    """A way to train: what is updated, in which numbers, of which parameters updates are scaled.

    With `rates` the learning rate is the best of them, without it is float32's.
    """

    name: str
    update: Any = "all"
    dtype: str = "int8"
    scaling: Any = True
    rates: tuple[float, ...] = ()


BIASES = ("*.bias", "head.*")
FLOAT = Way("float32, all", dtype="float32", rates=RATES)
WAYS = (
    FLOAT,
    Way("int8, all"),
    Way("int8, all, own rate", rates=RATES),
    Way("int8, all, not scaled", scaling=False),
    Way("int8, all, only the head scaled, own rate", scaling="head.*", rates=RATES),
    Way("int8, all, not scaled, own rate", scaling=False, rates=UNSCALED),
    Way("int8, searched", "search"),
    Way("int8, last 5 layers", "last 5"),
    Way("int8, biases and head", BIASES),
    Way(
        "int8, biases and head, not scaled, own rate", BIASES, scaling=False, rates=(1e3, 1e4, 1e5)
    ),
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


class Kept:
    """Results in a folder, a file each, so that nothing is computed twice by the same code."""

    def __init__(self, name: str) -> None:
        sources = [*Path(lab.__file__).parent.glob("tiny/**/*.py"), Path(__file__)]
        code = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(sources))).hexdigest()
        self._folder = Path(tempfile.gettempdir()) / f"tiny-digits-{code[:12]}" / name
        self._folder.mkdir(parents=True, exist_ok=True)

    def of(self, key: str, compute: Callable[[], Any]) -> Any:
        """What is kept under a key, computed if nothing is."""
        path = self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
        if not path.exists():
            fresh = path.with_suffix(f".{os.getpid()}")
            fresh.write_text(json.dumps(compute()))
            fresh.replace(path)
        return json.loads(path.read_text())


class Pupil:
    """A seed's network that knows the even digits, and its training on the odd ones."""

    def __init__(self, seed: int, epochs: int) -> None:
        torch.set_num_threads(1)
        self._seed, self._epochs = seed, epochs
        self._even, self._data = digits(seed)
        self._kept = Kept(f"seed-{seed}-epochs-{epochs}")

    @cached_property
    def _model(self) -> Digits:
        return learned(*self._even, self._seed)

    @cached_property
    def _start(self) -> dict[str, torch.Tensor]:
        return {name: value.clone() for name, value in self._model.state_dict().items()}

    def best(self, way: Way) -> float:
        """Of a way's rates that with the highest accuracy on the images for that."""
        found = {rate: self.accuracies(way, rate)[2] for rate in way.rates}
        return max(found, key=found.__getitem__)

    def accuracies(self, way: Way, rate: float) -> tuple[float, float, float]:
        """On the test after the first and the last epoch; on the images to choose a rate by."""
        key = f"{way.update} {way.dtype} {way.scaling} {rate}"
        return tuple(self._kept.of(key, lambda: self._trained(way, rate)))

    def bytes_of(self, way: Way) -> int:
        """What a step of one image needs."""
        key = f"bytes of {way.update} {way.dtype}"
        return self._kept.of(key, lambda: self._planned(way, batch=1).facts.bytes)

    def _trained(self, way: Way, rate: float) -> tuple[float, float, float]:
        plan, ends = self._planned(way), list[float]()
        x, y = self._data.train
        draw = torch.Generator().manual_seed(self._seed)
        done, steps = 0, self._epochs * len(y) // BATCH
        for epoch in range(self._epochs):
            for part in torch.randperm(len(y), generator=draw).split(BATCH):
                plan.step(x[part], y[part], lr=rate * (1 - done / steps))
                done += 1
            if epoch in (0, self._epochs - 1):
                ends.append(accuracy(plan, self._data.test))
        print(self._seed, way.name, rate, ends, flush=True)
        return ends[0], ends[-1], accuracy(plan, self._data.check)

    def _planned(self, way: Way, batch: int = BATCH) -> Plan:
        """The plan of a way, from the network as it knew the even digits."""
        samples = [(x[:batch], y[:batch]) for x, y in in_batches(self._data.train)[:4]]
        options: dict[str, Any] = {"dtype": way.dtype, "update": self._update(way)}
        if way.dtype == "int8":
            options |= {"calibrate": samples, "scaling": way.scaling}
        start = self._start
        self._model.load_state_dict(start)
        return lab.tiny(self._model, samples[0], memory=None, **options)

    def _update(self, way: Way) -> Any:
        """What is updated: searched for with the images that are trained and checked on."""
        return self._kept.of("search", self._searched) if way.update == "search" else way.update

    def _searched(self) -> dict[str, Any]:
        train, check = in_batches(self._data.train), in_batches(self._data.check)
        start = self._start
        self._model.load_state_dict(start)
        x, y = train[0]
        settings = {"data": train, "check": check, "epochs": 4, "seed": self._seed}
        plan = lab.tiny(
            *(self._model, (x[:1], y[:1])),
            update="search",
            dtype="int8",
            memory=LIMIT,
            optimizer={"lr": RATES[0]},
            search={**settings, "population": 12, "generations": 8},
            calibrate=[(x[:1], y[:1]) for x, y in train[:4]],
        )
        assert plan.search is not None
        print(f"seed {self._seed}\n{plan.search}", flush=True)
        return dict(plan.search.update)

    def orders(self) -> dict[str, float]:
        """Orders of magnitude between the tensors' ratios of a weight to its step, beside float's.

        As in figure 5 of the paper: the norm of each parameter by that of its gradient, in int8
        both of the integers. With scaling one rate suits all as it does in float.
        """
        return self._kept.of("orders", self._orders)

    def _orders(self) -> dict[str, float]:
        quantized = cast("Any", self._planned(WAYS[1]).quantized)
        x, y = in_batches(self._data.train)[0]
        self._model.zero_grad()
        functional.cross_entropy(self._model(x), y).backward()
        apart: dict[str, list[float]] = {"scaled": [], "not scaled": [], "not scaled, weights": []}
        for name, value in self._model.named_parameters():
            scale = quantized.scales[name].view(-1, *[1] * (value.dim() - 1))
            grad = cast("torch.Tensor", value.grad)
            ratio, whole = value.detach().norm() / grad.norm(), value.detach() / scale
            scaled = log10((whole.norm() / (grad / scale).norm() / ratio).item())
            plain = log10((whole.norm() / (grad * scale).norm() / ratio).item())
            apart["scaled"].append(scaled)
            apart["not scaled"].append(plain)
            if value.dim() > 1:
                apart["not scaled, weights"].append(plain)
        return {name: max(found) - min(found) for name, found in apart.items()}


def accuracy(plan: Plan, part: tuple[torch.Tensor, torch.Tensor]) -> float:
    x, y = part
    right = 0
    for k in range(0, len(y), BATCH):
        right += int((plan.predict(x[k : k + BATCH]).argmax(1) == y[k : k + BATCH]).sum())
    return right / len(y)


def best_rate(way: Way, epochs: int) -> float:
    return Pupil(0, epochs).best(way)


def of_seed(seed: int, rates: Sequence[float], epochs: int) -> list[tuple[float, float, int]]:
    """By way the accuracy after the first and the last epoch, and the bytes for one image."""
    pupil = Pupil(seed, epochs)
    found: list[tuple[float, float, int]] = []
    for way, rate in zip(WAYS, rates, strict=True):
        first, end, _ = pupil.accuracies(way, rate)
        found.append((first, end, pupil.bytes_of(way)))
    return found


HEAD = ("trained", "rate", "after one epoch", "at the end", "least", "most", "to float32", "memory")


def rows(
    found: Sequence[Sequence[tuple[float, float, int]]], rates: Sequence[float]
) -> Iterator[tuple[str, ...]]:
    yield HEAD
    yield ("---",) * len(HEAD)
    full = [of_one[0][1] for of_one in found]
    for way, rate, results in zip(WAYS, rates, zip(*found, strict=True), strict=True):
        first, ends, sizes = zip(*results, strict=True)
        apart = [end - other for end, other in zip(ends, full, strict=True)]
        shares = (median(first), median(ends), min(ends), max(ends))
        yield (
            way.name,
            f"{rate:g}{', an end of its grid' * (rate in (way.rates[:1] + way.rates[-1:]))}",
            *(f"{100 * share:.1f} %" for share in shares),
            f"{100 * median(apart):+.1f}",
            size(max(sizes)),
        )


def main() -> None:
    seeds, epochs = (*map(int, sys.argv[1:]), *(5, EPOCHS)[len(sys.argv) - 1 :])[:2]
    tuned = [way for way in WAYS if way.rates]
    workers = min(seeds, os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        best = dict(zip(tuned, pool.map(best_rate, tuned, [epochs] * len(tuned)), strict=True))
        rates = [best.get(way, best[FLOAT]) for way in WAYS]
        found = list(pool.map(of_seed, range(seeds), [rates] * seeds, [epochs] * seeds))
    print(f"\n{seeds} seeds, {epochs} epochs of {TRAIN} images: medians over the seeds\n")
    print("\n".join(f"| {' | '.join(row)} |" for row in rows(found, rates)))
    told = [f"{name} {value:.1f}" for name, value in Pupil(0, epochs).orders().items()]
    print(f"\nOrders of magnitude between tensors, seed 0: {', '.join(told)}")


if __name__ == "__main__":
    main()
