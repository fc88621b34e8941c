"""Running notebook cells in a kernel of their own, as nbclient and CI do."""

from typing import Any

import pytest

SETUP = "import torch\n%load_ext dynamo_lab\nx = torch.ones(8, 8)"


def run_cells(*sources: str) -> list[Any]:
    """The cells with their outputs; a failing cell does not stop the next."""
    nbclient: Any = pytest.importorskip(
        "nbclient", reason="needs nbclient: pip install -e '.[test]'"
    )
    nbformat: Any = pytest.importorskip("nbformat")
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(s) for s in (SETUP, *sources)]
    )
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", allow_errors=True
    ).execute()
    return notebook.cells[1:]


def text_of(cell: Any) -> str:
    """All that a cell printed or displayed as text."""
    parts: list[str] = []
    for output in cell.outputs:
        parts.append(output.get("text", "") + output.get("data", {}).get("text/plain", ""))
    return "\n".join(parts)


def html_of(cell: Any) -> list[str]:
    """The HTML outputs of a cell."""
    return [o.data["text/html"] for o in cell.outputs if "text/html" in o.get("data", {})]


def errors_of(cell: Any) -> list[str]:
    """The names of the exceptions that a cell shows."""
    return [output.ename for output in cell.outputs if output.output_type == "error"]
