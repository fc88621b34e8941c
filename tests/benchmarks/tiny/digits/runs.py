"""Everything that the table is made of, computed in some processes side by side.

They begin anew (`spawn`) and import what they run, so it stands in no module that is the command.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

from tests.benchmarks.tiny.digits.kept import Kept
from tests.benchmarks.tiny.digits.pupil import FLOAT, WAYS, Pupil

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.benchmarks.tiny.digits.pupil import Way


def searched(seed: int, epochs: int, folder: Path, limit: int) -> None:
    Pupil(seed, epochs, Kept(folder)).searched(limit)


def trained(seed: int, epochs: int, folder: Path, way: Way, rate: float) -> None:
    pupil = Pupil(seed, epochs, Kept(folder))
    pupil.accuracies(way, rate)
    pupil.bytes_of(way)


def trained_all(seeds: Sequence[int], epochs: int, folder: Path, workers: int) -> None:
    """Everything that the table is made of, into the folder; searches first, as they take long."""
    Pupil(0, epochs, Kept(folder)).orders()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        limits = sorted({way.limit for way in WAYS if way.update == "search"})
        both = [(seed, limit) for limit in limits for seed in sorted({0, *seeds})]
        first = [pool.submit(searched, seed, epochs, folder, limit) for seed, limit in both]
        for done in first:  # some of the rates are those of what was found
            done.result()
        tuned = [(way, rate) for way in WAYS for rate in way.rates]
        for done in [pool.submit(trained, 0, epochs, folder, *one) for one in tuned]:
            done.result()
        rates = best_rates(epochs, Kept(folder))
        each = [(seed, one) for seed in seeds for one in zip(WAYS, rates, strict=True)]
        for done in [pool.submit(trained, seed, epochs, folder, *one) for seed, one in each]:
            done.result()


def best_rates(epochs: int, kept: Kept) -> list[float]:
    """Of each way."""
    pupil = Pupil(0, epochs, kept)
    best = {way: pupil.best(way) for way in WAYS if way.rates}
    return [best.get(way, best[FLOAT]) for way in WAYS]
