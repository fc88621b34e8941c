"""A kernel's code, changed in the notebook: the compiler's words, and what the edit gains."""

import pytest

from tests.browser.conftest import OpenNotebook
from tests.browser.test_jupyterlab import SETUP
from tests.fixtures.tabs import open_tab

CELL = "%%compile\ny = (x.sin() * 2).softmax(-1)"


@pytest.mark.slow
def test_a_kernel_is_edited_and_run(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("edits.ipynb", SETUP, CELL)
    notebook.run_all()
    view, keys = notebook.widgets().first, notebook.page.keyboard
    open_tab(view, "kernels")
    view.get_by_role("button", name="Edit", exact=True).click()
    text = view.locator(".cm-content[contenteditable=true]")
    panel = view.get_by_role("region", name="Edit", exact=True)

    text.click()
    keys.press("Control+Home")
    keys.type("int broken = missing;")
    keys.press("Enter")
    keys.press("Control+Enter")
    verdict = panel.get_by_role("status")
    verdict.filter(has_text="It does not compile (line 1).").wait_for()
    message = view.locator(".dl-diagnostic").first
    assert "missing" in message.inner_text()
    assert text.locator(".cm-line").first.inner_text() == "int broken = missing;"
    panel.get_by_role("button", name="line 1").first.click()

    for _ in range(4):  # what was typed without a pause goes at once
        keys.press("Control+z")
    assert text.locator(".cm-line").first.inner_text().startswith("#include")
    keys.press("Control+Home")
    keys.type("// my own ")
    keys.press("Enter")
    panel.get_by_role("button", name="Run").click()
    verdict.filter(has_text="It is right.").wait_for(timeout=120_000)
    rows = panel.get_by_role("row")
    assert rows.filter(has_text="the kernel alone, warm caches").count() == 1
    assert "// my own" in panel.get_by_role("region", name="Diff of the code").inner_text()

    attempts = panel.get_by_role("group", name="Attempts").get_by_role("button")
    assert attempts.count() == 2
    first, second = (attempt.bounding_box() for attempt in attempts.all())
    assert first is not None
    assert second is not None
    assert first["y"] == second["y"], "attempts stand in a row: the answer needs the height"
    attempts.first.click()
    assert text.locator(".cm-line").first.inner_text() == "int broken = missing;"
    verdict.filter(has_text="It does not compile").wait_for()
    panel.get_by_role("button", name="Back to the original").click()
    assert text.locator(".cm-line").first.inner_text().startswith("#include")
