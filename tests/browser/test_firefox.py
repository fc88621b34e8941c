"""JupyterLab in Firefox: a cell is run there, and its views are opened and clicked.

Skipped where a machine lacks it: `apt-get install firefox-esr`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest

from tests.browser.conftest import CONNECTED, RAN
from tests.browser.test_jupyterlab import SETUP
from tests.fixtures.webdriver import firefox

if TYPE_CHECKING:
    from tests.browser.conftest import Lab
    from tests.fixtures.webdriver import Driven

LAYOUT = (Path(__file__).parents[1] / "fixtures" / "layout.js").read_text(encoding="utf-8")

BREAKS = "%%compile --backend aot_eager\ny = torch.tanh(x) + 1\nif y.sum() > 0:\n    y = y * 2"

NOTE = """() => {
  const wrong = (window.dynamoLabWrong = []);
  const say = console.error;
  console.error = (...told) => { wrong.push(told.join(" ")); say(...told); };
  for (const name of ["error", "unhandledrejection"])
    addEventListener(name, (event) => wrong.push(`${name}: ${event.message ?? event.reason}`));
}"""

VIEWS = """() => [...document.querySelectorAll(".dynamo-lab-live [data-tabs]")]
  .flatMap((one) => one.dataset.tabs.split(" "))"""


def opened(page: Driven, lab: Lab, *cells: str) -> None:
    """Open a notebook of these cells and run them all."""
    lab.theme("JupyterLab Light")
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, lab.folder / "firefox.ipynb")
    page.open(f"{lab.url}/lab/tree/firefox.ipynb?reset")
    page.resize(1400, 900)
    page.wait("() => Boolean(window.jupyterapp?.shell?.currentWidget)")
    page.ask(NOTE)
    page.wait(CONNECTED)
    page.ask("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait(RAN, len(cells))


@pytest.mark.slow
def test_a_cell_is_run_and_its_views_are_opened(lab: Lab, tmp_path: Path) -> None:
    with firefox(tmp_path, "light") as page:
        opened(page, lab, SETUP, BREAKS)
        page.see(".dynamo-lab-live .dl-counts", "1 break")
        page.see(".dynamo-lab-sign")  # in the margin of the cell itself
        wrong: list[str] = []
        layout = LAYOUT.replace("#dynamo-lab", ".dynamo-lab-live")
        for view in page.ask(VIEWS):
            page.click(f".dynamo-lab-live [data-tabs~={view}]")
            page.click(f".dynamo-lab-live [data-tab={view}]")
            page.see(f".dl-panel-{view}")
            wrong += [f"{view}: {one}" for one in page.ask(layout)]
        assert wrong == []
        page.click(".dynamo-lab-sign")
        page.see(".dynamo-lab-live .dl-foot.is-pinned")
        assert page.ask("() => window.dynamoLabWrong") == []
    lab.stop_kernels()
