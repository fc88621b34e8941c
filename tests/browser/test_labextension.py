"""Marks in the margin of a cell's own editor, the side panel, the command and the settings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

from tests.browser.conftest import CONNECTED, opening, serving
from tests.browser.test_jupyterlab import BREAKS, SETUP
from tests.fixtures.tabs import all_tabs, open_tab

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.browser.conftest import Lab, Notebook, OpenNotebook

HELPER = "def helper(t):\n    y = torch.tanh(t)\n    print('in helper')\n    return y * 2"
CALLS = "%%compile --backend eager\nz = helper(x)"


def margin(notebook: Notebook, cell: int) -> Any:
    """The margin of the cell of this number, from 0."""
    return notebook.page.locator(".jp-CodeCell").nth(cell).locator(".dynamo-lab-margin")


def colours(notebook: Notebook, cell: int) -> list[str]:
    """What each marked line of a cell is, as the margin draws it."""
    lines = margin(notebook, cell).locator(".dynamo-lab-line").all()
    classes = [(line.get_attribute("class") or "").split() for line in lines]
    known = [[c.removeprefix("dynamo-lab-") for c in found] for found in classes]
    return [" ".join(c for c in found if c[:2] in ("is", "r0", "r1", "r2")) for found in known]


BROKEN = ["is-compiled r0", "is-compiled r0", "is-compiled r1", "is-eager", "is-compiled r2"]


def run(notebook: Notebook, source: str) -> None:
    """Type a cell at the end of the notebook and run it."""
    notebook.page.locator(".jp-CodeCell .cm-content").last.click()
    notebook.page.keyboard.insert_text(source)
    notebook.page.keyboard.press("Shift+Enter")


@pytest.mark.slow
def test_a_run_marks_the_cells_own_lines_and_a_click_selects_them_below(
    open_notebook: OpenNotebook,
) -> None:
    notebook = open_notebook("marks.ipynb", SETUP, BREAKS)
    notebook.run_all()
    signs = margin(notebook, 1).locator(".dynamo-lab-sign")
    signs.nth(1).wait_for()
    assert colours(notebook, 1) == BROKEN
    assert margin(notebook, 0).count() == 0
    signs.first.hover()
    tooltip = notebook.page.locator(".dynamo-lab-tooltip")
    assert "Graph break 1: data-dependent branch" in tooltip.inner_text()
    assert "torch.where" in tooltip.inner_text()
    signs.nth(1).click()
    view = notebook.widgets().first
    view.locator(".dl-card.is-held", has_text="print call").wait_for()
    view.get_by_role("button", name="Your code").click()
    notebook.page.locator(".jp-CodeCell").nth(1).locator(".jp-InputArea .cm-line").nth(3).hover()
    view.locator(".dl-left .cm-line.is-lit", has_text="y = y * 2").wait_for()
    assert tooltip.count() == 0


@pytest.mark.slow
def test_an_edit_fades_the_marks_and_the_text_that_ran_has_them_again(
    open_notebook: OpenNotebook,
) -> None:
    notebook = open_notebook("edited.ipynb", SETUP, BREAKS)
    notebook.run_all()
    cell = notebook.page.locator(".jp-CodeCell").nth(1)
    margin(notebook, 1).wait_for()
    edited = cell.locator(".cm-editor.dynamo-lab-edited")
    cell.locator(".jp-InputArea .cm-content").click()
    notebook.page.keyboard.press("Control+Home")
    notebook.page.keyboard.press("End")
    notebook.page.keyboard.press("Enter")
    edited.wait_for()
    assert colours(notebook, 1) == BROKEN  # they moved with their lines
    margin(notebook, 1).locator(".dynamo-lab-sign").first.hover()
    notebook.page.get_by_text("The cell was edited since.").wait_for()
    notebook.page.keyboard.press("Backspace")
    edited.wait_for(state="detached")
    assert colours(notebook, 1) == BROKEN
    notebook.page.keyboard.press("Control+End")
    notebook.page.keyboard.insert_text("\nlast = out + 1")
    edited.wait_for()
    notebook.page.keyboard.press("Shift+Enter")
    edited.wait_for(state="detached")
    margin(notebook, 1).locator(".dynamo-lab-line").nth(5).wait_for()


@pytest.mark.slow
def test_a_function_of_another_cell_is_marked_there_and_other_notebooks_are_left_alone(
    open_notebook: OpenNotebook,
) -> None:
    notebook = open_notebook("helper.ipynb", SETUP, HELPER, "\n\n" + CALLS)
    notebook.run_all()
    margin(notebook, 1).locator(".dynamo-lab-sign").wait_for()
    assert colours(notebook, 1)[1] == "is-eager"
    assert margin(notebook, 2).locator(".dynamo-lab-sign").count() == 1
    other = open_notebook("other.ipynb", SETUP, HELPER, CALLS.replace("helper", "torch.relu"))
    other.run_all()
    margin(other, 2).wait_for()
    assert margin(other, 1).count() == 0


@pytest.mark.slow
def test_marks_outlive_the_kernel_and_come_back_with_the_notebook(
    open_notebook: OpenNotebook, lab: Lab
) -> None:
    notebook = open_notebook("kept_marks.ipynb", SETUP, BREAKS)
    notebook.run_all()
    margin(notebook, 1).wait_for()
    notebook.save()
    notebook.page.close()
    lab.stop_kernels()
    again = open_notebook("kept_marks.ipynb", theme="JupyterLab Dark")
    margin(again, 1).locator(".dynamo-lab-sign").first.wait_for()
    assert colours(again, 1) == BROKEN
    margin(again, 1).locator(".dynamo-lab-sign").first.click()  # what is left is the static output
    assert again.page.locator(".dynamo-lab-static").first.is_visible()
    again.errors[:] = [e for e in again.errors if "widget model not found" not in e]


@pytest.mark.slow
def test_hostile_metadata_is_text_or_nothing(open_notebook: OpenNotebook, lab: Lab) -> None:
    script = "<img src=x onerror=window.hurt=1>\u202e</script>"
    lines = [
        [1, "compiled", 3, script, script, "break"],
        [1e9, "compiled", 0, "far below", "line:0:1", None],
        [1, "x onload=hurt", 0, "no such state", "", None],
        "no line", [1, "eager"], None, {"number": 1},
    ]  # fmt: skip
    margins = [{"code": "y = 1", "lines": lines}, {"code": 5, "lines": []}, None, {"code": "y = 1"}]
    shown = nbformat.v4.new_output(
        "display_data",
        data={"text/plain": "shown"},
        metadata={"dynamo_lab": {"uid": '"] , body', "margins": margins, "place": "panel"}},
    )
    bad = nbformat.v4.new_output("display_data", metadata={"dynamo_lab": [1]})
    notebook: Any = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("y = 1", outputs=[bad, shown], execution_count=1)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, lab.folder / "hostile.ipynb")
    opened = open_notebook("hostile.ipynb")
    sign = margin(opened, 0).locator(".dynamo-lab-sign")
    sign.hover()
    assert "<img src=x" in opened.page.locator(".dynamo-lab-tooltip").inner_text()
    sign.click()
    assert colours(opened, 0) == ["is-compiled"]
    assert opened.page.evaluate("() => window.hurt") is None
    assert opened.page.locator(".dynamo-lab-panel").count() == 0  # nothing ran


WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.mark.slow
def test_a_click_in_a_notebook_that_nobody_trusts_runs_nothing(
    open_notebook: OpenNotebook, lab: Lab
) -> None:
    """The notebook brings marks, an output for the panel, and a widget that is a script."""
    layout = {"model_module": "@jupyter-widgets/base", "model_module_version": "2.0.0"}
    script = {"value": "<img src=x onerror='window.hurt=1'>", "layout": "IPY_MODEL_room"}
    controls = {"model_module": "@jupyter-widgets/controls", "model_module_version": "2.0.0"}
    models = {
        "script": {"model_name": "HTMLModel", **controls, "state": script},
        "room": {"model_name": "LayoutModel", **layout, "state": {}},
    }
    state = {"version_major": 2, "version_minor": 0, "state": models}
    lines = [[1, "compiled", 0, "click me", "line:0:1", "break"]]
    outputs = [
        nbformat.v4.new_output(
            "display_data",
            data={"text/plain": "shown"},
            metadata={"dynamo_lab": {"uid": "u", "margins": [{"code": "y = 1", "lines": lines}]}},
        ),
        nbformat.v4.new_output(
            "display_data",
            data={WIDGET: {"model_id": "script", "version_major": 2, "version_minor": 0}},
            metadata={"dynamo_lab": {"place": "panel"}},
        ),
    ]
    notebook: Any = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("y = 1", outputs=outputs, execution_count=1)],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3"},
            "widgets": {"application/vnd.jupyter.widget-state+json": state},
        },
    )
    nbformat.write(notebook, lab.folder / "unknown.ipynb")
    opened = open_notebook("unknown.ipynb")
    sign = margin(opened, 0).locator(".dynamo-lab-sign")
    sign.wait_for()
    opened.page.wait_for_function(CONNECTED)  # by then JupyterLab has made its widgets
    sign.click()
    opened.page.wait_for_timeout(2_000)
    assert opened.page.evaluate("() => window.hurt") is None
    assert opened.page.locator(".dynamo-lab-panel").count() == 0
    opened.page.evaluate(
        "() => { window.jupyterapp.shell.currentWidget.model.cells.get(0).trusted = true }"
    )
    sign.click()
    opened.page.locator(".dynamo-lab-panel img").wait_for(state="attached")  # it was there to open


@pytest.mark.slow
def test_lab_opens_the_last_recording_beside_the_notebook_and_renews_it(
    open_notebook: OpenNotebook,
) -> None:
    notebook = open_notebook("panel.ipynb", SETUP, BREAKS, "%lab")
    notebook.run_all()
    panel = notebook.page.locator(".dynamo-lab-panel")
    view = panel.locator(".dynamo-lab-live")
    view.get_by_text("2 breaks").first.wait_for()
    cell = notebook.page.locator(".jp-CodeCell").nth(2)
    assert "The last recording: cell 2. It is in the panel" in cell.evaluate(
        "cell => cell.querySelector('.dynamo-lab-said').firstChild.data"
        " + getComputedStyle(cell.querySelector('.dynamo-lab-said'), '::after').content.slice(1)"
    )
    assert not cell.locator(".dynamo-lab-live").is_visible()
    open_tab(view, "guards")
    view.get_by_label("Arguments of a call").fill("x=nobody")
    view.get_by_label("Arguments of a call").press("Enter")
    view.get_by_text("NameError").first.wait_for()  # the kernel answers
    run(notebook, "%%compile --backend eager\nw = x + 1")
    notebook.widgets().nth(2).wait_for(state="attached")
    notebook.page.keyboard.press("Escape")
    notebook.page.evaluate("() => void window.jupyterapp.commands.execute('dynamo-lab:open')")
    view.get_by_text("0 breaks").first.wait_for()
    assert view.count() == panel.count() == 1


@pytest.mark.slow
def test_the_command_says_what_to_do_where_nothing_is_recorded(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("nothing.ipynb", "x = 1")
    notebook.run_all()
    notebook.page.evaluate("() => void window.jupyterapp.commands.execute('dynamo-lab:open')")
    notebook.page.get_by_text("Nothing is recorded in this notebook yet").first.wait_for()


@pytest.fixture
def configure(lab: Lab) -> Iterator[Any]:
    """Set the extension's settings for pages opened from now on."""
    path = lab.settings / "dynamo-lab" / "plugin.jupyterlab-settings"
    path.parent.mkdir(parents=True, exist_ok=True)

    yield lambda **values: path.write_text(json.dumps(values))
    path.unlink()


