"""The page under fingers: a tap is a click, two fingers zoom, nothing waits for a hover."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import TimeoutError

from dynamo_lab.render.page import page as write_page
from dynamo_lab.view import build
from tests.fixtures.tabs import all_tabs
from tests.render.conftest import Opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from dynamo_lab.model.recording import Recording

    Open = Callable[..., Page]

pytestmark = pytest.mark.browser


@pytest.fixture
def show(browser: Browser, make: Callable[[str], Recording], tmp_path: Path) -> Iterator[Open]:
    """Open the page of a sample on a screen that is touched. Nothing may have gone wrong on it."""
    opened: list[Opened] = []

    def open_it(name: str, width: int = 700, height: int = 900) -> Page:
        path = tmp_path / f"{name}.html"
        path.write_text(write_page(build(make(name))), encoding="utf-8")
        size: Any = {"width": width, "height": height}
        one = Opened(browser.new_page(viewport=size, has_touch=True, is_mobile=True))
        opened.append(one)
        one.page.goto(path.as_uri())
        one.page.locator(".dl-body").wait_for()
        return one.page

    yield open_it
    wrong = [problem for one in opened for problem in one.wrong]
    for one in opened:
        one.page.close()
    assert wrong == []


class Fingers:
    """Fingers on the screen, as the browser itself hears of them."""

    def __init__(self, page: Page) -> None:
        self._session: Any = page.context.new_cdp_session(page)

    def go(self, *ways: list[tuple[float, float]]) -> None:
        """Each finger along its way, all at once, and up at the end."""
        for i, points in enumerate(zip(*ways, strict=True)):
            self._send("touchMove" if i else "touchStart", points)
        self._send("touchEnd", ())

    def _send(self, kind: str, points: Any) -> None:
        touched = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})


def tap_tab(page: Page, name: str) -> None:
    page.locator(f"[data-tabs~={name}]").first.tap()
    page.locator(f"[data-tab={name}]").first.tap()
    page.locator(f".dl-panel-{name}").wait_for()


def drawn(page: Page) -> Any:
    """Open the diagram of a graph; where its canvas is."""
    tap_tab(page, "graphs")
    page.get_by_role("button", name="diagram", exact=True).tap()
    page.locator(".dl-box").first.wait_for()
    return page.locator(".dl-canvas").bounding_box()


def place(page: Page) -> tuple[float, float, float]:
    """Where the drawing stands in its canvas, and how large."""
    text = page.locator(".dl-canvas > svg > g").get_attribute("transform") or ""
    words = text.replace("translate(", "").replace(") scale(", " ").replace(")", "").split()
    x, y, scale = (float(word) for word in words)
    return x, y, scale


@pytest.mark.parametrize("width", [360, 700])
@pytest.mark.parametrize("name", ["film", "measured", "scheduled"])
def test_every_view_is_a_tap_away_and_none_is_wider_than_the_screen(
    show: Open, name: str, width: int
) -> None:
    page = show(name, width)
    for tab in all_tabs(page):
        tap_tab(page, tab)
        assert page.evaluate("() => document.documentElement.scrollWidth") == width, tab


def test_a_tap_selects_a_line_and_a_row_and_shows_its_way(show: Open) -> None:
    page = show("assembled")
    page.locator(".dl-code .cm-line[data-entity]").first.tap(position={"x": 60, "y": 5})
    page.locator(".dl-foot.is-pinned").wait_for()
    stations = page.locator(".dl-station:not(.is-missing)")
    stations.filter(has_text="captured").locator(".dl-stop").first.tap()
    page.locator("[data-tab=graphs][aria-selected=true]").wait_for()
    page.locator(".dl-row.is-held").first.wait_for()


def test_a_finger_moves_a_diagram_and_the_next_tap_selects(show: Open) -> None:
    page = show("searched")
    box = drawn(page)
    fingers = Fingers(page)
    x, y = box["x"] + 12, box["y"] + box["height"] - 100
    before = place(page)
    fingers.go([(x + 10 * i, y + 4 * i) for i in range(6)])
    after = place(page)
    assert (after[0] - before[0], after[1] - before[1]) == pytest.approx((50, 20), abs=1)
    assert after[2] == before[2]
    page.evaluate("() => addEventListener('click', () => (window.clicked = true), true)")
    for _ in range(5):  # to the browser one that ends the drawing's last slide is no click
        page.locator(".dl-box-node").first.tap()
        with suppress(TimeoutError):
            page.wait_for_function("() => window.clicked", timeout=5000)
            break
    page.locator(".dl-foot.is-pinned").wait_for()


def test_two_fingers_enlarge_a_diagram_and_not_the_page(show: Open) -> None:
    page = show("searched")
    box = drawn(page)
    middle, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = place(page)
    apart = (
        [(middle - 40 - 10 * i, y) for i in range(5)],
        [(middle + 40 + 10 * i, y) for i in range(5)],
    )
    Fingers(page).go(*apart)
    after = place(page)
    assert after[2] == pytest.approx(2 * before[2], rel=0.02)
    under = [(middle - box["x"] - x) / scale for x, _, scale in (before, after)]
    assert under[0] == pytest.approx(under[1], abs=1), "what is between the fingers stays there"
    assert page.evaluate("() => visualViewport.scale") == 1


def test_what_is_copied_is_in_sight_without_a_hover(show: Open) -> None:
    page = show("assembled")
    tap_tab(page, "kernels")
    shown = page.locator(".dl-kernel-panes > .dl-code-block .dl-copy")
    assert shown.evaluate("one => getComputedStyle(one).opacity") == "1"


def test_a_phase_that_was_tapped_is_told(show: Open) -> None:
    page = show("assembled")
    tap_tab(page, "timeline")
    page.locator("[data-phase]").first.tap()
    page.locator(".dl-timeline .dl-toolbar", has_text="Show all").wait_for()
    page.locator(".dl-tip").wait_for()
