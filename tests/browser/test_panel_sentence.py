"""What the sentence of `%lab` says of the panel: true while it is open, and of nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.test_jupyterlab import BREAKS, SETUP

if TYPE_CHECKING:
    from tests.browser.conftest import Lab, Notebook, OpenNotebook


def said(notebook: Notebook, cell: int) -> str:
    """What the sentence of `%lab` in a cell says of the place, as the style sheet completes it."""
    found: str = (
        notebook.page.locator(".jp-CodeCell")
        .nth(cell)
        .locator(".dynamo-lab-said")
        .evaluate("said => getComputedStyle(said, '::after').content")
    )
    return found


@pytest.mark.slow
def test_only_what_is_in_an_open_panel_is_said_to_be(open_notebook: OpenNotebook, lab: Lab) -> None:
    notebook = open_notebook("said.ipynb", SETUP, BREAKS, "%lab")
    notebook.run_all()
    panel = notebook.page.locator(".dynamo-lab-panel")
    panel.locator(".dynamo-lab-live").get_by_text("2 breaks").first.wait_for()
    notebook.page.locator(".jp-CodeCell.dynamo-lab-in-panel").wait_for()
    assert "It is in the panel" in said(notebook, 2)
    notebook.save()
    notebook.page.evaluate(CLOSE)
    panel.wait_for(state="detached")
    assert "Run the cell" in said(notebook, 2)
    notebook.page.close()
    lab.stop_kernels()
    again = open_notebook("said.ipynb")
    again.page.locator(".dynamo-lab-said").wait_for()
    assert "Run the cell" in said(again, 2)
    assert again.page.locator(".dynamo-lab-panel").count() == 0
    again.errors[:] = [e for e in again.errors if "widget model not found" not in e]


CLOSE = """() => {
  const open = [...window.jupyterapp.shell.widgets("main")];
  open.find((one) => one.id.startsWith("dynamo-lab-")).close();
}"""
"""Close the panel."""
