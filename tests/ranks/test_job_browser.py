"""The page of a job in Chromium: the settings of DDP, and what goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from dynamo_lab.api.ranks.jobs import JobRecording
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.plans import Kind, Plan
from tests.fixtures.tabs import open_tab
from tests.view.ranks.test_buckets import call, known
from tests.view.ranks.test_causes import rank
from tests.view.ranks.test_outside import calling

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_a_collective_leads_to_the_settings_of_its_bucket(browser: Browser, tmp_path: Path) -> None:
    one = known(call(1, 10), call(2, 20), call(3, 7, is_backward=False))
    JobRecording(Job(title="step", recordings=(one.recording,))).to_html(tmp_path / "page.html")
    page = browser.new_page(viewport={"width": 1280, "height": 700})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((tmp_path / "page.html").as_uri())
    open_tab(page, "ranks")
    assert page.locator(".dl-settings li").count() == 3
    assert page.locator(".dl-settings button", has_text="Try it").count() == 0
    assert "job.try_fix" in page.locator(".dl-settings").inner_text()
    page.locator(".dl-lane-frame").focus()
    page.keyboard.press("ArrowRight")
    card = page.locator(".dl-meeting")
    card.get_by_role("button", name="static_graph=True").click()
    lit = page.locator(".dl-settings li.is-lit")
    assert "DistributedDataParallel(model, static_graph=True)" in lit.inner_text()
    assert lit.bounding_box() is not None
    page.locator(".dl-lane-frame").focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert card.get_by_role("button", name="static_graph=True").count() == 0  # not of a bucket
    page.close()
    assert wrong == []


def test_what_goes_wrong_is_on_the_page_of_a_job_that_compiled_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    one = replace(calling(rank(1), 3), state="done")
    plan = Plan(size=2, kinds=(Kind(representative=1, ranks=(0, 1), planned=(1,)),))
    job = Job(title="step", recordings=(one,), plan=plan)
    JobRecording(job).to_html(tmp_path / "page.html")
    page = browser.new_page(viewport={"width": 1280, "height": 700})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((tmp_path / "page.html").as_uri())
    told = page.locator(".dl-ranks li").first
    told.wait_for()
    assert "on a group that it is not in" in told.inner_text()
    assert told.inner_text().endswith("Rank 1 stands for ranks 0 and 1 (2 of 2).")
    page.close()
    assert wrong == []