@pytest.mark.slow
def test_settings_reach_the_kernel_and_the_views(
    open_notebook: OpenNotebook, configure: Any
) -> None:
    configure(theme="dark", detail="steps", display="panel")
    notebook = open_notebook("settings.ipynb", SETUP, BREAKS)
    notebook.run_all()
    view = notebook.page.locator(".dynamo-lab-panel .dynamo-lab-live")
    view.locator("[data-tabs~=steps]").wait_for()
    assert view.get_attribute("data-scheme") == "dark"
    assert not notebook.widgets().first.is_visible()
    run(notebook, "%lab --detail normal --display below --theme light")
    run(notebook, "%%compile --backend eager\nw = x + 1")
    below = notebook.page.locator(".jp-Notebook .dynamo-lab-live").nth(1)
    below.get_by_text("0 breaks").first.wait_for()
    assert below.is_visible()
    assert "steps" not in all_tabs(below)
    assert below.get_attribute("data-scheme") == "light"


@pytest.mark.slow
def test_marks_alone_lead_to_the_panel(open_notebook: OpenNotebook, configure: Any) -> None:
    configure(display="marks")
    notebook = open_notebook("only.ipynb", SETUP, BREAKS)
    notebook.run_all()
    sign = margin(notebook, 1).locator(".dynamo-lab-sign").first
    sign.wait_for()
    assert not notebook.widgets().first.is_visible()
    assert notebook.page.get_by_text("between", exact=True).is_visible()  # what the cell prints
    sign.click()
    view = notebook.page.locator(".dynamo-lab-panel .dynamo-lab-live")
    view.get_by_text("2 breaks").first.wait_for()
    view.locator(".dl-card.is-held", has_text="data-dependent branch").wait_for()


