"""The room that a view has, what is copied from it, and the way of what is selected."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import pytest

from tests.fixtures.tabs import open_tab

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.render.conftest import Opened

pytestmark = pytest.mark.browser

COPIES = """() => {
  window.copied = [];
  const keep = (one) => { window.copied.push(one); return Promise.resolve(); };
  const write = async (items) => keep(Object.fromEntries(await Promise.all(items[0].types.map(
    async (type) => [type, await (await items[0].getType(type)).arrayBuffer().then((all) => [...new Uint8Array(all).slice(0, 8)])]))));
  Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: keep, write } });
}"""  # noqa: E501
"""A clipboard that a test reads: the browser's own belongs to the machine."""


def copied(page: Page) -> Any:
    """What was copied last."""
    page.wait_for_function("() => window.copied.length > 0")
    return page.evaluate("() => window.copied.pop()")


def place(page: Page) -> tuple[float, float, float]:
    """Where the drawing stands in its canvas, and how large."""
    text = page.locator(".dl-canvas > svg > g").get_attribute("transform") or ""
    words = text.replace("translate(", "").replace(") scale(", " ").replace(")", "").split()
    x, y, scale = (float(word) for word in words)
    return x, y, scale


def drawn(page: Page) -> Any:
    """Open the diagram of a graph; where its canvas is."""
    open_tab(page, "graphs")
    page.get_by_role("button", name="diagram", exact=True).click()
    page.locator(".dl-box").first.wait_for()
    box = page.locator(".dl-canvas").bounding_box()
    assert box is not None
    return box


def test_the_keys_stay_within_the_view_and_leave_it_where_it_was(
    show: Callable[[str], Opened],
) -> None:
    """In a notebook the view is 600 pixels high, the keys are more."""
    page = show("branch_and_print").page
    page.set_viewport_size({"width": 1000, "height": 600})
    page.keyboard.press("?")
    keys = page.locator(".dl-help")
    box, app = keys.bounding_box(), page.locator(".dl-app").bounding_box()
    assert box is not None
    assert app is not None
    assert box["y"] > app["y"] == 0, "the header is where it was"
    assert box["y"] + box["height"] < 600
    assert page.locator(".dl-app").evaluate("(it) => it.scrollTop") == 0
    keys.get_by_text("Hover anything").scroll_into_view_if_needed()
    assert page.locator(".dl-app").evaluate("(it) => it.scrollTop") == 0
    assert keys.evaluate("(it) => it.scrollTop") > 0


def test_a_kernels_name_has_room_beside_what_is_said_of_it(
    show: Callable[[str], Opened],
) -> None:
    """At the width that JupyterLab gives a view on a screen of 1400 pixels."""
    page = show("assembled").page
    page.set_viewport_size({"width": 968, "height": 900})
    page.keyboard.press("c")
    open_tab(page, "kernels")
    name = page.locator(".dl-kernel-heading")
    name.first.wait_for()
    assert name.first.evaluate("(it) => it.scrollWidth <= it.clientWidth"), name.first.inner_text()


def test_c_hides_your_code_and_shows_it_again(show: Callable[[str], Opened]) -> None:
    page = show("branch_and_print").page
    right = page.locator(".dl-right")
    before = right.bounding_box()
    page.keyboard.press("c")
    page.locator(".dl-left").wait_for(state="detached")
    wide = right.bounding_box()
    assert before is not None
    assert wide is not None
    assert wide["width"] == 1400 > before["width"]
    assert page.locator(".dl-code-toggle").get_attribute("aria-pressed") == "false"
    page.keyboard.press("c")
    page.locator(".dl-left .cm-line").first.wait_for()
    assert right.bounding_box() == before


def test_the_playground_to_read_has_the_code_once_and_lights_its_lines(
    show: Callable[[str], Opened],
) -> None:
    page = show("assembled").page
    left = page.locator(".dl-left").bounding_box()
    open_tab(page, "playground")
    page.locator(".dl-ground-column .cm-line").first.wait_for()
    assert page.locator(".dl-left").bounding_box() == left
    line = page.locator(".dl-left .cm-line.dl-hued").first
    text = line.inner_text().strip()
    assert page.locator(".cm-editor:visible .cm-line", has_text=text).count() == 1
    line.click()
    held = page.locator(".dl-ground-column .cm-line.is-held")
    held.first.wait_for()
    page.keyboard.press("Escape")
    held.first.wait_for(state="detached")
    code = page.locator(".dl-ground-column .cm-line.dl-hued").first
    assert code.evaluate("one => one.style.cssText") == line.evaluate("one => one.style.cssText")
    code.click()
    page.locator(".dl-left .cm-line.is-held", has_text=text).wait_for()


