"""The panel of switches: another target or setting, in the notebook, and back."""

import pytest

from tests.browser.conftest import OpenNotebook
from tests.browser.test_jupyterlab import SETUP

CELL = "%%compile\ny = (x.sin() * 2).sum(0)\nz = y.cos() + x.softmax(-1)"


@pytest.mark.slow
def test_a_program_is_lowered_again_and_compared(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("switches.ipynb", SETUP, CELL)
    notebook.run_all()
    view = notebook.widgets().first
    view.get_by_role("button", name="Lower again").click()
    panel = view.get_by_role("region", name="Lower again")
    size = panel.get_by_role("group", name="max_fusion_size")
    assert size.get_by_role("button", pressed=True).inner_text() == "64"
    assert panel.get_by_role("group", name="combo_kernels").count() == 0  # it is of GPUs alone

    panel.get_by_label("Target").select_option("cuda:sm_90")
    view.get_by_text("Lowered for cuda:sm_90 (NVIDIA H100)").first.wait_for()
    shown = view.get_by_role("group", name="Recording")
    assert shown.get_by_role("button", pressed=True).inner_text() == "cuda:sm_90"
    assert size.is_hidden()  # what was lowered has the room
    panel.get_by_text("Switches", exact=True).click()
    panel.get_by_role("group", name="combo_kernels").wait_for()

    size.get_by_role("button", name="1", exact=True).click()
    both = "cuda:sm_90 max_fusion_size=1"
    shown.get_by_role("button", name=both).wait_for()
    panel.get_by_role("button", name="Take back max_fusion_size=1").wait_for()
    view.get_by_role("button", name="Compare kernels").click()
    view.get_by_label("Recording beside it").select_option("cuda:sm_90")
    view.get_by_role("grid", name="Kernels that do the same work").wait_for()
    columns = view.locator(".dl-beside-column h3")
    if columns.count() == 0:
        view.get_by_role("button", name="columns").click()
    assert columns.all_inner_texts() == [both, "cuda:sm_90"]

    view.get_by_role("button", name="Back to your recording").click()
    assert shown.get_by_role("button", pressed=True).inner_text() == "as recorded"
    panel.get_by_role("group", name="combo_kernels").wait_for(state="detached")


@pytest.mark.slow
def test_what_cannot_be_lowered_again_says_why(open_notebook: OpenNotebook) -> None:
    cell = "%%record\ntorch.compile(torch.sin, backend='eager')(x)"
    notebook = open_notebook("recorded.ipynb", SETUP, cell)
    notebook.run_all()
    view = notebook.widgets().first
    view.get_by_role("button", name="Lower again").click()
    view.get_by_role("alert").filter(has_text="There is no program to lower again").wait_for()
