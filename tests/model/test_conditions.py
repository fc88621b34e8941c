"""Conditions on sizes: as Python, and only those that tell something."""

from __future__ import annotations

import pytest

from dynamo_lab.model.core.conditions import telling


@pytest.mark.parametrize(
    ("conditions", "left"),
    [
        (
            [
                "Eq(Mod(8*x.shape[0], 16), 0)",
                "Ne(x.shape[0], 2)",
                "Eq(Mod(x.shape[0], 2), 0)",
                "Ne((x.shape[0]//2), 1)",
            ],
            ["x.shape[0] != 2", "x.shape[0] % 2 == 0"],
        ),
        (["x.shape[0] > 5", "x.shape[0] > 3"], ["x.shape[0] > 5"]),
        (["x.shape[0] > 5", "y.shape[0] > 3"], ["x.shape[0] > 5", "y.shape[0] > 3"]),
        (["x.shape[0] >= 2"], []),  # of every size that stays open
        (["x.shape[0] <= y.shape[0]"] * 2, ["x.shape[0] <= y.shape[0]"]),
        (["Ne(Mod(4, x.shape[0] - 2), 0)"], ["4 % (x.shape[0] - 2) != 0"]),  # divides by zero
        (
            ["Max(x.shape[0], 3) > 4", "x.shape[0] > 4"],
            ["Max(x.shape[0], 3) > 4", "x.shape[0] > 4"],
        ),
        (["x.shape[0] > 5000", "x.shape[0] > 4000"], ["x.shape[0] > 5000", "x.shape[0] > 4000"]),
    ],
)
def test_what_follows_from_the_others_is_left_out(conditions: list[str], left: list[str]) -> None:
    assert telling(conditions) == left
