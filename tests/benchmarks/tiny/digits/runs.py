"""Everything that the table is made of, computed in some processes side by side.

They begin anew (`spawn`) and import what they run, so it stands in no module that is the command.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from statistics import fmean
from typing import TYPE_CHECKING

from tests.benchmarks.tiny.digits.kept import Kept
from tests.benchmarks.tiny.digits.pupil import FLOAT, LIMITS, WAYS, Pupil

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
        both = [(limit, seed) for limit in LIMITS for seed in seeds]
        first = [pool.submit(searched, seed, epochs, folder, limit) for limit, seed in both]
        tuned = [(s, way, rate) for way in WAYS for rate in way.rates for s in seeds]
        needs = [one for one in tuned if one[1].update == "search"]
        others = [one for one in tuned if one[1].update != "search"]
        grid = [pool.submit(trained, s, epochs, folder, way, rate) for s, way, rate in others]
        for done in first:
            done.result()
        grid += [pool.submit(trained, s, epochs, folder, way, rate) for s, way, rate in needs]
        for done in grid:
            done.result()
        rates = best_rates(seeds, epochs, Kept(folder))
        each = [(seed, one) for seed in seeds for one in zip(WAYS, rates, strict=True)]
        for done in [pool.submit(trained, seed, epochs, folder, *one) for seed, one in each]:
            done.result()


def best_rates(seeds: Sequence[int], epochs: int, kept: Kept) -> list[float]:
    """Of each way, by the mean accuracy over the seeds on the images for that."""
    pupils = [Pupil(seed, epochs, kept) for seed in seeds]

    def level(way: Way, rate: float) -> float:
        return fmean(pupil.accuracies(way, rate)[2] for pupil in pupils)

    best = {way: max(way.rates, key=partial(level, way)) for way in WAYS if way.rates}
    return [best.get(way, best[FLOAT]) for way in WAYS]
