"""Room and order in each view: nothing sticks out, no text lies on another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from dynamo_lab.model.benchmarks import Overhead
from dynamo_lab.render.page import page as page_of
from dynamo_lab.view import build
from tests.fixtures.tabs import all_tabs, open_tab

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

    from dynamo_lab.model.recording import Recording
    from tests.render.conftest import Opened

pytestmark = pytest.mark.browser

SMALL = ["film", "measured", "scheduled", "assembled", "packaged"]
"""Samples of few lines; among them they have every view."""

LARGE = "measured_large"

WIDTHS = {700: 600, 1000: 600, 1800: 1000, 2560: 1300}
"""The heights to each width: a cell's output, and a screen."""

WRONG = (Path(__file__).parents[2] / "fixtures" / "layout.js").read_text(encoding="utf-8")


def look(page: Page, width: int) -> list[str]:
    """What is wrong in any view at a width."""
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    wrong: list[str] = []
    for name in all_tabs(page):
        open_tab(page, name)
        page.locator(f".dl-panel-{name}").wait_for()
        found: list[str] = page.evaluate(WRONG)
        wrong += [f"{name} at {width}: {one}" for one in found]
    return wrong


@pytest.mark.parametrize("name", SMALL)
def test_at_1000_px_nothing_sticks_out_and_no_text_lies_on_another(
    show: Callable[[str], Opened], name: str
) -> None:
    assert look(show(name).page, 1000) == []


@pytest.mark.release
@pytest.mark.parametrize(("name", "scheme"), [(SMALL[1], "dark"), (LARGE, "light")])
def test_nor_at_any_width_with_something_selected(
    show: Callable[[str], Opened], name: str, scheme: Any
) -> None:
    page = show(name).page
    page.emulate_media(color_scheme=scheme)
    page.locator(f"[data-scheme={scheme}]").wait_for()
    page.locator(".dl-code .cm-line[data-entity]").first.click(position={"x": 60, "y": 5})
    page.locator(".dl-foot.is-pinned").wait_for()
    assert [one for width in WIDTHS for one in look(page, width)] == []


def test_what_is_wrong_is_found(show: Callable[[str], Opened]) -> None:
    page = show("branch_and_print").page
    page.add_style_tag(content=".dl-sentence { margin-bottom: -14px; height: 6px; }")
    page.add_style_tag(content=".dl-overview-answer { width: 2000px; }")
    found = " ".join(page.evaluate(WRONG))
    assert "lies on" in found
    assert "scrolls sideways" in found


def lines_in_sight(page: Page, code: str) -> int:
    """How many lines of an editor are seen whole."""
    return page.locator(code).evaluate(
        """editor => {
          const box = editor.querySelector(".cm-scroller").getBoundingClientRect();
          return [...editor.querySelectorAll(".cm-line")]
            .map((line) => line.getBoundingClientRect())
            .filter(({ top, bottom }) => top >= box.top - 1 && bottom <= box.bottom + 1).length;
        }"""
    )


def columns_in_sight(page: Page, code: str) -> float:
    """How many letters of a line of an editor are seen."""
    return page.locator(code).evaluate(
        """editor => {
          const box = editor.querySelector(".cm-scroller").getBoundingClientRect();
          const line = editor.querySelector(".cm-line");
          const probe = document.createElement("span");
          probe.textContent = "x".repeat(100);
          line.append(probe);
          const letter = probe.getBoundingClientRect().width / 100;
          const { left } = line.getBoundingClientRect();
          const start = left + parseFloat(getComputedStyle(line).paddingLeft);
          probe.remove();
          return (box.right - start) / letter;
        }"""
    )


def cell(page: Page) -> None:
    """As below a cell: 600 px high, 1,000 wide, the code in the cell above."""
    page.set_viewport_size({"width": 1000, "height": 600})
    page.keyboard.press("c")
    page.locator(".dl-left").wait_for(state="detached")


CODE = ".dl-kernel-panes > .dl-code-block .cm-editor"


def test_a_cell_shows_20_lines_of_a_kernel_at_90_columns(show: Callable[[str], Opened]) -> None:
    page = show("packaged").page
    cell(page)
    open_tab(page, "kernels")
    page.locator(CODE).wait_for()
    height = page.locator(CODE).bounding_box()
    line = page.locator(f"{CODE} .cm-line").first.bounding_box()
    assert height is not None
    assert line is not None
    assert height["height"] / line["height"] >= 20, "the room, whether the kernel fills it or not"
    assert columns_in_sight(page, CODE) >= 90


def test_a_cell_shows_10_lines_of_a_kernel_beside_10_of_its_assembly(
    show: Callable[[str], Opened],
) -> None:
    page = show("assembled").page
    cell(page)
    open_tab(page, "kernels")
    below = ".dl-assembly .cm-editor"
    page.locator(below).wait_for()
    for code in (CODE, below):
        box = page.locator(code).bounding_box()
        line = page.locator(f"{code} .cm-line").first.bounding_box()
        assert box is not None
        assert line is not None
        assert box["height"] / line["height"] >= 10, code
        assert lines_in_sight(page, code) >= min(10, page.locator(f"{code} .cm-line").count()) - 1
        assert columns_in_sight(page, code) >= 30, code


def test_a_diagram_keeps_300_px_whatever_is_selected(show: Callable[[str], Opened]) -> None:
    page = show("searched").page
    cell(page)
    open_tab(page, "graphs")
    page.get_by_role("button", name="diagram", exact=True).click()
    page.locator(".dl-box-node").first.wait_for()
    before = page.locator(".dl-canvas").bounding_box()
    page.locator(".dl-box-node").first.press("Enter")
    page.locator(".dl-foot.is-pinned").wait_for()
    after = page.locator(".dl-canvas").bounding_box()
    assert before == after
    assert before is not None
    assert before["height"] >= 300


@pytest.mark.parametrize("has_code", [True, False])
def test_a_panel_beside_a_notebook_still_lists_kernels(
    show: Callable[[str], Opened], has_code: bool
) -> None:
    page = show("measured").page
    page.set_viewport_size({"width": 430, "height": 600})
    if not has_code:
        page.keyboard.press("c")
        page.locator(".dl-left").wait_for(state="detached")
    open_tab(page, "kernels")
    page.locator(".dl-row-kernel").first.wait_for()
    kernels, row = (
        page.locator(one).first.bounding_box() for one in (".dl-kernel-list", ".dl-row-kernel")
    )
    assert kernels is not None
    assert row is not None
    assert kernels["height"] >= 1.5 * row["height"], "one to choose, and that there are more"


def test_kernels_come_before_what_limits_the_trust_in_their_times(
    browser: Browser, make: Callable[[str], Recording], tmp_path: Path
) -> None:
    recording = make("measured")
    assert recording.benchmark is not None
    whole = Overhead(way=0, phase="forward", whole=(1e-6,) * 12)  # far less than its operators
    found = replace(recording.benchmark, overheads=(*recording.benchmark.overheads[:1], whole))
    path = tmp_path / "doubtful.html"
    path.write_text(page_of(build(replace(recording, benchmark=found))), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    open_tab(page, "bench")
    page.get_by_role("button", name="Kernel by kernel", exact=True).click()
    groups = page.locator(".dl-bench-groups").bounding_box()
    limits = page.get_by_label("How far these times can be trusted").bounding_box()
    page.close()
    assert groups is not None
    assert limits is not None
    assert groups["y"] + groups["height"] <= limits["y"]
