"""The settings of DDP on a job's page, in Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dynamo_lab.api.ranks.jobs import JobRecording
from dynamo_lab.model.ranks.jobs import Job
from tests.fixtures.tabs import open_tab
from tests.view.ranks.test_buckets import call, known

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
