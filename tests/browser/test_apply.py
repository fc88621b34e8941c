"""A finding's change, written into the reader's cell by a click, and taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

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


def opened(notebook: Notebook, view: int = 0) -> Any:
    """The findings of a view, by its place in the notebook; the first of them is open."""
    return notebook.page.locator(".dynamo-lab-live .dl-findings").nth(view)


@pytest.mark.slow
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


def written(notebook: Notebook, cell: int, source: str) -> None:
    """Have this text in a cell, as if its reader had typed it."""
    found = "window.jupyterapp.shell.currentWidget.model.cells.get(cell)"
    script = f"([cell, source]) => {found}.sharedModel.setSource(source)"
    notebook.page.evaluate(script, [cell, source])


@pytest.mark.release
def test_undo_gives_back_what_was_there_and_nobodys_edit_is_lost(
    open_notebook: OpenNotebook,
) -> None:
    notebook = open_notebook("undone.ipynb", SETUP, BRANCH)
    notebook.run_all()
    found = opened(notebook)
    apply = found.get_by_role("button", name="Apply to cell 2")
    undo = found.get_by_role("button", name="Undo")
    apply.click()
    undo.click()
    found.get_by_text("cell 2 is as it was before.").wait_for()
    assert text(notebook, 1) == BRANCH

    written(notebook, 1, BRANCH + " * 2")
    apply.click()
    found.get_by_text("The cell was edited since it ran, so nothing was changed.").wait_for()
    assert text(notebook, 1) == BRANCH + " * 2"

    written(notebook, 1, BRANCH)
    apply.click()
    undo.wait_for()
    written(notebook, 1, MENDED + " * 2")
    undo.click()
    found.get_by_text("The cell was edited since: to undo would lose that").wait_for()
    assert text(notebook, 1) == MENDED + " * 2"

    written(notebook, 1, BRANCH)
    undo.click()
    apply.click()
    undo.wait_for()
    assert text(notebook, 1) == MENDED
    notebook.page.locator(".jp-CodeCell .cm-content").nth(1).click()
    notebook.page.keyboard.press("Control+z")  # the editor takes all of it back in one step
    assert text(notebook, 1) == BRANCH


HELPER = (
    "\n\nclass Outer:\n"
    "    def make(self):\n"
    "        def inner(t):\n"
    "            y = t.tanh()\n"
    "            if y.sum() > 0:\n"
    "                y = y * 2\n"
    "            return y\n"
    "        return inner"
)
MENDED_HELPER = HELPER.replace(
    "            if y.sum() > 0:\n                y = y * 2\n",
    "            y = torch.where(y.sum() > 0, y * 2, y)\n",
).replace("class Outer", "import torch\nclass Outer")
CALLS = "%%record --json kept.json\nz = torch.compile(Outer().make(), backend='aot_eager')(x)"
LOADED = "import dynamo_lab as lab\nlab.load('kept.json').show()"


RECORDED = (
    "%%record\n"
    "def g(t):\n"
    "    y = t.tanh()\n"
    "    if y.sum() > 0:\n"
    "        y = y * 2\n"
    "    return y\n"
    "z = torch.compile(g, backend='aot_eager')(x)"
)


@pytest.mark.long
def test_a_recorded_cell_is_changed_as_a_compiled_one_is(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("recorded.ipynb", SETUP, RECORDED)
    notebook.run_all()
    found = opened(notebook)
    found.get_by_role("button", name="Apply to cell 2").click()
    found.get_by_text("Written into cell 2.").wait_for()
    assert text(notebook, 1).startswith(
        "%%record\ndef g(t):\n    y = t.tanh()\n    y = torch.where("
    )
    notebook.page.locator(".jp-CodeCell .cm-content").nth(1).click()
    notebook.page.keyboard.press("Shift+Enter")
    notebook.page.locator(".dynamo-lab-live .dl-findings.is-clean").wait_for()


@pytest.mark.release
def test_it_is_the_cell_that_defines_the_function_and_only_of_this_kernel(
    open_notebook: OpenNotebook,
) -> None:
    notebook = open_notebook("others.ipynb", SETUP, HELPER, CALLS, LOADED)
    notebook.run_all()
    loaded = opened(notebook, view=1)
    loaded.get_by_text("This recording was not made by this kernel").wait_for()
    loaded.get_by_role("button", name="Copy").wait_for()
    assert loaded.get_by_role("button", name="Apply to").count() == 0

    found = opened(notebook)
    assert "import torch" in found.locator(".dl-diff").inner_text()
    found.get_by_role("button", name="Apply to cell 2").click()
    undo = found.get_by_role("button", name="Undo")
    undo.wait_for()
    assert text(notebook, 1) == MENDED_HELPER
    undo.click()
    found.get_by_text("cell 2 is as it was before.").wait_for()
    assert text(notebook, 1) == HELPER

    notebook.page.locator(".jp-CodeCell .cm-content").last.click()
    notebook.page.keyboard.press("Control+a")
    notebook.page.keyboard.insert_text("%lab --evaluate off\nprint('it is off')")
    notebook.page.keyboard.press("Shift+Enter")
    notebook.page.locator(".jp-OutputArea-output", has_text="it is off").wait_for()
    found.get_by_role("button", name="Apply to cell 2").click()
    found.get_by_text("Views evaluate and run nothing here").wait_for()
    assert text(notebook, 1) == HELPER


@pytest.mark.long
def test_a_cell_that_is_gone_is_told(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("gone.ipynb", SETUP, HELPER, CALLS)
    notebook.run_all()
    found = opened(notebook)
    button = found.get_by_role("button", name="Apply to cell 2")
    button.wait_for()
    script = "() => window.jupyterapp.shell.currentWidget.model.sharedModel.deleteCell(1)"
    notebook.page.evaluate(script)
    button.click()
    found.get_by_text("The cell is no longer in this notebook").wait_for()
    assert text(notebook, 1) == CALLS


PRINTS = "%%compile --backend aot_eager\ny = torch.tanh(x)\nprint('here')\nout = y.softmax(-1)"


@pytest.mark.long
def test_a_setting_for_a_compiled_cell_is_a_cell_above_it(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("above.ipynb", SETUP, PRINTS)
    notebook.run_all()
    found = opened(notebook)
    found.get_by_role("button", name="Add a cell above cell 2").click()
    found.get_by_role("button", name="Undo").click()
    found.get_by_text("The new cell is gone.").wait_for()
    assert text(notebook, 1) == PRINTS
    found.get_by_role("button", name="Add a cell above cell 2").click()
    found.get_by_text("A new cell stands above cell 2.").wait_for()
    added = "torch._dynamo.config.reorderable_logging_functions.add(print)"
    assert text(notebook, 1) == f"import torch\n{added}"
    notebook.page.locator(".jp-CodeCell .cm-content").nth(1).click()
    notebook.page.keyboard.press("Shift+Enter")
    notebook.page.keyboard.press("Shift+Enter")
    notebook.page.locator(".dynamo-lab-live .dl-findings.is-clean").wait_for()
