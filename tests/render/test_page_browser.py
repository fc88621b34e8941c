"""The offline page in Chromium, opened from its file: it works, fetches nothing, runs no text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.render.page import page as write_page
from dynamo_lab.view import build
from tests.fixtures.tabs import all_tabs, open_tab

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from dynamo_lab.model.recording import Recording

    from .conftest import Opened

    Make = Callable[[str], Recording]


pytestmark = pytest.mark.browser

SAMPLES = [
    "branch_and_print",
    "decomposed",
    "scheduled",
    "skipped",
    "fullgraph_failed",
    "recompiled",
    "sizes",
    "hostile",
    "big",
    "film",
    "hostile_film",
    "hostile_staged",
    "nested",
    "searched",
    "rewritten",
    "lowered",
    "packaged",
    "measured",
    "measured_large",
]


@pytest.mark.parametrize("width", [700, 820, 1040, 1400])
def test_every_tab_is_in_sight_and_the_keyboard_walks_them(
    show: Callable[[str], Opened], width: int
) -> None:
    opened = show("branch_and_print")
    opened.page.set_viewport_size({"width": width, "height": 900})
    page = opened.page
    groups = page.locator(".dl-groups")
    place = groups.evaluate("groups => [groups.offsetTop, groups.offsetHeight]")
    for name in all_tabs(page):
        open_tab(page, name)
        now = groups.evaluate("groups => [groups.offsetTop, groups.offsetHeight]")
        assert now == place, "nothing jumps"
        bar = page.locator(".dl-tabs").bounding_box()
        assert bar is not None
        for tab in page.locator("[role=tab]").all():
            box = tab.bounding_box()
            assert box is not None
            assert bar["x"] <= box["x"]
            assert box["x"] + box["width"] <= bar["x"] + bar["width"] + 1
            assert box["y"] + box["height"] <= bar["y"] + bar["height"] + 1
    page.locator(".dl-groups [aria-selected=true]").focus()
    page.keyboard.press("End")
    assert opened.tab() == "timeline"
    assert page.evaluate("document.activeElement.dataset.tab") == "timeline"


@pytest.mark.parametrize("width", [330, 560])
def test_beside_a_file_browser_every_view_and_button_is_in_reach(
    show: Callable[[str], Opened], width: int
) -> None:
    page = show("lowered").page
    page.set_viewport_size({"width": width, "height": 600})
    bar = page.locator(".dl-tabs")
    for name in all_tabs(page):
        open_tab(page, name)
        page.locator(f".dl-panel-{name}").wait_for()
        has_views = page.locator(".dl-views").count() == 1
        assert bar.evaluate("bar => bar.offsetHeight") == (67 if has_views else 34), "no empty row"
    for button in page.locator(".dl-header-row button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width


def test_where_nothing_was_compiled_there_is_the_code_alone(show: Callable[[str], Opened]) -> None:
    page = show("nothing").page
    assert page.locator("[role=tab], .dl-right, .dl-splitter").count() == 0
    page.get_by_text("Nothing was compiled: Dynamo saw no Python function").wait_for()
    assert page.locator(".dl-left").bounding_box() is not None


@pytest.mark.parametrize("name", SAMPLES)
def test_every_tab_opens(show: Callable[[str], Opened], name: str) -> None:
    page = show(name).page
    for tab in all_tabs(page):
        open_tab(page, tab)
        panel = page.locator("[role=tabpanel]")
        panel.wait_for()
        assert panel.inner_text().strip()


def test_tabs_work_by_keyboard(show: Callable[[str], Opened]) -> None:
    opened = show("branch_and_print")
    page = opened.page
    groups = [
        tab.inner_text().split("\n")[0] for tab in page.locator(".dl-groups [role=tab]").all()
    ]
    chosen = page.locator(".dl-groups [aria-selected=true]")
    chosen.focus()
    page.keyboard.press("Home")
    seen = [chosen.inner_text().split("\n")[0]]
    for _ in groups:
        page.keyboard.press("ArrowRight")
        seen.append(chosen.inner_text().split("\n")[0])
    assert seen == [*groups, groups[0]]  # and round again
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    views: list[str] = []
    for _ in range(4):
        views.append(page.evaluate("document.activeElement.dataset.tab"))
        page.keyboard.press("ArrowRight")
    assert views == ["breaks", "guards", "frames", "breaks"]
    assert opened.tab() == "guards"
    page.locator(".dl-title").click()
    page.keyboard.press("1")
    assert opened.tab() == "overview"
    page.keyboard.press("2")
    page.keyboard.press("2")
    assert opened.tab() == "frames", "the number shows the last view of its group, then the next"


def lit_rows(page: Page) -> list[str]:
    """The nodes of the rows that are lit."""
    rows = page.locator(".dl-row.is-lit").all()
    return [row.get_attribute("data-entity") or "" for row in rows]


def test_a_hovered_line_lights_its_rows_and_no_others(show: Callable[[str], Opened]) -> None:
    page = show("branch_and_print").page
    open_tab(page, "graphs")
    page.locator(".dl-row").first.wait_for()
    page.locator(".cm-line[data-entity='line:0:1']").hover()
    page.locator(".dl-row.is-lit").first.wait_for()
    assert lit_rows(page) == ["node:0:1", "node:0:2"]
    page.locator(".cm-line[data-entity='line:0:2']").hover()
    page.locator(".dl-row.is-lit[data-entity='node:0:3']").wait_for()
    assert "node:0:1" not in lit_rows(page)


def test_a_hovered_row_lights_its_line(show: Callable[[str], Opened]) -> None:
    page = show("branch_and_print").page
    open_tab(page, "graphs")
    page.locator(".dl-row[data-entity='node:0:2']").hover()
    page.locator(".cm-line.is-lit[data-entity='line:0:1']").wait_for()


def test_hostile_text_stays_text(show: Callable[[str], Opened]) -> None:
    page = show("hostile").page
    assert "</script><b>bold</b>&amp;" in page.locator("body").inner_text()
    for tab in all_tabs(page):
        open_tab(page, tab)
        page.locator("[role=tabpanel]").wait_for()
        for fold in page.locator("[role=tabpanel] [aria-expanded=false]").all():
            fold.click()
        folds = page.locator("[role=tabpanel] details:not([open]) > summary")
        for _ in range(folds.count()):  # each that opens leaves the list
            folds.first.click()
        # What the text would have made, had it been read as markup or as an address.
        assert page.locator("b", has_text=re.compile("^bold$")).count() == 0
        assert page.locator("a[href^='javascript:']").count() == 0
    assert page.locator("script").count() == 5  # with the one that the loader unpacks


def test_a_page_cut_short_says_so(browser: Browser, make: Make, tmp_path: Path) -> None:
    whole = write_page(build(make("branch_and_print")))
    at = whole.index('id="dynamo-lab-script"') + 5_000
    path = tmp_path / "cut.html"
    path.write_text(whole[:at] + whole[whole.index("</script>", at) :], encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.get_by_text("This page could not be opened").wait_for()
    page.close()


def test_5_000_nodes_can_be_read_to_their_end(show: Callable[[str], Opened]) -> None:
    page = show("big").page
    open_tab(page, "graphs")
    rows = page.locator(".dl-row")
    rows.first.wait_for()
    assert rows.count() < 200  # only what is seen is drawn
    page.locator(".dl-list").evaluate("list => { list.scrollTop = list.scrollHeight; }")
    page.locator(".dl-row[data-entity='node:0:5001']").wait_for()
