"""Large pages: the answer is there before the rest; what is too much is left out with a word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from dynamo_lab.model.core.codec import as_json
from dynamo_lab.render import large
from dynamo_lab.render.page import page
from dynamo_lab.view import View, build
from dynamo_lab.view.compare.side_by_side import SideBySideView
from tests.benchmarks.core.synthetic import recording

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def view() -> View:
    """That of a recording whose JSON no browser reads at once."""
    return build(recording(10_000))


def test_the_answer_alone_is_small_and_says_the_same(view: View) -> None:
    whole = as_json(view)
    first = large.beginning(view, len(whole))
    assert first is not None
    assert first.summary == view.summary
    assert first.findings == view.findings
    assert first.sources == view.sources
    assert len(as_json(first)) < len(whole) / 10
    assert large.beginning(view, 10_000) is None


def test_the_answer_and_the_rest_are_the_whole(view: View) -> None:
    first = large.beginning(view, len(as_json(view)))
    assert first is not None
    later = {name: msgspec.json.decode(content) for name, content in large.rest(view)}
    assert msgspec.json.decode(as_json(first)) | later == msgspec.json.decode(as_json(view))


def test_what_is_left_out_is_said_and_no_more_than_need_be(view: View) -> None:
    size = len(as_json(view))
    assert large.fitted(view)[0] is view
    smaller, packed = large.fitted(view, size - 1)
    assert len(packed) < size
    assert "leaves out the loops of buffers: with 10,000 nodes" in smaller.notes[0].message
    assert smaller.kernels == view.kernels
    least, _ = large.fitted(view, 1)
    assert least.graphs == view.graphs
    assert "the code of kernels" in least.notes[0].message


def test_several_share_what_a_browser_can_bear(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    several = SideBySideView(labels=("a", "b"), views=(view, view), pairs=())
    size = len(as_json(view))
    monkeypatch.setattr(large, "_MOST", 3 * size)
    assert large.fitted_together(several) == as_json(several)
    monkeypatch.setattr(large, "_MOST", size)
    packed = msgspec.json.decode(large.fitted_together(several), type=SideBySideView)
    assert ["leaves out" in one.notes[0].message for one in packed.views] == [True, True]
    assert len(as_json(packed)) <= size


@pytest.mark.browser
def test_a_link_into_a_large_page_waits_for_all_of_it(
    view: View, browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text(page(view), encoding="utf-8")
    assert 'id="dynamo-lab-first"' in path.read_text(encoding="utf-8")
    tab = browser.new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(f"{path.as_uri()}#kernel=3")
    tab.locator("[data-tab=kernels][aria-selected=true]").wait_for()
    assert re.search("kernel=3", tab.url)
    assert tab.get_by_role("progressbar").count() == 0
    assert not errors
    tab.close()


@pytest.mark.browser
def test_a_large_page_cut_short_shows_the_answer_and_says_so(
    view: View, browser: Browser, tmp_path: Path
) -> None:
    whole = page(view)
    path = tmp_path / "cut.html"
    path.write_text(whole[: whole.index('id="dynamo-lab-data-kernels"') + 500], encoding="utf-8")
    tab = browser.new_page()
    tab.goto(path.as_uri())
    tab.get_by_text("The recording in this page could not be read").wait_for()
    assert tab.get_by_text(view.summary.sentence[:20]).count() > 0
    assert tab.get_by_role("progressbar").count() == 0
    tab.close()
