"""Notebooks that nbconvert writes with the full pages of what they keep."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# nbformat and nbconvert annotate only parts of themselves.

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from nbconvert.exporters import NotebookExporter
from nbformat import from_dict

from dynamo_lab.model.core import kept
from dynamo_lab.notebook.full_pages import FullPageExporter, FullPages
from dynamo_lab.render.fallback.page import fallback
from dynamo_lab.view import build

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser

    from dynamo_lab.model.recording import Recording

    Make = Callable[[str], Recording]


def notebook(*bundles: tuple[Any, str]) -> Any:
    """A saved notebook, a cell for each of what it keeps and the copy beside it."""
    cells = [
        {
            "cell_type": "code",
            "source": "%%compile",
            "metadata": {},
            "execution_count": 1,
            "outputs": [
                {
                    "output_type": "display_data",
                    "data": {kept.MIME: bundle, "text/html": copy},
                    "metadata": {},
                }
            ],
        }
        for bundle, copy in bundles
    ]
    return from_dict({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def of(recording: Recording) -> tuple[Any, str]:
    return kept.packed({"own": recording}), fallback(build(recording))


def test_the_front_end_is_written_once_and_each_page_has_its_copy(make: Make) -> None:
    made = notebook(of(make("branch_and_print")), of(make("hostile")))
    html, _ = FullPageExporter().from_notebook_node(made)
    assert html.count('id="dynamo-lab-shell"') == 1
    assert html.count('class="dynamo-lab-full"') == 2
    assert html.count('class="dynamo-lab-static"') == 2
    assert len(html) < 3_000_000


def test_what_is_lost_or_damaged_keeps_its_copy(make: Make, tmp_path: Path) -> None:
    damaged = {"recordings": {"own": "no base 64"}}
    gone = {"file": "n_recordings/a.json.gz", "label": "own"}
    outside = {"file": "../secret.json.gz", "label": "own"}
    made = notebook((damaged, "<p>one</p>"), (gone, "<p>two</p>"), (outside, "<p>three</p>"))
    html, _ = FullPageExporter().from_notebook_node(made, {"metadata": {"path": str(tmp_path)}})
    assert "dynamo-lab-full" not in html
    assert all(f"<p>{word}</p>" in html for word in ("one", "two", "three"))


def test_a_notebook_for_viewers_that_run_scripts(make: Make) -> None:
    exporter = NotebookExporter(preprocessors=[FullPages(enabled=True)])
    text, _ = exporter.from_notebook_node(notebook(of(make("branch_and_print"))))
    assert "dynamo-lab-full" in text
    assert kept.MIME in text


@pytest.mark.browser
def test_each_page_comes_when_the_reader_comes_near(
    make: Make, browser: Browser, tmp_path: Path
) -> None:
    from msgspec.structs import replace

    several = {"a": make("branch_and_print"), "b": replace(make("unrolled"), title="other")}
    made = notebook(of(make("branch_and_print")), (kept.packed(several), "<p>several</p>"))
    html, _ = FullPageExporter().from_notebook_node(made)
    path = tmp_path / "n.html"
    path.write_text(html, encoding="utf-8")
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    first = page.frame_locator(".dynamo-lab-full >> nth=0 >> iframe")
    first.locator("[role=tab]", has_text="Graphs").click()
    first.locator(".dl-row-node").first.click()
    page.locator(".dynamo-lab-full").last.scroll_into_view_if_needed()
    second = page.frame_locator(".dynamo-lab-full >> nth=1 >> iframe")
    second.locator(".dl-sentence").first.wait_for()
    assert second.get_by_role("button", name="b", exact=True).count() == 1
    assert errors == []
    page.close()
