"""How fast the page answers: 50,000 nodes and 100,000 steps in Chromium, and 200,000 nodes.

An action is one input: a click, a key, a row that the pointer comes to. A click on another group
draws the view that the group showed last, and one more click the view that is wanted, where that is
another: two actions. A click on what is chosen already changes nothing and is none.
"""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from dynamo_lab.measure.statistics import Spread, spread
from dynamo_lab.model.recording import Recording
from tests.benchmarks.core.chromium import Work, answers, heap, watched_pages
from tests.benchmarks.core.ratio import Line, announce, options, percentile, report
from tests.benchmarks.core.synthetic import recording
from tests.fixtures.tabs import all_tabs, open_tab

PAINT_BUDGET = 1.0
ACTION_BUDGET = 0.1
PAGE_BUDGET = 5_000_000
MEMORY_BUDGET = 500_000_000
NODES, STEPS = 50_000, 100_000
TOO_MANY = 200_000
"""Of so many, a page leaves out what a browser would not show in time, and says so."""

_PAINTED = """() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return document.querySelector("[role=tabpanel]") && paint ? performance.now() : 0;
}"""

_WHOLE = """() => document.querySelector("[data-tabs~=graphs]") ? performance.now() : 0"""
"""Once all of a large recording is read, not just the answer."""

_LEFT_OUT = "This view leaves out"
_SLOWEST = 8


def main() -> None:
    """Measure and print."""
    rounds = options(__doc__, rounds=3).rounds
    lines, slowest = page_lines(recording(NODES, STEPS), rounds)
    print(report(f"Offline page of {NODES:,} nodes, {STEPS:,} steps in Chromium", lines, rounds))
    print("The most work of the main thread, of the processor's time:")
    print("\n".join(f"  {seconds * 1e3:7.1f} ms  {name}" for seconds, name in slowest))
    large = large_lines(recording(TOO_MANY))
    print(report(f"Offline page of {TOO_MANY:,} nodes", large, 1))


def page_lines(shown: Recording, rounds: int) -> tuple[list[Line], list[tuple[float, str]]]:
    """First paint of a recording's page, what a reader does on it, and the slowest of that."""
    progress = announce(rounds)
    opened: list[tuple[float, float, float]] = []
    heaps: list[float] = []
    actions: list[float] = []
    works: list[tuple[float, str]] = []
    diagrams: list[float] = []
    with tempfile.TemporaryDirectory() as folder, watched_pages() as open_page:
        path, size = _write(shown, folder)
        for number in range(rounds):
            progress(number)
            tab = open_page()
            work = Work(tab)
            opened.append(_open(tab, path, work))
            works += [(work.lap(), name) for name in _act(tab)]
            diagrams.append(_draw(tab))
            actions.extend(answers(tab))
            heaps.append(heap(tab))
            tab.close()
    paints, wholes, works_to_whole = zip(*opened, strict=True)
    slow = percentile(actions, 95)
    slow_work = percentile([seconds for seconds, _ in works], 95)
    lines = [
        Line(name="first paint", value=spread(paints), budget=PAINT_BUDGET),
        Line(name="all of it there", value=spread(wholes)),
        Line(name="  work of the main thread until then", value=spread(works_to_whole)),
        Line(name="size of the page", value=spread([float(size)]), unit="B", budget=PAGE_BUDGET),
        Line(name="memory of its objects", value=spread(heaps), unit="B", budget=MEMORY_BUDGET),
        Line(name=f"{len(actions)} actions", value=spread(actions)),
        Line(name="actions, p95", value=Spread(slow, slow, slow), budget=ACTION_BUDGET),
        Line(
            name="  work of the main thread, p95",
            value=Spread(slow_work, slow_work, slow_work),
            budget=ACTION_BUDGET,
        ),
        Line(name="the first diagram", value=spread(diagrams)),
    ]
    return lines, sorted(works, reverse=True)[:_SLOWEST]


