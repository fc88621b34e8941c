"""Notebook cells: which file names are cells, and what readers call them."""

import re
import sys
from typing import Any

_LAB_CELL = re.compile(r"^<cell (.+)>$")


def cell_label(path: str) -> str | None:
    """The name of the cell that was compiled under this file name, or None for a real file."""
    found = _LAB_CELL.match(path)
    if found:
        return f"cell {found[1]}"
    shell = _shell()
    if shell is None:
        return None
    # IPython keeps the number that a cell was executed under for each name it compiled cells with
    number = getattr(shell.compile, "_filename_map", {}).get(path)
    if number is not None:
        return f"cell {number}"
    return "cell" if "ipykernel_" in path or path.startswith("<ipython-input") else None


def _shell() -> Any:
    """The running IPython shell, without importing IPython where there is none."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None
