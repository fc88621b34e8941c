"""The notebooks run as they are, and what they leave reads without a kernel."""

from pathlib import Path
from typing import Any

import nbclient
import nbconvert
import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


def test_there_is_a_tour() -> None:
    assert "00_start_here.ipynb" in [path.name for path in NOTEBOOKS]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_its_outputs_last(path: Path) -> None:
    formats: Any = nbformat
    notebook = formats.read(path, as_version=4)
    assert all(cell.outputs == [] for cell in notebook.cells if cell.cell_type == "code")
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
    client.execute(cwd=str(path.parent))
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    lasting = [o.data["text/html"] for o in outputs if "text/html" in o.get("data", {})]
    views = [html for html in lasting if "dynamo-lab-static" in html]
    assert views
    assert all(len(html.encode()) <= 200_000 and "<script" not in html for html in views)
    exported, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    assert exported.count("data-dynamo-lab-static") >= len(views)
