"""The Measure button: progress and Stop reach each other while the kernel measures."""

import pytest

from tests.browser.conftest import OpenNotebook
from tests.browser.test_jupyterlab import SETUP
from tests.fixtures.tabs import open_tab

CELL = "%%compile\ny = (x.sin() * 2).sum(0)"


@pytest.mark.slow
def test_a_program_is_measured_and_stopped(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("measured.ipynb", SETUP, CELL)
    notebook.run_all()
    view = notebook.widgets().first
    open_tab(view, "bench")
    view.get_by_label("for").select_option("60")
    view.get_by_role("button", name="Measure").click()
    view.locator(".dl-measure [role=status]").filter(has_text="s left").wait_for()
    view.get_by_role("button", name="Stop").click()
    stopped = "It was stopped before its end: what was measured until then is shown."
    view.get_by_text(stopped).wait_for()
    view.get_by_role("columnheader", name="time a call").first.wait_for()
    view.get_by_role("button", name="Back to your recording").click()
    view.get_by_text("Nothing measured yet").wait_for()


TWO = "%%compile\ny = torch.randn(512, 512) @ torch.randn(512, 512)\nz = x.sin()"


@pytest.mark.slow
def test_kernels_are_timed_where_they_are_listed(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("timed.ipynb", SETUP, TWO)
    notebook.run_all()
    view = notebook.widgets().first
    open_tab(view, "kernels")
    times = view.locator(".dl-kernel-times")
    times.get_by_role("button", name="Time the kernels").click()
    times.get_by_role("button", name="Stop").wait_for()
    told = times.locator(".dl-kernel-told")
    told.filter(has_text="slowest").wait_for(timeout=120_000)
    assert (
        view.locator(".dl-kernel-time").count() == view.locator(".dl-row-kernel .dl-badge").count()
    )
    told.get_by_role("button", name="Kernel by kernel").click()
    view.get_by_text("Only the kernels were timed").wait_for()
    view.get_by_role("button", name="Back to your recording").click()
    open_tab(view, "kernels")
    times.get_by_role("button", name="Time the kernels").wait_for()