def large_lines(shown: Recording) -> list[Line]:
    """First paint of a page that leaves something out, and says so."""
    with tempfile.TemporaryDirectory() as folder, watched_pages() as open_page:
        path, size = _write(shown, folder)
        tab = open_page()
        work = Work(tab)
        painted, whole, working = _open(tab, path, work)
        tab.get_by_text(_LEFT_OUT).first.wait_for()
        open_tab(tab, "graphs")
        tab.locator("[role=row]").first.wait_for()
        listed = work.lap()
        held = heap(tab)
    return [
        Line(name="first paint", value=spread([painted])),
        Line(name="all that it shows there, and what it leaves out said", value=spread([whole])),
        Line(name="  work of the main thread until then", value=spread([working])),
        Line(name="  to its listing", value=spread([listed])),
        Line(name="size of the page", value=spread([float(size)]), unit="B"),
        Line(name="memory of its objects", value=spread([held]), unit="B"),
    ]


def _write(shown: Recording, folder: str) -> tuple[Path, int]:
    from dynamo_lab.render.page import page
    from dynamo_lab.view import build

    path = Path(folder) / "page.html"
    return path, path.write_text(page(build(shown)), encoding="utf-8")


def _open(tab: Page, path: Path, work: Work) -> tuple[float, float, float]:
    """Seconds to the first paint and until all is there, and the main thread's work until then."""
    tab.goto(path.as_uri(), wait_until="commit")
    painted: Any = tab.wait_for_function(_PAINTED, polling="raf").json_value()
    whole: Any = tab.wait_for_function(_WHOLE, polling="raf").json_value()
    return painted / 1000, whole / 1000, work.lap()


def _act(page: Page) -> Iterator[str]:
    """What a reader does, each action by its name once it is done."""
    for name in all_tabs(page):
        yield from _open_view(page, name)
    yield from _open_view(page, "lowering")
    page.locator(
        ".dl-panel-lowering .dl-list"
    ).first.focus()  # on the tab, the arrows walk the tabs
    for key in ("ArrowRight",) * 4:
        page.keyboard.press(key)
        yield "from operator to operator"
    yield from _play(page)
    yield from _open_view(page, "graphs")
    page.locator("[role=row]").first.wait_for()
    yield from _listing(page)
    yield from _search(page)


def _open_view(page: Page, name: str) -> Iterator[str]:
    """To a view: by its group, which shows the view that it showed last, where another is open."""
    for tab, told in (
        (f"[data-tabs~={name}]", "open the group of {name}"),
        (f"[data-tab={name}]", "open {name}"),
    ):
        button = page.locator(tab).first
        if button.get_attribute("aria-selected") != "true":
            button.click()
            yield told.format(name=name)


def _play(page: Page) -> Iterator[str]:
    """Through the steps, where there are some."""
    if page.locator("[data-tabs~=steps]").count() == 0:
        return
    yield from _open_view(page, "steps")
    for key in ("n", "End", "N", "Home", "ArrowRight", "n"):
        page.keyboard.press(key)
        yield f"steps: {key}"


def _listing(page: Page) -> Iterator[str]:
    rows = page.locator("[role=row]").all()[2:14]
    for row in rows:
        row.hover()
        yield "hover a row"
    for row in rows[:4]:
        row.click()
        yield "select a row"
    for _ in range(8):
        page.mouse.wheel(0, 700)
        page.wait_for_timeout(30)  # as a hand turns a wheel
        yield "scroll"
    page.locator("[role=row]").nth(3).click()
    yield "select a row"
    for key in ("ArrowDown", "PageDown", "End", "Home"):
        page.keyboard.press(key)
        yield f"listing: {key}"
    for line in page.locator(".dl-code .cm-line[data-entity]").all()[:3]:
        line.hover()
        yield "hover a line"
        line.click()
        yield "select a line"


def _search(page: Page) -> Iterator[str]:
    box = page.locator("[role=tabpanel] input[type=search]").first
    box.click()
    for query in ("node_12", "op:add module:layers.1"):
        for letter in query:
            page.keyboard.type(letter)
            yield f"search: {letter}"
        page.keyboard.press("Escape")
        box.click()
        yield "another search"
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
    for at in range(1, 20, 2):  # down the middle, over whatever boxes lie there
        x, y = drawn["x"] + drawn["width"] / 2, drawn["y"] + drawn["height"] * at / 20
        page.mouse.move(x, y)
    for mode in ("memory", "dtype", "kind"):
        page.get_by_label("What the colours mean").select_option(mode)
    for key in ("+", "-", "ArrowDown", "ArrowUp", "0"):
        page.locator(".dl-canvas").press(key)
    return seconds


if __name__ == "__main__":
    main()
