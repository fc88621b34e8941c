"""What colours mean is seen with any colour vision, and words on them can be read."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

CSS = (Path(__file__).parents[3] / "dynamo_lab/frontend/src/style/colours.css").read_text()

Colour = tuple[float, float, float]

VISIONS: dict[str, tuple[Colour, Colour, Colour]] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""What is left of linear sRGB at severity 1 (Machado, Oliveira, Fernandes 2009, table 1)."""

D65 = (0.95047, 1.0, 1.08883)
XYZ: tuple[Colour, ...] = (
    (0.4124, 0.3576, 0.1805),
    (0.2126, 0.7152, 0.0722),
    (0.0193, 0.1192, 0.9505),
)


def colours(scheme: str) -> dict[str, str]:
    """The colours that a scheme names, as `#rrggbb`."""
    block = CSS[CSS.index(f'[data-scheme="{scheme}"] {{') :]
    return dict(re.findall(r"--(dl0?-[\w-]+): (#[0-9a-f]{6})", block[: block.index("}")]))


def linear(colour: str) -> Colour:
    """Linear light of an sRGB colour."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return red, green, blue


def times(matrix: tuple[Colour, ...], vector: Colour) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def seen(colour: str, vision: str) -> Colour:
    """L*, a* and b* (CIE 1976) of a colour as it is seen so."""
    red, green, blue = (min(1.0, max(0.0, c)) for c in times(VISIONS[vision], linear(colour)))
    scaled = (c / w for c, w in zip(times(XYZ, (red, green, blue)), D65, strict=True))
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in scaled)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: str, other: str, vision: str) -> float:
    """How far apart two colours are to this eye (CIE 1976); about 2.3 can just be noticed."""
    pairs = zip(seen(one, vision), seen(other, vision), strict=True)
    return sum((a - b) ** 2 for a, b in pairs) ** 0.5


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2."""
    lights = sorted(sum(times(XYZ[1:2], linear(colour))) for colour in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def test_the_distance_is_that_of_the_field() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert distance("#000000", "#ffffff", "normal") == pytest.approx(100, abs=0.1)
    red, green = "#b05a30", "#7b7a1e"
    assert distance(red, green, "normal") > 30 > 12 > distance(red, green, "deuteranopia")


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("names", "least"),
    [
        (["dl-good", "dl-warn", "dl-bad"], 20),
        ([f"dl-r{i}" for i in range(8)], 14),
        (["dl-input-mark", "dl-user-mark"], 14),
        (["dl-lit", "dl-held", "dl0-bg"], 6),  # beside a bar at the held one's edge
        (["dl-held-bar", "dl0-bg"], 40),
        (["dl-compiling", "dl-r0", "dl-r3", "dl-r4"], 14),  # in the lanes of ranks
    ],
)
def test_what_a_colour_means_is_seen_with_any_vision(
    names: list[str], least: float, scheme: str, vision: str
) -> None:
    found = colours(scheme)
    pairs = itertools.combinations(names, 2)
    close = {pair: distance(found[pair[0]], found[pair[1]], vision) for pair in pairs}
    assert {pair: far for pair, far in close.items() if far < least} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_and_marks_stand_out_from_what_is_behind_them(scheme: str) -> None:
    found = colours(scheme)
    behind = ["dl0-bg", "dl0-bg2"]
    words = [(f"dl-{tone}", ground) for tone in ("good", "warn", "bad") for ground in behind]
    words += [(f"dl-{tone}", f"dl-{tone}-bg") for tone in ("good", "warn", "bad")]
    words += [(f"dl-{name}", ground) for name in ("dim", "accent", "comment") for ground in behind]
    assert {pair for pair in words if contrast(found[pair[0]], found[pair[1]]) < 4.5} == set()
    marks = [f"dl-r{i}" for i in range(8)] + ["dl-held-bar", "dl-input-mark", "dl-user-mark"]
    assert {name for name in marks if contrast(found[name], found["dl0-bg"]) < 3} == set()
    assert min(contrast(found["dl-compiling"], found[ground]) for ground in behind) >= 3


NO_WORDS = (
    ":disabled", "[aria-disabled", ".is-unknown", "::after", ".dl-take", ".dl-tick-restart",
    ".is-kept", ".dl-strip", ".dl-part-rest", "from",
)  # fmt: skip
"""What may be seen through: what cannot be used now, bars, ticks and other shapes."""


def test_no_words_are_faint_by_being_seen_through() -> None:
    """A named colour is held against what is behind it; with an opacity, the words would fade."""
    rule = re.compile(r"([^{}]+)\{[^{}]*\bopacity: 0?\.[1-9][^{}]*\}")
    sheets = sorted((Path(__file__).parents[3] / "dynamo_lab/frontend/src").rglob("*.css"))
    found = [name.strip() for one in sheets for name in rule.findall(one.read_text())]
    assert len(found) > 5, "the rules are found"
    faint = [name for name in found if not any(shape in name for shape in NO_WORDS)]
    assert faint == []
