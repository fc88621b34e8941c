"""A finding's change, written into the reader's cell by a click, and taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.browser.test_jupyterlab import SETUP

if TYPE_CHECKING:
    from tests.browser.conftest import Notebook, OpenNotebook

BRANCH = (
    "%%compile --backend aot_eager\n"
    "y = torch.tanh(x) + 1\n"
    "if y.sum() > 0:\n"
    "    y = y * 2\n"
    "out = y.softmax(-1)"
)
MENDED = (
    "%%compile --backend aot_eager\n"
    "y = torch.tanh(x) + 1\n"
    "y = torch.where(y.sum() > 0, y * 2, y)\n"
    "out = y.softmax(-1)"
)


def text(notebook: Notebook, cell: int) -> str:
    """The source of a cell."""
    found = "cell => window.jupyterapp.shell.currentWidget.model.cells.get(cell)"
    return notebook.page.evaluate(f"{found}.sharedModel.getSource()", cell)


def opened(notebook: Notebook) -> Any:
    """The findings of the last view, unfolded."""
    found = notebook.page.locator(".dynamo-lab-live .dl-findings").last
    found.locator("> summary").click()
    return found


def test_a_change_is_applied_to_the_cell_and_its_finding_is_gone(
    open_notebook: OpenNotebook,
) -> None:
    notebook = open_notebook("applied.ipynb", SETUP, BRANCH)
    notebook.run_all()
    found = opened(notebook)
    diff = found.locator(".dl-diff")
    assert "-     y = y * 2" in diff.inner_text()
    assert "+ y = torch.where(y.sum() > 0, y * 2, y)" in diff.inner_text()
    assert text(notebook, 1) == BRANCH, "nothing is written before the click"
    found.get_by_role("button", name="Apply to cell 2").click()
    found.get_by_text("Written into cell 2.").wait_for()
    assert text(notebook, 1) == MENDED
    found.get_by_role("button", name="Undo").wait_for()
    notebook.page.locator(".jp-CodeCell .cm-content").nth(1).click()
    notebook.page.keyboard.press("Shift+Enter")
    notebook.page.locator(".dynamo-lab-live .dl-findings.is-clean").wait_for()
