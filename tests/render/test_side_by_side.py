"""Several recordings of one program, in the terminal, without scripts and as a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.api.side_by_side import SideBySide
from dynamo_lab.errors import OptionError
from dynamo_lab.render.fallback.compare.side_by_side import fallback_of_several
from dynamo_lab.render.terminal import as_text
from dynamo_lab.render.terminal.compare.side_by_side import side_by_side
from dynamo_lab.view.compare.side_by_side import together
from tests.fixtures.tabs import open_tab
from tests.render.sections import by_section
from tests.render.test_static_html import Reader
from tests.view import samples

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .conftest import Opened


@pytest.mark.parametrize("width", [80, 160])
def test_in_the_terminal(goldens: dict[str, str], width: int) -> None:
    view = together(samples.side_by_side())
    assert by_section(as_text(side_by_side(view), width=width)) == goldens


def test_without_scripts() -> None:
    html = Reader(fallback_of_several(together(samples.side_by_side())))
    assert {"table", "details"} <= html.tags
    for told in (
        "Lowered for cuda:sm_90 (NVIDIA H100): the code was not built or run.",
        "line 4: x = sum(x)",
        "cpu to cuda:sm_90: 1 kernel became 2",
        "Kernels, max_fusion_size=1",
        "def triton_bc_1(p):",
    ):
        assert told in html.text


@pytest.mark.parametrize("limit", [4_000, 200_000])
def test_hostile_text_stays_text_and_within_the_limit(limit: int) -> None:
    html = fallback_of_several(together(samples.hostile_side_by_side()), limit=limit)
    assert len(html.encode()) <= limit
    assert not Reader(html).tags & {"script", "b]", "red"}
    assert not re.search("[\u202e\u2028\u200f\x1b\x07]", html)
    text = as_text(side_by_side(together(samples.hostile_side_by_side())))
    assert not re.search("[\u202e\u2028\u200f\x1b\x07]", text)


def test_nothing_cannot_be_shown() -> None:
    with pytest.raises(OptionError, match="pass recordings by label"):
        SideBySide({})


def test_it_is_a_mapping_that_prints(make: Callable[[str], Any]) -> None:
    one = make("skipped")
    both = SideBySide({"a": one, "b": one})
    assert (list(both), len(both), both["b"]) == (["a", "b"], 2, one)
    assert "library calls" in str(both)
    assert str(both) == repr(both)


@pytest.mark.browser
def test_kernels_stand_beside_each_other(show: Callable[[str], Opened]) -> None:
    page = show("side_by_side").page
    recordings = page.get_by_role("group", name="Recording")
    open_tab(page, "kernels")
    page.get_by_role("button", name="side by side").click()
    columns = page.locator(".dl-beside-column")
    assert columns.locator("h3").all_inner_texts() == ["cpu", "cuda:sm_90"]
    assert columns.nth(0).locator(".dl-beside-kernel").count() == 1
    assert columns.nth(1).locator(".dl-beside-kernel").count() == 2
    # a kernel of the other recording lights up the line that it came from
    columns.nth(1).get_by_text("triton_bc_1").first.hover()
    page.locator(".cm-line.is-lit", has_text="sum(x)").wait_for()

    # a line that is pinned stays so in another recording, whose kernels it led to
    page.locator(".cm-line", has_text="mul(x)").click()
    recordings.get_by_role("button", name="cuda:sm_90").click()
    page.locator(".dl-beside-kernel.is-held", has_text="triton_bc_1").wait_for()
    page.get_by_label("Recording beside it").select_option("max_fusion_size=1")
    page.locator(".dl-row-work", has_text="1 kernel became 2").click()
    diff = page.get_by_role("region", name="Diff of the code")
    assert "+def triton_b_1(p):" in diff.locator(".dl-added").all_inner_texts()
    assert diff.locator(".dl-removed").all_inner_texts()[0] == "-def triton_bc_1(p):"
    page.get_by_role("button", name="columns").click()
    assert columns.nth(1).locator(".dl-beside-kernel code").all_inner_texts() == [
        "triton_b_1",
        "triton_c_2",
    ]


@pytest.mark.browser
def test_a_page_of_hostile_recordings_runs_none_of_it(show: Callable[[str], Opened]) -> None:
    page = show("hostile_side_by_side").page
    open_tab(page, "kernels")
    page.get_by_role("button", name="side by side").click()
    page.locator(".dl-row-work").first.click()
    page.locator(".dl-recordings button").nth(1).click()
    assert page.locator(".dl-beside b", has_text="b").count() > 0


@pytest.mark.browser
def test_a_page_of_one_recording_offers_no_other(show: Callable[[str], Opened]) -> None:
    page = show("branch_and_print").page
    open_tab(page, "kernels")
    assert page.get_by_role("button", name="side by side").count() == 0
    assert page.get_by_role("button", name="Lower again").count() == 0
    assert page.get_by_role("group", name="Recording").count() == 0


@pytest.mark.browser
@pytest.mark.parametrize("width", [560, 600, 640, 700])
def test_the_list_of_kernels_has_room_for_what_stands_in_and_above_it(
    show: Callable[[str], Opened], width: int
) -> None:
    page = show("side_by_side").page
    page.set_viewport_size({"width": width, "height": 800})
    open_tab(page, "kernels")
    one, beside = page.get_by_role("group", name="Kernels of").get_by_role("button").all()
    top, other = one.bounding_box(), beside.bounding_box()
    assert top is not None
    assert other is not None
    assert top["y"] == other["y"]
    badge = page.locator(".dl-row-kernel .dl-kernel-of .dl-badge").first
    within = badge.evaluate("""badge => {
      const [own, row] = [badge, badge.parentElement].map(one => one.getBoundingClientRect());
      return own.right <= row.right;
    }""")
    assert within, "the language is cut off"
