"""The Compiler tab of backend `lab` in a notebook: stages light up together, and are changed."""

import re

import pytest

from tests.browser.conftest import OpenNotebook
from tests.browser.test_jupyterlab import SETUP
from tests.fixtures.tabs import open_tab

CELL = "%%compile --backend lab\ny = (x.sin() * 2).softmax(-1)"
DIFFERENT = SETUP.replace("torch.ones(8, 8)", "torch.linspace(-2, 2, 64).view(8, 8)")
"""Of equal numbers, softmax gives the same whatever is computed before it."""


@pytest.mark.release
def test_the_compiler_is_read_and_changed(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("compiler.ipynb", DIFFERENT, CELL)
    notebook.run_all()
    view, keys = notebook.widgets().first, notebook.page.keyboard
    open_tab(view, "compiler")
    view.get_by_label("Operators").get_by_text("sin", exact=True).click()

    text = view.get_by_role("region", name="Text", exact=True)
    line = text.locator(".cm-line", has_text="sinf(")
    line.hover()
    loop = view.get_by_role("region", name="Loop IR", exact=True)
    loop.locator(".cm-line.is-lit", has_text="sin(").wait_for()
    assert "is-lit" in (line.get_attribute("class") or "")
    for language, part in (("Triton", "tl.load"), ("Metal", "thread"), ("C", "#pragma omp simd")):
        text.get_by_role("button", name=language, exact=True).click()
        text.locator(".cm-line", has_text=part).first.wait_for()

    def change(pane: str, old: str, new: str) -> None:
        region = view.get_by_role("region", name=pane, exact=True)
        region.get_by_role("button", name="Change").click()
        box = region.locator(".cm-content[contenteditable=true]")
        whole = box.inner_text()
        assert re.search(old, whole)
        box.click()
        keys.press("Control+a")
        keys.insert_text(re.sub(old, new, whole))
        region.get_by_role("button", name="Try").click()

    outcome = view.get_by_role("region", name="Change", exact=True)
    verdict = outcome.get_by_role("status")
    change("Text", r"sinf\(", "cosf(")
    verdict.filter(has_text="Not eager's numbers").wait_for(timeout=120_000)
    assert "Nothing changed" in outcome.inner_text()
    text.get_by_text("Not eager's numbers").wait_for()  # said where it was written, too
    text.get_by_role("button", name="Cancel").click()

    change("Text", r"\(2\.0f\)", "(1.0f + 1.0f)")
    verdict.filter(has_text="It gives what eager gives").wait_for(timeout=120_000)
    assert "text of kernel0" in outcome.inner_text()
    assert "1.0f + 1.0f" in outcome.get_by_role("group").first.inner_text()
    text.locator(".cm-line", has_text="1.0f + 1.0f").wait_for()

    outcome.get_by_role("button", name="Undo the last").click()
    verdict.filter(has_text="is as it was before").wait_for()
    text.locator(".cm-line", has_text="(2.0f)").first.wait_for()

    fusion = view.get_by_role("region", name="Fusion", exact=True)
    fusion.get_by_role("button", name="Keep apart").first.click()
    verdict.filter(has_text="so the split of").wait_for(timeout=120_000)
    kept = fusion.get_by_role("listitem").filter(has_text="are kept apart by the reader").first
    kept.get_by_role("button", name="Fuse anyway").click()
    verdict.filter(has_text="so the fusion of").wait_for(timeout=120_000)
    kept.wait_for(state="detached")

    kernel = view.get_by_role("region", name="Kernel", exact=True)
    kernel.get_by_role("button", name="Loops").click()
    kernel.get_by_label("unroll r0").fill("999")
    kernel.get_by_role("button", name="Try").click()
    kernel.get_by_text("unroll at most 64 turns").wait_for(timeout=120_000)
    kernel.get_by_label("unroll r0").fill("4")
    kernel.get_by_role("button", name="Try").click()
    verdict.filter(has_text="so the tuning of kernel0 counts").wait_for(timeout=120_000)
    text.locator(".cm-line", has_text="UNROLL(4)").first.wait_for()

    view.get_by_role("button", name="Beside Inductor").click()
    table = view.locator("details", has_text="What lab and Inductor did differently")
    table.wait_for(timeout=180_000)
    table.locator("summary").click()
    table.get_by_role("row").filter(has_text="languages").wait_for()
    for name, part in (("as recorded", "kernel0"), ("by inductor", "cpp_fused")):
        column = view.get_by_role("region", name=f"Kernels of {name}", exact=True)
        column.get_by_text(part).first.wait_for()
