"""Numbers in words."""

import pytest

from dynamo_lab.view.core.words import percent


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (1.0, "100 %"),
        (1 - 1e-12, "100 %"),  # a sum of all parts
        (204 / 205, "99.5 %"),
        (0.99999, "99.9 %"),
        (0.994, "99 %"),
        (0.083, "8.3 %"),
        (0.0, "0 %"),
        (1.004, "100 %"),
    ],
)
def test_only_all_of_it_is_a_hundred_percent(share: float, text: str) -> None:
    assert percent(share) == text
