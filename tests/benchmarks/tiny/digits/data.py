# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# torch and scikit-learn annotate their functions only in part.
"""Handwritten digits: the even ones, which a network knows, and the odd ones, which it learns."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from tests.benchmarks.tiny.digits.kept import Kept

BATCH = 16
TRAIN, CHECK = 480, 160  # of 901 odd digits; the others are the test

Part = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class Data:
    """Odd digits in three parts, each as images and labels of 0 to 4."""

    train: Part
    check: Part
    test: Part


def digits(seed: int, kept: Kept) -> tuple[Part, Data]:
    """The even digits, and the odd ones in a seed's order."""
    images, labels = kept.of("digits", _loaded, is_data=True)
    x = torch.tensor(images, dtype=torch.float32).view(-1, 1, 8, 8) / 16
    y = torch.tensor(labels)
    order = torch.randperm(len(y), generator=torch.Generator().manual_seed(seed))
    x, y = x[order], y[order]
    even, odd = y % 2 == 0, y % 2 == 1
    (ex, ey), (ox, oy) = (x[even], y[even] // 2), (x[odd], y[odd] // 2)
    ends = (0, TRAIN, TRAIN + CHECK, len(oy) - (len(oy) - TRAIN - CHECK) % BATCH)
    parts = [(ox[a:b], oy[a:b]) for a, b in itertools.pairwise(ends)]
    return (ex, ey), Data(*parts)


def _loaded() -> tuple[list[list[int]], list[int]]:
    """scikit-learn's digits: kept, so that a machine without scikit-learn can go on with them."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    return images.astype(int).tolist(), labels.tolist()


def in_batches(part: Part) -> list[Part]:
    """Images and labels, some at a time."""
    return list(zip(part[0].split(BATCH), part[1].split(BATCH), strict=True))
