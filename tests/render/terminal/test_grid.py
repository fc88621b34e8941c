"""Tables in a terminal: of what does not fit, text gives way, and no number loses a digit."""

from __future__ import annotations

import pytest
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import grid, indented, plain

NUMBERS = ("1,234,567", "89.125 us", "0.97 to 1.04")


def shown(columns: tuple[str, ...], cells: tuple[str, ...], width: int) -> list[str]:
    made = grid(columns, [[Text(cell) for cell in cells]])
    return plain([indented(made, 2)], width).split("\n")


@pytest.mark.parametrize("width", [42, 50, 60, 79, 100])
@pytest.mark.parametrize("kind", ["left", "wrap"])
def test_beside_long_text_numbers_are_whole(width: int, kind: str) -> None:
    rows = shown((kind, "right", "right", "right"), ("a name " * 30, *NUMBERS), width)
    assert max(map(len, rows)) <= width
    assert all(number in rows[0] for number in NUMBERS)


@pytest.mark.parametrize("width", [58, 72])
def test_of_several_texts_the_long_ones_give_way(width: int) -> None:
    columns = ("left", "right", "left", "right", "wrap")
    rows = shown(columns, ("short", "12.5", "long" * 30, "1,234", "prose " * 20), width)
    assert max(map(len, rows)) <= width
    assert "short" in rows[0]
    assert "12.5" in rows[0]
    assert "1,234" in rows[0]
    assert "\u2026" in rows[0]


def test_numbers_that_have_no_room_go_on_below() -> None:
    rows = shown(("left", "right", "right", "right"), ("a name " * 30, *NUMBERS), 24)
    assert max(map(len, rows)) <= 24
    assert "\u2026" not in "".join(row[6:] for row in rows)
    digits = sorted(one for row in rows for one in row if one.isdigit())
    assert digits == sorted(one for number in NUMBERS for one in number if one.isdigit())


def test_what_fits_is_as_wide_as_it_is() -> None:
    assert shown(("left", "right", "wrap"), ("name", "12", "told"), 40) == ["  name  12  told"]
