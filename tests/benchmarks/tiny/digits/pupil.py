# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# torch annotates its functions only in part.
"""The ways to train, and a seed's network that is trained in each of them on the odd digits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from math import log10
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn
from torch.nn import functional

import dynamo_lab as lab
from tests.benchmarks.tiny.digits.data import BATCH, Part, digits, in_batches
from tests.benchmarks.tiny.digits.network import Digits, learned

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.tiny.plan import Plan
    from tests.benchmarks.tiny.digits.kept import Kept

LIMITS = (7_000, 9_000, 11_000)  # bytes of a step of one image; a full update needs 14,800
RATES = (0.0125, 0.025, 0.05, 0.1, 0.2)
SPARSE = (0.05, 0.1, 0.2, 0.4)
UNSCALED = (1e3, 4e3, 1.6e4)


@dataclass(frozen=True)
class Way:
    """A way to train: what is updated, in which numbers, of which parameters updates are scaled.

    With `rates` the learning rate is the best of them, without it is float32's. A `limit` is for
    what is searched for ("search"), and for as many of the last layers as fit it ("last").
    """

    name: str
    update: Any = "all"
    dtype: str = "int8"
    scaling: Any = True
    rates: tuple[float, ...] = ()
    limit: int | None = None


BIASES = ("*.bias", "head.*")
FLOAT = Way("float32, all", dtype="float32", rates=RATES)
WAYS = (
    FLOAT,
    Way("int8, all"),
    Way("int8, all, own rate", rates=RATES),
    Way("int8, all, not scaled", scaling=False),
    Way("int8, all, only the head scaled, own rate", scaling="head.*", rates=(0.2, 0.8, 3.2)),
    Way("int8, all, not scaled, own rate", scaling=False, rates=UNSCALED),
    *(Way(f"int8, searched in {n // 1000} kB", "search", rates=SPARSE, limit=n) for n in LIMITS),
    *(Way(f"int8, last layers in {n // 1000} kB", "last", rates=SPARSE, limit=n) for n in LIMITS),
    Way("int8, biases and head", BIASES, rates=SPARSE),
    Way("int8, biases and head, not scaled", BIASES, scaling=False, rates=(1e4, 1e5, 1e6)),
    Way("int8, head", "head.*", rates=SPARSE),
)


class Pupil:
    """A seed's network that knows the even digits, and its training on the odd ones."""

    def __init__(self, seed: int, epochs: int, kept: Kept) -> None:
        torch.set_num_threads(1)
        self._seed, self._epochs, self._kept = seed, epochs, kept
        self._even, self._data = digits(seed, kept)

    def _of(self, what: str, compute: Callable[[], Any]) -> Any:
        """A result of this seed that is kept."""
        return self._kept.of(f"seed {self._seed}, {self._epochs} epochs: {what}", compute)

    @cached_property
    def _model(self) -> Digits:
        return learned(*self._even, self._seed)

    @cached_property
    def _start(self) -> dict[str, torch.Tensor]:
        return {name: value.clone() for name, value in self._model.state_dict().items()}

    def accuracies(self, way: Way, rate: float) -> tuple[float, float, float]:
        """On the test after the first and the last epoch; on the images to choose a rate by."""
        key = f"{_updated(way)} {way.dtype} {way.scaling} {rate}"
        return tuple(self._of(key, lambda: self._trained(way, rate)))

    def bytes_of(self, way: Way) -> int:
        """What a step of one image needs."""
        key = f"bytes of {_updated(way)} {way.dtype}"
        return self._of(key, lambda: self._planned(way, batch=1).facts.bytes)

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
        if way.limit is None:
            return way.update
        return self.searched(way.limit) if way.update == "search" else self._last(way.limit)

    def _last(self, limit: int) -> str:
        """As many of the last layers as fit."""

        def fits(count: int) -> bool:
            return self._planned(Way("", f"last {count}"), batch=1).facts.bytes <= limit

        layers = sum(isinstance(one, nn.Conv2d | nn.Linear) for one in self._model.modules())
        return self._of(
            f"last in {limit}",
            lambda: f"last {sum(1 for _ in takewhile(fits, range(1, layers + 1)))}",
        )

    def searched(self, limit: int) -> dict[str, Any]:
        """What to update, searched for with the images that are trained and checked on."""
        key = _updated(Way("", "search", limit=limit))
        return self._of(key, lambda: self._searched(limit))

    def _searched(self, limit: int) -> dict[str, Any]:
        train, check = in_batches(self._data.train), in_batches(self._data.check)
        start = self._start
        self._model.load_state_dict(start)
        x, y = train[0]
        state = self._kept.folder / f"search-{self._seed}-{limit}.state"  # one cut off goes on
        settings = {"data": train, "check": check, "seed": self._seed, "state": state}
        settings |= {"epochs": self._epochs, "repeats": 2, "lr": 0.1}
        plan = lab.tiny(
            *(self._model, (x[:1], y[:1])),
            update="search",
            dtype="int8",
            memory=limit,
            search={**settings, "population": 16, "generations": 10, "finalists": 16},
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
        return self._of("orders", self._orders)

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


def _updated(way: Way) -> str:
    """What a way updates, as the keys of results have it."""
    return str(way.update) if way.limit is None else f"{way.update} in {way.limit}"


def accuracy(plan: Plan, part: Part) -> float:
    x, y = part
    right = 0
    for k in range(0, len(y), BATCH):
        right += int((plan.predict(x[k : k + BATCH]).argmax(1) == y[k : k + BATCH]).sum())
    return right / len(y)
