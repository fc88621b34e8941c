"""How fast the page answers: 50,000 nodes in Chromium, first paint and a reader's actions."""

import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

from dynamo_lab.measure.statistics import Spread, spread
from dynamo_lab.model.recording import Recording
from tests.benchmarks.core.chromium import answers, heap, watched_pages
from tests.benchmarks.core.ratio import Line, announce, options, percentile, report
from tests.benchmarks.core.synthetic import recording
from tests.fixtures.tabs import all_tabs, open_tab

PAINT_BUDGET = 1.0
ACTION_BUDGET = 0.1
PAGE_BUDGET = 5_000_000
MEMORY_BUDGET = 500_000_000
NODES = 50_000

_PAINTED = """() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return document.querySelector("[role=tabpanel]") && paint ? performance.now() : 0;
}"""


_WHOLE = """() => document.querySelector("[data-tabs~=graphs]") ? performance.now() : 0"""
"""Once all of a large recording is read, not just the answer."""


def main() -> None:
    """Measure and print."""
    rounds = options(__doc__, rounds=5).rounds
    lines = page_lines(recording(NODES), rounds)
    print(report(f"Offline page of {NODES:,} nodes in Chromium", lines, rounds))


def page_lines(shown: Recording, rounds: int) -> list[Line]:
    """First paint of a recording's page, and what a reader does on it."""
    from dynamo_lab.render.page import page
    from dynamo_lab.view import build

    progress = announce(rounds)
    paints: list[float] = []
    wholes: list[float] = []
    heaps: list[float] = []
    actions: list[float] = []
    diagrams: list[float] = []
    with tempfile.TemporaryDirectory() as folder, watched_pages() as open_page:
        path = Path(folder) / "page.html"
        size = path.write_text(page(build(shown)), encoding="utf-8")
        for number in range(rounds):
            progress(number)
            tab = open_page()
            tab.goto(path.as_uri(), wait_until="commit")
            painted: Any = tab.wait_for_function(_PAINTED, polling="raf").json_value()
            paints.append(painted / 1000)
            whole: Any = tab.wait_for_function(_WHOLE, polling="raf").json_value()
            wholes.append(whole / 1000)
            _act(tab)
            diagrams.append(_draw(tab))
            actions.extend(answers(tab))
            heaps.append(heap(tab))
            tab.close()
    slow = percentile(actions, 95)
    return [
        Line(name="first paint", value=spread(paints), budget=PAINT_BUDGET),
        Line(name="all of it there", value=spread(wholes)),
        Line(name="size of the page", value=spread([float(size)]), unit="B", budget=PAGE_BUDGET),
        Line(name="memory of its objects", value=spread(heaps), unit="B", budget=MEMORY_BUDGET),
        Line(name=f"{len(actions)} actions", value=spread(actions)),
        Line(name="actions, p95", value=Spread(slow, slow, slow), budget=ACTION_BUDGET),
        Line(name="the first diagram", value=spread(diagrams)),
    ]


def _act(page: Page) -> None:
    """What a reader does: look through the tabs, the listing, its rows' kin, and search."""
    for name in all_tabs(page):
        open_tab(page, name)
    open_tab(page, "lowering")
    for _ in range(8):
        page.keyboard.press("ArrowRight")  # from operator to operator
    open_tab(page, "graphs")
    rows = _all(page, "[role=row]")[2:20]
    for row in rows:
        row.hover()
    for row in rows[:6]:
        row.click()
    rows[0].hover()
    for _ in range(15):
        page.mouse.wheel(0, 700)
        page.wait_for_timeout(30)  # as a hand turns a wheel
    page.locator("[role=row]").nth(3).click()
    for key in ("ArrowDown", "PageDown", "End", "Home"):
        page.keyboard.press(key)
    page.locator("[role=tabpanel] input[type=search]").first.click()
    for query in ("node_12", "op:add dtype:f32 module:layers.1"):
        page.keyboard.type(query, delay=60)
        page.keyboard.press("Escape")
        page.locator("[role=tabpanel] input[type=search]").first.click()
    for _ in range(2):
        page.keyboard.press("Escape")


def _draw(page: Page) -> float:
    """Seconds to the first diagram, its engine loaded; then a reader looks around in it."""
    start = time.perf_counter()
    page.get_by_role("button", name="diagram", exact=True).click()
    page.locator(".dl-box").first.wait_for()
    seconds = time.perf_counter() - start
    drawn = page.locator(".dl-canvas").bounding_box()
    assert drawn is not None
    for at in range(1, 20):  # down the middle, over whatever boxes lie there
        x, y = drawn["x"] + drawn["width"] / 2, drawn["y"] + drawn["height"] * at / 20
        page.mouse.move(x, y)
    for mode in ("memory", "dtype", "kind"):
        page.get_by_label("What the colours mean").select_option(mode)
    for key in ("+", "-", "ArrowDown", "ArrowUp", "0"):
        page.locator(".dl-canvas").press(key)
    return seconds


def _all(page: Page, selector: str) -> list[Locator]:
    page.locator(selector).first.wait_for()
    return page.locator(selector).all()


if __name__ == "__main__":
    main()
