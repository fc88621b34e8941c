"""How fast the Steps view answers: 10,000 real steps in Chromium, by keyboard and by dragging."""

import tempfile
from pathlib import Path
from typing import Any

from dynamo_lab.measure.statistics import Spread, spread
from tests.benchmarks.core.chromium import answers, watched_pages
from tests.benchmarks.core.ratio import Line, announce, options, percentile, report
from tests.benchmarks.core.steps import filmed
from tests.fixtures.tabs import open_tab

BUDGET = 0.05
STEPS = 10_000
MOVES = 60
_KEYS = ("o", "n", "g", "N", "End", "Home", "ArrowRight", "u")


def main() -> None:
    """Measure and print."""
    rounds = options(__doc__, rounds=3).rounds
    progress = announce(rounds)
    moves: list[float] = []
    with tempfile.TemporaryDirectory() as folder, watched_pages() as open_page:
        path = Path(folder) / "page.html"
        filmed(layers=40, steps=STEPS).to_html(path)
        for number in range(rounds):
            progress(number)
            page = open_page()
            page.goto(path.as_uri())
            open_tab(page, "steps")
            _scrub(page)
            moves.extend(answers(page))
            page.close()
    slow = percentile(moves, 95)
    lines = [
        Line(name=f"{len(moves)} moves", value=spread(moves)),
        Line(name="moves, p95", value=Spread(slow, slow, slow), budget=BUDGET),
    ]
    print(report(f"{STEPS:,} steps in Chromium", lines, rounds))


def _scrub(page: Any) -> None:
    """Drag the slider from its start to its end and back, then play by the keyboard."""
    slider = page.locator(".dl-scrub input")
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 3, middle)
    page.mouse.down()
    for at in [*range(MOVES), *range(MOVES, 0, -1)]:
        page.mouse.move(box["x"] + box["width"] * at / MOVES, middle)
        page.wait_for_timeout(16)  # as a hand moves
    page.mouse.up()
    for key in _KEYS * 4:
        page.keyboard.press(key)
        page.wait_for_timeout(16)


if __name__ == "__main__":
    main()