@pytest.mark.parametrize("size", [(1400, 900), (700, 600)])
def test_d_slides_the_details_over_a_third_at_most(
    show: Callable[[str], Opened], size: tuple[int, int]
) -> None:
    page = show("branch_and_print").page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    open_tab(page, "graphs")
    rows = page.locator(".dl-list").bounding_box()
    page.locator(".dl-row[data-entity='node:0:2'] .dl-row-number").click()
    page.keyboard.press("d")
    drawer = page.locator(".dl-selection")
    drawer.get_by_text("tanh").or_(drawer.get_by_text("add")).first.wait_for()
    main, box = page.locator(".dl-main").bounding_box(), drawer.bounding_box()
    assert main is not None
    assert box is not None
    assert box["width"] * box["height"] <= main["width"] * main["height"] * 0.34
    assert page.locator(".dl-list").bounding_box() == rows, "what is below stays where it was"
    page.keyboard.press("Escape")
    drawer.wait_for(state="detached")
    assert page.locator(".dl-row.is-held").count() > 0, "Escape closes first, and unselects then"
    page.keyboard.press("Escape")
    page.locator(".dl-row.is-held").first.wait_for(state="detached")


def test_ctrl_and_the_wheel_zoom_where_the_pointer_is(show: Callable[[str], Opened]) -> None:
    page = show("searched").page
    box = drawn(page)
    x, y = box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.4
    page.mouse.move(x, y)
    before = place(page)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -30)
    page.keyboard.up("Control")
    page.wait_for_function(
        "scale => !document.querySelector('.dl-canvas > svg > g').getAttribute('transform').includes(scale)",  # noqa: E501
        arg=f"scale({before[2]:.4f})",
    )
    after = place(page)
    assert after[2] > before[2]
    under = [
        ((at - box[side] - shift) / scale)
        for shift, scale in ((before[0], before[2]), (after[0], after[2]))
        for at, side in ((x, "x"),)
    ]
    assert under[0] == pytest.approx(under[1], abs=1), "what is under the pointer stays there"
    assert page.evaluate("() => [window.scrollY, visualViewport.scale]") == [0, 1]


@pytest.mark.parametrize(("dx", "dy"), [(5000, 0), (-5000, 0), (0, 5000), (0, -5000)])
def test_a_drag_leaves_part_of_the_drawing_in_sight(
    show: Callable[[str], Opened], dx: int, dy: int
) -> None:
    page = show("searched").page
    box = drawn(page)
    page.mouse.move(box["x"] + 12, box["y"] + box["height"] - 12)
    before = place(page)
    page.mouse.down()
    page.mouse.move(box["x"] + 20, box["y"] + box["height"] - 20)
    page.mouse.move(box["x"] + 12 + dx, box["y"] + box["height"] - 12 + dy)
    page.mouse.up()
    assert place(page) != before
    seen = page.locator(".dl-canvas > svg > g").bounding_box()
    assert seen is not None
    assert seen["x"] < box["x"] + box["width"] - 20
    assert seen["x"] + seen["width"] > box["x"] + 20
    assert seen["y"] < box["y"] + box["height"] - 20
    assert seen["y"] + seen["height"] > box["y"] + 20


def test_a_drag_that_ends_outside_has_ended(show: Callable[[str], Opened]) -> None:
    page = show("searched").page
    box = drawn(page)
    page.mouse.move(box["x"] + 12, box["y"] + box["height"] - 12)
    before = place(page)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, 20)  # with its first move it is outside
    page.mouse.up()
    after = place(page)
    assert after != before
    page.mouse.move(box["x"] + 60, box["y"] + 60, steps=3)
    assert place(page) == after


def test_bars_between_panes_are_bounded_and_kept(show: Callable[[str], Opened]) -> None:
    page = show("branch_and_print").page
    bar = page.get_by_role("separator", name="Width of your code")
    for to, least, most in ((-5000, 100, 250), (5000, 900, 1200)):
        box = bar.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 2, 300)
        page.mouse.down()
        page.mouse.move(max(0, min(1399, box["x"] + to)), 300, steps=3)
        page.mouse.up()
        left = page.locator(".dl-left").bounding_box()
        assert left is not None
        assert least < left["width"] < most
    bar.press("ArrowLeft")
    assert bar.get_attribute("aria-valuenow") == "77"
    page.reload()
    assert bar.get_attribute("aria-valuenow") == "77"


