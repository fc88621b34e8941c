"""The page of imported logs in Chromium."""

from pathlib import Path

import pytest

import dynamo_lab as lab
from tests.fixtures.tabs import all_tabs, open_tab

pytestmark = pytest.mark.browser

LOGS = Path(__file__).parent / "logs"
NASTY = "</script><b>bold</b>\x1b[31m"


@pytest.fixture
def show(browser, tmp_path):
    wrong, pages = [], []

    def open_it(opened):
        opened.to_html(tmp_path / "page.html")
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        pages.append(page)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
        page.goto((tmp_path / "page.html").as_uri())
        page.locator(".dl-body").wait_for()
        return page

    yield open_it
    for page in pages:
        page.close()
    assert wrong == []


@pytest.mark.slow
def test_every_tab_of_a_log_opens(show):
    page = show(lab.open_trace(LOGS / "torch-2.13"))
    names = all_tabs(page)
    assert names == [
        "overview",
        "artifacts",
        "breaks",
        "guards",
        "frames",
        "graphs",
        "playground",
        "kernels",
        "timeline",
    ]
    for name in names:
        open_tab(page, name)
        page.locator(f".dl-panel-{name}").wait_for()
    open_tab(page, "artifacts")
    page.locator("[role=row]", has_text="aotautograd_cache_miss").first.click()
    page.locator(".dl-artifact", has_text="cache_status_detailed").wait_for()


def test_where_ranks_part_stands_above_all_and_one_can_be_chosen(show):
    page = show(lab.open_trace(LOGS / "torch-2.13-ranks"))
    verdict = page.locator(".dl-ranks")
    assert verdict.locator("summary").inner_text() == (
        "The 2 ranks did not compile the same: 4 differences."
    )
    assert "explicit graph_break()" in verdict.locator("li").first.inner_text()
    assert verdict.locator("tr").count() == 3
    page.get_by_role("button", name="rank 1").click()
    page.locator(".dl-app", has_text="4 breaks").wait_for()


def test_text_of_a_log_stays_text(show, tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text(
        f'V1121 12:00:00.000000 7 a.py:1] {{"{NASTY[:-5]}": {{}}}}\n{NASTY}\n', encoding="utf-8"
    )
    page = show(lab.open_trace(tmp_path / "logs"))
    open_tab(page, "artifacts")
    page.locator("[role=row]", has_text="unreadable").click()
    page.locator(".dl-artifact", has_text="</script><b>bold</b>").wait_for()
    assert page.locator("b", has_text="bold").count() == 0
