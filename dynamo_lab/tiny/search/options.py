"""How to search: the reader's data, what is tried, and where the state is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    import torch

    Sample = Sequence[torch.Tensor]


@dataclass(frozen=True)
class Search:
    """The settings of `update="search"`.

    Attributes:
        data: Samples like the example, `[(x, y), ...]`, to train on and to measure gains with; None
            for a proxy that needs none.
        check: Samples that gains are measured on; by default the last quarter of the data.
        epochs: How often each training goes through the data.
        repeats: How many trainings, with the samples in other orders, a measure is the mean of.
        lr: The learning rate that falls to zero in a line; by default the optimizer's.
        ratios: The shares of a weight's input channels that are tried.
        population: How many schemes each generation keeps.
        generations: How many there are.
        finalists: How many schemes of the last generation are trained themselves, if there is data:
            the best of them by what was measured is taken, not the one with the largest sum.
        seed: Draws the order of the data and the schemes.
        state: A file that the search is continued from, and kept in.
    """

    data: Sequence[Sample] | None = None
    check: Sequence[Sample] = ()
    epochs: int = 1
    repeats: int = 1
    lr: float | None = None
    ratios: tuple[float, ...] = (0.125, 0.25, 0.5, 1.0)
    population: int = 24
    generations: int = 12
    finalists: int = 8
    seed: int = 0
    state: Path | None = None


_COUNTS = ("epochs", "repeats", "population", "generations", "finalists", "seed")
_FROM_NOTHING = ("generations", "finalists", "seed")


def search_of(update: Any, asked: Any, limit: int | None) -> Search | None:
    """The settings from a mapping, as {"data": samples, "seed": 1}; None if no search is asked for.

    Raises:
        OptionError: there is no such setting, it has no such value, there is no memory limit, or
            there are settings and no search.
    """
    if not isinstance(update, str) or update != "search":
        if asked is None:
            return None
        raise OptionError('search=... is for update="search" alone: leave it out, or ask for it.')
    if limit is None:
        raise OptionError('update="search" fits a memory limit: give one, as memory="256 kB".')
    if asked is not None and not isinstance(asked, Mapping):
        raise OptionError(f'search={asked!r} is no mapping of settings as {{"data": samples}}.')
    given = dict(asked or {})
    known = [one.name for one in fields(Search)]
    if unknown := [name for name in given if name not in known]:
        raise OptionError(f"A search has no setting {unknown[0]!r}: it has {', '.join(known)}.")
    for name in _COUNTS:
        least = 0 if name in _FROM_NOTHING else 1
        if not _is_whole(given.get(name, 1)) or given.get(name, 1) < least:
            raise OptionError(
                f"{name}={given[name]!r} of a search is no whole number from {least}."
            )
    if given.get("state") is not None:
        given["state"] = Path(given["state"])
    return _with_check(replace(Search(**given), ratios=_ratios(given.get("ratios"))))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _ratios(asked: Any) -> tuple[float, ...]:
    found = Search.ratios if asked is None else tuple(sorted(set(asked)))
    if not found or not all(isinstance(r, int | float) and 0 < r <= 1 for r in found):
        raise OptionError(f"ratios={asked!r} of a search are no shares as (0.25, 1.0).")
    return tuple(map(float, found))


def _with_check(how: Search) -> Search:
    """The last quarter of the data is for measuring, where nothing else is."""
    if how.data is None:
        if how.check:
            raise OptionError("A search has samples to check on and no data to train on.")
        return how
    given = list(how.data)
    if how.check:
        return replace(how, data=given, check=list(how.check))
    if len(given) < 2:
        raise OptionError(
            f"The data of a search has {len(given)} of the at least two samples that are needed: "
            "one to train on, one to measure on."
        )
    kept = max(1, len(given) // 4)
    return replace(how, data=given[:-kept], check=given[-kept:])