def test_y_copies_a_link_that_leads_back(show: Callable[[str], Opened]) -> None:
    page = show("branch_and_print").page
    page.evaluate(COPIES)
    open_tab(page, "graphs")
    page.locator(".dl-row[data-entity='node:0:2'] .dl-row-number").click()
    page.keyboard.press("y")
    link = copied(page)
    page.wait_for_url(link)  # noted once what was selected is drawn
    assert "#graph=0&node=" in link
    page.locator(".dl-foot-told", has_text="Copied").wait_for()
    page.goto("about:blank")
    page.goto(link)
    page.locator(".dl-row.is-held[data-entity='node:0:2']").wait_for()
    assert page.locator("[data-tab=graphs][aria-selected=true]").count() == 1


def test_a_link_leads_to_a_line_of_a_kernel(show: Callable[[str], Opened]) -> None:
    page = show("assembled").page
    page.evaluate("() => { location.hash = '#kernel=0&line=6'; }")
    page.locator("[data-tab=kernels][aria-selected=true]").wait_for()
    page.locator(".dl-stop.is-here", has_text="statement").wait_for()
    assert page.locator(".dl-kernel-panes .cm-line.is-held").count() > 0
    page.evaluate("() => { location.hash = '#kernel=99&view=guards'; }")
    page.locator("[data-tab=guards][aria-selected=true]").wait_for()


def test_code_is_copied_whole(show: Callable[[str], Opened]) -> None:
    page = show("assembled").page
    page.evaluate(COPIES)
    open_tab(page, "kernels")
    page.locator(".dl-kernel-panes > .dl-code-block .dl-copy").click()
    lines = copied(page).splitlines()
    assert any("tmp1 + 1.0" in line for line in lines)
    assert len(lines) >= page.locator(".dl-kernel-panes > .dl-code-block .cm-line").count()
    page.get_by_role("button", name="Copied").wait_for()


def test_a_table_is_copied_as_markdown_and_as_csv(show: Callable[[str], Opened]) -> None:
    page = show("measured").page
    page.evaluate(COPIES)
    open_tab(page, "bench")
    page.get_by_role("button", name="Copy Markdown").first.click()
    table = [line for line in copied(page).splitlines() if line]
    assert all(line.startswith("|") and line.endswith("|") for line in table)
    assert set(table[1]) == set("| -")
    assert len({line.count("|") for line in table}) == 1
    page.get_by_role("button", name="CSV", exact=True).first.click()
    rows = list(csv.reader(io.StringIO(copied(page))))
    assert len(rows) == len(table) - 1
    assert len({len(row) for row in rows}) == 1


def test_a_picture_is_copied_as_svg_and_as_png(show: Callable[[str], Opened]) -> None:
    page = show("searched").page
    page.evaluate(COPIES)
    drawn(page)
    page.get_by_title("Copy what is shown as a picture").click()
    both = copied(page)
    assert bytes(both["image/png"]) == b"\x89PNG\r\n\x1a\n"
    assert bytes(both["text/plain"]).startswith(b"<svg ")
    page.get_by_role("button", name="Copied").wait_for()


def test_each_station_of_the_way_is_a_click(show: Callable[[str], Opened]) -> None:
    opened = show("assembled")
    page = opened.page
    page.locator(".dl-code .cm-line[data-entity]").first.click(position={"x": 60, "y": 5})
    stations = page.locator(".dl-station:not(.is-missing)")
    titles = stations.locator(".dl-station-title").all_inner_texts()
    assert titles[0] == "your code"
    assert {"captured", "kernel", "instructions"} <= set(titles)
    views = {"captured": "graphs", "kernel": "kernels", "instructions": "kernels"}
    for title, view in views.items():
        stations.filter(has_text=title).locator(".dl-stop").first.click()
        page.locator(f"[data-tab={view}][aria-selected=true]").wait_for()
        page.locator(".dl-stop.is-here").first.wait_for()
    stations.filter(has_text="your code").locator(".dl-stop").first.click()
    page.locator(".dl-code .cm-line.is-held").first.wait_for()
