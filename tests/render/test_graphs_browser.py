"""Graphs on the offline page in Chromium: search, def-use, bodies, neighbourhoods, files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.fixtures.tabs import open_tab

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from .conftest import Opened

pytestmark = pytest.mark.browser

TIMES = "\N{MULTIPLICATION SIGN}"
GOLDEN = Path(__file__).parent / "golden" / "dot" / "test_modules_are_collapsed.txt"


@pytest.fixture
def graphs(show: Callable[[str], Opened]) -> Callable[[str], Page]:
    """Open the page of a sample at its graphs."""

    def open_it(name: str) -> Page:
        page = show(name).page
        open_tab(page, "graphs")
        page.locator(".dl-row").first.wait_for()
        return page

    return open_it


def nodes(page: Page, state: str = "") -> list[str]:
    """The entities of the rows in sight, of those in a state."""
    rows = page.locator(f".dl-row{state}").all()
    return [row.get_attribute("data-entity") or "" for row in rows]


def search(page: Page, query: str) -> None:
    page.locator("[aria-label='Search nodes']").fill(query)


def diagram(page: Page) -> None:
    page.get_by_role("button", name="diagram", exact=True).click()
    page.locator(".dl-box").first.wait_for()


def titles(page: Page) -> list[str]:
    return page.locator(".dl-box-title").all_text_contents()


def test_a_row_shows_what_it_is_made_of_and_what_uses_it(graphs: Callable[[str], Page]) -> None:
    page = graphs("searched")
    page.locator("[data-entity='node:0:11'] .dl-row-number").hover()
    page.locator(".is-user").first.wait_for()
    assert nodes(page, ".is-input") == ["node:0:5", "node:0:7", "node:0:10"]
    assert nodes(page, ".is-user") == ["node:0:12", "node:0:13"]


def test_an_argument_and_a_count_of_users_lead_to_their_nodes(
    graphs: Callable[[str], Page],
) -> None:
    page = graphs("searched")
    page.locator("[data-entity='node:0:11'] .dl-ref", has_text=re.compile("^gt$")).click()
    page.locator(".is-held[data-entity='node:0:7']").wait_for()
    page.locator("[data-entity='node:0:5'] .dl-cell-users .dl-go").click()
    page.locator(".is-held[data-entity='node:0:6']").wait_for()


def test_def_use_is_walked_by_keys(graphs: Callable[[str], Page]) -> None:
    page = graphs("searched")
    page.locator("[data-entity='node:0:0'] .dl-row-number").hover()
    page.locator(".dl-list").focus()
    page.locator("[data-entity='node:0:11'] .dl-row-number").hover()
    for key, node in (("u", 12), ("U", 13), ("Backspace", 11), ("i", 7), ("I", 10), ("I", 5)):
        page.keyboard.press(key)
        page.locator(f".is-cursor[data-entity='node:0:{node}']").wait_for()


def test_a_search_counts_its_hits_and_steps_through_them(graphs: Callable[[str], Page]) -> None:
    page = graphs("searched")
    search(page, "op:linear dtype:f32")
    page.get_by_text("2 hits").wait_for()
    assert nodes(page) == ["node:0:3", "node:0:5"]
    page.get_by_label("Next hit").click()
    page.locator(".is-cursor[data-entity='node:0:3']").wait_for()
    page.get_by_text("only hits").click()
    page.get_by_label("Next hit").click()
    page.locator(".is-hit[data-entity='node:0:5']").wait_for()
    assert len(nodes(page)) == 15


def test_a_search_finds_bodies_and_other_stages(graphs: Callable[[str], Page]) -> None:
    page = graphs("searched")
    search(page, "aten")
    page.locator("[data-entity='node:1:1']").wait_for()  # in a body that was not open
    page.locator(".dl-note-line .dl-go", has_text="post_grad").click()
    page.locator("[data-entity='node:3:1']").wait_for()
    assert page.locator("[aria-label='Search nodes']").input_value() == "aten"


def test_a_search_says_what_it_does_not_understand(graphs: Callable[[str], Page]) -> None:
    page = graphs("searched")
    search(page, "colour:red")
    page.get_by_text("There is no field colour").wait_for()
    assert len(nodes(page)) == 15
    search(page, "op:lin")
    page.get_by_role("button", name="op:*lin* finds 2 nodes").click()
    page.locator("[data-entity='node:0:3']").wait_for()


def test_a_link_leads_to_a_node_that_the_search_leaves_out(graphs: Callable[[str], Page]) -> None:
    page = graphs("searched")
    search(page, "op:cond")
    page.locator("[data-entity='node:0:11'] .dl-ref", has_text=re.compile("^gt$")).click()
    page.locator(".is-held[data-entity='node:0:7']").wait_for()


def test_a_body_opens_in_the_listing(graphs: Callable[[str], Page]) -> None:
    page = graphs("searched")
    toggle = page.locator(".dl-bodies button", has_text="body 1")
    toggle.click()
    page.locator("[data-entity='node:1:1']").wait_for()
    toggle.click()
    page.locator("[data-entity='node:1:1']").wait_for(state="detached")
    page.locator(".dl-list").focus()
    page.locator("[data-entity='node:0:11'] .dl-row-number").hover()
    page.keyboard.press("ArrowRight")
    page.locator("[data-entity='node:2:1']").wait_for()


def test_a_body_opens_in_the_diagram(graphs: Callable[[str], Page]) -> None:
    page = graphs("searched")
    diagram(page)
    assert "sin" not in titles(page)
    page.locator(".dl-box.has-body").click()
    page.locator("[data-entity='node:1:1']").wait_for()
    assert {"sin", "cos"} <= set(titles(page))
    page.get_by_role("button", name="Close body 1 of cond").press("Enter")
    page.locator(".dl-box[data-entity='node:1:1']").wait_for(state="detached")


def test_the_neighbourhood_of_a_node(graphs: Callable[[str], Page]) -> None:
    page = graphs("searched")
    page.locator("[data-entity='node:0:7'] .dl-row-number").click()
    page.get_by_role("button", name="Details").click()
    page.get_by_role("button", name="Show what is around it").click()
    page.locator(".dl-box[data-entity='node:0:5']").wait_for()
    around = page.locator(".dl-box-node")
    assert around.count() == 6
    page.get_by_label("Steps up").select_option("1")
    page.locator(".dl-box[data-entity='node:0:5']").wait_for(state="detached")
    page.locator(".dl-box[data-entity='node:0:11']").click()
    page.locator(".dl-trail [aria-current]", has_text="cond").wait_for()
    page.locator(".dl-trail .dl-button").click()
    page.locator(".dl-trail [aria-current]", has_text="gt").wait_for()
    page.get_by_role("button", name="Whole graph").click()
    page.locator(".dl-box-module").first.wait_for()


def test_colours_bear_a_legend(graphs: Callable[[str], Page]) -> None:
    page = graphs("searched")
    diagram(page)
    legend = page.locator(".dl-colours-entries")
    said = {
        "kind": ["matrix", "elementwise"],
        "dtype": ["f32", "bool", "f16"],
        "module": ["encoder.0.norm", "no module"],
        "memory": ["up to 65.5 kB", "not known"],
    }
    for mode, words in said.items():
        page.get_by_label("What the colours mean").select_option(mode)
        page.get_by_text(words[0]).first.wait_for()
        assert all(word in legend.inner_text() for word in words), mode
    assert page.locator(".dl-box-detail", has_text="8.2 kB").count() == 1


def test_what_a_search_finds_is_marked_in_the_diagram(graphs: Callable[[str], Page]) -> None:
    page = graphs("searched")
    search(page, "op:linear")
    page.get_by_text("2 hits").wait_for()
    diagram(page)
    page.locator(".dl-box.is-hit").first.wait_for()
    marked = page.locator(".dl-box.is-hit .dl-box-title").all_text_contents()
    assert marked == ["fc Linear", "fc Linear"]
    page.get_by_role("button", name="clear").click()
    page.locator(".dl-box.is-hit").first.wait_for(state="detached")


def test_what_is_shown_is_saved_as_dot_and_svg(
    graphs: Callable[[str], Page], tmp_path: Path
) -> None:
    page = graphs("searched")
    diagram(page)
    saved: dict[str, str] = {}
    for kind in ("DOT", "SVG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        assert download.value.suggested_filename == f"graph_1.{kind.lower()}"
        download.value.save_as(tmp_path / kind)
        saved[kind] = (tmp_path / kind).read_text(encoding="utf-8")
    assert saved["DOT"] == GOLDEN.read_text(encoding="utf-8")
    assert "var(" not in saved["SVG"]
    assert "color(srgb" not in saved["SVG"]
    assert "\\x1b\\u202e&lt;b&gt;" in saved["SVG"]
    assert "elementwise" in saved["SVG"]  # the legend
    page.goto((tmp_path / "SVG").rename(tmp_path / "x.svg").as_uri())
    assert page.locator("svg > text", has_text="cond").count() > 0  # it is well formed


def test_a_graph_too_large_to_draw_is_shown_around_a_node(graphs: Callable[[str], Page]) -> None:
    page = graphs("big")
    diagram(page)
    assert page.locator(".dl-box").count() <= 200


def test_repeated_blocks_are_folded_searched_and_linked_inside(
    graphs: Callable[[str], Page],
) -> None:
    page = graphs("unrolled")
    heads = page.locator(".dl-row-repeat")
    assert heads.count() == 3  # the blocks, the loop in the first of them, and the last loop
    assert "4 h.0 … h.3" in (heads.first.text_content() or "")
    inside = page.locator("[data-entity='node:0:25']")
    assert inside.count() == 0
    search(page, "name:tanh_1_4")
    inside.wait_for()
    search(page, "")
    inside.wait_for(state="detached")
    heads.first.click()  # all blocks, each with its loop folded
    assert heads.count() == 6
    page.locator("[data-entity='node:0:21'] .dl-row-number").hover()
    page.locator(".dl-list").focus()
    page.keyboard.press("ArrowRight")  # the loop of this block
    inside.wait_for()
    page.keyboard.press("ArrowLeft")
    inside.wait_for(state="detached")


def test_a_diagram_opens_the_first_block_and_then_the_others(
    graphs: Callable[[str], Page],
) -> None:
    page = graphs("unrolled")
    diagram(page)
    more = page.locator(".dl-box", has_text=f"{TIMES} 11 more")
    more.last.click()
    page.locator(".dl-box", has_text="add_s11").wait_for()
    page.get_by_role("button", name=f"Close {TIMES} 12 mm and add").click()
    page.locator(".dl-box", has_text="add_s11").wait_for(state="detached")
    page.locator(".dl-box", has_text=f"{TIMES} 12 mm and add").wait_for()