@pytest.mark.release
def test_without_the_extension_all_is_as_before(browser: Any, tmp_path: Path) -> None:
    with (
        serving(tmp_path, ["labextension", "disable", "--level=user", "dynamo-lab"]) as plain,
        opening(plain, browser) as open_it,
    ):
        notebook = open_it("plain.ipynb", SETUP, BREAKS, "%lab --display panel", "%lab")
        notebook.run_all()
        notebook.widgets().first.get_by_text("2 breaks").first.wait_for()
        notebook.widgets().nth(1).get_by_text("2 breaks").first.wait_for()
        assert notebook.widgets().nth(1).is_visible()
        assert notebook.page.get_by_text("with dynamo_lab's extension shows it").is_visible()
        assert notebook.page.locator(".dynamo-lab-margin").count() == 0


SPY = """
from ipykernel.subshell_manager import SubshellManager
gone = []
delete = SubshellManager._delete_subshell
SubshellManager._delete_subshell = lambda self, name: (gone.append(name), delete(self, name))
"""
AGAIN = "import time\ntime.sleep(1)\nprint('deleted', len(gone), 'subshells')"


@pytest.mark.slow
def test_its_messages_leave_the_kernel_the_thread_that_they_take(
    open_notebook: OpenNotebook,
) -> None:
    # to delete it while a message is on its way makes ipykernel print a warning into the cell
    cell = "%%compile --backend eager\nz = x + 1"
    notebook = open_notebook("kept_subshell.ipynb", SETUP + SPY, cell, AGAIN, cell, AGAIN)
    notebook.run_all()
    said = notebook.page.locator(".jp-OutputArea-output", has_text="deleted 0 subshells")
    said.nth(1).wait_for()
