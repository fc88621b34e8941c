"""Spans: how long each of many pieces of work takes while they follow each other."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from dynamo_lab.measure.devices import Device

_IN_A_ROW = 200
"""Pieces with their marks that a GPU's queue has room for: it takes about 1,000 entries."""

_HELD = 0.01
"""Seconds that suffice to give so many to the queue."""


class Spans:
    """Marks around each piece of work, read when all is done.

    An accelerator is held now and then until the next pieces wait in its queue: else the time
    between two marks would be that of giving the work, where this takes longer than the work.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self._rows: list[tuple[Hashable, Any, Any]] = []

    def time(self, name: Hashable, work: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """What the work returns; its time is added to those of the name."""
        device = self._device
        if len(self._rows) % _IN_A_ROW == 0:
            device.hold(_HELD)
        start = device.mark()
        result = work(*args, **kwargs)
        self._rows.append((name, start, device.mark()))
        return result

    def seconds(self) -> Mapping[Any, float]:
        """The seconds of each name, all its pieces together."""
        self._device.wait()
        total: defaultdict[Any, float] = defaultdict(float)
        for name, start, end in self._rows:
            total[name] += self._device.between(start, end)
        return total


def mean(calls: Sequence[Mapping[Any, float]]) -> dict[Any, float]:
    """The seconds of each name in one call of several."""
    total: defaultdict[Any, float] = defaultdict(float)
    for seconds in calls:
        for name, value in seconds.items():
            total[name] += value
    return {name: value / len(calls) for name, value in total.items()}
