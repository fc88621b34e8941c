"""A cell's text changed in the playground: lowered as one types, and written into the cell."""

import re

import pytest

from tests.browser.conftest import OpenNotebook
from tests.browser.test_jupyterlab import SETUP
from tests.fixtures.tabs import open_tab

CELL = "%%compile\ny = (x.sin() * 2).softmax(-1)"

IN_VIEW = """one => {
  const [here, around] = [one, one.closest(".dynamo-lab")].map((at) => at.getBoundingClientRect());
  return [here.x - around.x, here.y - around.y];
}"""
"""Where an element stands in the view, which the notebook may scroll."""


@pytest.mark.slow
def test_a_text_is_lowered_as_one_types_and_applied(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("playground.ipynb", SETUP, CELL, "torch.equal(y, y)")
    notebook.run_all()
    view, keys = notebook.widgets().first, notebook.page.keyboard
    open_tab(view, "playground")
    text = view.locator(".dl-ground-text .cm-content[contenteditable=true]")
    column = view.locator(".dl-ground-column")
    state = column.get_by_role("status").first
    column.get_by_label(re.compile("^Code of cpp_fused")).wait_for(timeout=90_000)
    column.get_by_label(re.compile("^x86-64 of cpp_fused")).wait_for(timeout=90_000)

    text.click()
    keys.press("Control+End")
    keys.type(".exp()")
    code = column.get_by_label(re.compile("^Code of cpp_fused.*_exp_"))
    code.wait_for(timeout=90_000)
    keys.type(".(")
    state.filter(has_text="line 2: SyntaxError").wait_for(timeout=90_000)
    assert "Old" in state.inner_text()
    assert view.locator(".dl-diagnostic").count() == 1
    assert code.is_visible()
    keys.press("Backspace")
    keys.press("Backspace")
    state.filter(has_text="1 kernel").wait_for(timeout=90_000)

    column.get_by_label("Target").select_option("cuda:sm_90")
    column.get_by_label(re.compile("^Code of triton.*_exp_")).wait_for(timeout=90_000)
    column.get_by_role("button", name="PTX").wait_for(timeout=90_000)

    view.get_by_role("button", name="Apply to cell 2").click()
    cell = notebook.page.locator(".jp-CodeCell .jp-InputArea .cm-content").nth(1)
    cell.filter(has_text="softmax(-1).exp()").wait_for()
    view.get_by_role("button", name="Undo", exact=True).click()
    cell.filter(has_not_text=".exp()").wait_for()

    # where the code pane is shown, the text stands in its place: once, and no tab moves
    groups = view.locator(".dl-groups [role=tab]").first
    open_tab(view, "kernels")
    view.locator(".dl-code-toggle").click()
    view.locator(".dl-left-code .cm-line", has_text="softmax").first.wait_for()
    place = groups.evaluate(IN_VIEW)
    open_tab(view, "playground")
    view.locator(".dl-left .cm-content[contenteditable=true]", has_text="exp").wait_for()
    assert groups.evaluate(IN_VIEW) == place
    assert text.count() == 1
    assert not view.locator(".dl-left-code").is_visible()
    view.locator(".dl-code-toggle").click()
    view.locator(".dl-panel .cm-content[contenteditable=true]", has_text="exp").wait_for()
    said = notebook.page.locator(".jp-OutputArea [data-mime-type='application/vnd.jupyter.stderr']")
    # what the notebook's event loop says of itself in a copy of the kernel is not told
    assert "was destroyed" not in "".join(said.all_inner_texts())
