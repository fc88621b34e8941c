"""The offline page in Firefox and in WebKit: all that it does in Chromium it does there.

Both are asked for by name and skipped where a machine lacks them: `apt-get install firefox-esr
webkit2gtk-driver xvfb`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.render.page import page as write_page
from dynamo_lab.view import build
from tests.fixtures.webdriver import Driven, firefox, webkit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamo_lab.model.recording import Recording

    Make = Callable[[str], Recording]
    Open = Callable[[str], Driven]

pytestmark = pytest.mark.long

BROWSERS = {"firefox": firefox, "webkit": webkit}

LAYOUT = (Path(__file__).parents[2] / "fixtures" / "layout.js").read_text(encoding="utf-8")

WATCH = """<script>
  const root = document.documentElement;
  root.dataset.wrong = "";
  const note = (text) => { root.dataset.wrong += `${text}\n`; };
  for (const name of ["error", "unhandledrejection", "securitypolicyviolation"])
    addEventListener(name, (event) => note(`${name}: ${event.message ?? event.reason ?? event.blockedURI}`));
  for (const name of ["error", "warn"]) {
    const say = console[name];
    console[name] = (...told) => { note(`${name}: ${told.join(" ")}`); say(...told); };
  }
</script>"""  # noqa: E501
"""Stands before the page's own policy, which lets no other script in."""

VIEWS = """() => [...document.querySelectorAll("[data-tabs]")]
  .flatMap((one) => one.dataset.tabs.split(" "))"""

WRONG = "() => document.documentElement.dataset.wrong"
IS_GONE = "selector => !document.querySelector(selector)"

PLACE = "() => document.querySelector('.dl-canvas > svg > g').getAttribute('transform')"


@pytest.fixture(scope="module", params=BROWSERS)
def driven(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Driven]:
    with BROWSERS[request.param](tmp_path_factory.mktemp(request.param), "light") as browser:
        yield browser


def opened(browser: Driven, recording: Recording, path: Path) -> Driven:
    """The page of a recording in a cell's room, in a browser that notes what goes wrong on it."""
    text = write_page(build(recording))
    path.write_text(text.replace("<head>", f"<head>{WATCH}", 1), encoding="utf-8")
    browser.open(path.as_uri())
    browser.see(".dl-body")
    browser.resize(1000, 600)
    return browser


def open_view(page: Driven, name: str) -> None:
    page.click(f"[data-tabs~={name}]")
    page.click(f"[data-tab={name}]")
    page.see(f".dl-panel-{name}")
    page.wait(IS_GONE, ".dl-waiting")


def of_every_view(page: Driven) -> list[str]:
    """What sticks out of a view, or lies on something else, in any of them."""
    wrong: list[str] = []
    for view in page.ask(VIEWS):
        open_view(page, view)
        found: list[str] = page.ask(LAYOUT)
        wrong += [f"{view}: {one}" for one in found]
    return wrong


@pytest.fixture
def show(driven: Driven, make: Make, tmp_path: Path) -> Iterator[Open]:
    """Open the page of a sample in a cell's room. After the test nothing may have gone wrong."""
    yield lambda name: opened(driven, make(name), tmp_path / f"{name}.html")
    assert driven.ask(WRONG) == ""


@pytest.mark.parametrize("name", ["film", "measured", "scheduled", "assembled", "packaged"])
def test_every_view_opens_and_nothing_sticks_out(show: Open, name: str) -> None:
    assert of_every_view(show(name)) == []


@pytest.mark.parametrize("browser", BROWSERS)
def test_it_follows_the_system_into_the_dark(browser: str, make: Make, tmp_path: Path) -> None:
    with BROWSERS[browser](tmp_path, "dark") as driven:
        page = opened(driven, make("measured"), tmp_path / "page.html")
        page.see("[data-scheme=dark]")
        assert of_every_view(page) == []
        assert page.ask(WRONG) == ""


def test_a_line_leads_along_its_way_and_its_link_leads_back(show: Open) -> None:
    page = show("assembled")
    page.click(".dl-code .cm-line[data-entity]")
    page.see(".dl-foot.is-pinned")
    page.click(".dl-station:not(.is-missing) .dl-stop", "mul")
    page.see("[data-tab=graphs][aria-selected=true]")
    page.see(".dl-row.is-held")
    page.press("Escape")
    page.wait(IS_GONE, ".dl-row.is-held")
    page.ask("() => { location.hash = '#kernel=0&line=6'; }")
    page.see("[data-tab=kernels][aria-selected=true]")
    page.see(".dl-stop.is-here", "statement")


def test_the_keyboard_does_what_it_does_elsewhere(show: Open) -> None:
    page = show("scheduled")
    page.press("2")
    page.see("[data-tab=breaks][aria-selected=true]")
    page.press("2")
    page.see("[data-tab=guards][aria-selected=true]")
    page.press("c")
    page.wait(IS_GONE, ".dl-left")
    page.press("c")
    page.see(".dl-left .cm-line")
    page.press("?")
    page.see(".dl-help")
    page.press("Escape")
    page.wait(IS_GONE, ".dl-help")


def test_what_is_under_the_pointer_lights_its_kin(show: Open) -> None:
    page = show("scheduled")
    open_view(page, "graphs")
    page.hover(".dl-row-node", "gelu")
    page.see(".dl-code .cm-line.is-lit")


def test_a_diagram_is_drawn_zoomed_and_moved(show: Open) -> None:
    page = show("searched")
    open_view(page, "graphs")
    page.click("button", "diagram")
    page.see(".dl-box-node")
    first = page.ask(PLACE)
    page.click("button[aria-label='Zoom in']")
    page.wait(f"before => ({PLACE})() !== before", first)
    zoomed = page.ask(PLACE)
    page.drag(".dl-canvas", 60, 30)
    page.wait(f"before => ({PLACE})() !== before", zoomed)
    assert page.ask(PLACE).split("scale")[1] == zoomed.split("scale")[1]
    page.click(".dl-fit")
    page.wait(f"before => ({PLACE})() === before", first)
    page.click(".dl-box-node", "add")
    page.see(".dl-foot.is-pinned")


def test_the_bar_between_panes_stays_where_it_was_left(show: Open) -> None:
    page = show("scheduled")
    page.drag(".dl-left + .dl-splitter", 90, 0)
    width = "() => document.querySelector('.dl-left').offsetWidth"
    left = page.ask(width)
    page.reload()
    page.see(".dl-body")
    page.wait(f"left => Math.abs(({width})() - left) <= 1", left)


def test_what_goes_wrong_is_noted(driven: Driven, make: Make, tmp_path: Path) -> None:
    page = opened(driven, make("film"), tmp_path / "page.html")
    page.ask(
        "() => document.body.append(document.createElement('script').appendChild("
        "document.createTextNode('1')).parentNode)"
    )
    page.wait(f"() => ({WRONG})().includes('securitypolicyviolation')")
