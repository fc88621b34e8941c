"""Which cell of the notebook ran under which number, and with which text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dynamo_lab.errors import CellError

if TYPE_CHECKING:
    from dynamo_lab.model.core.sources import Source

_NAME = "dynamo_lab cells"

_UNKNOWN = (
    "Which cell this code is in is not known: it ran before `%load_ext dynamo_lab`, or in a host "
    "that does not say."
)
_REWRITTEN = (
    "The cell has commands that IPython makes more or fewer lines of, so which line is which is "
    "not known."
)


class RanCell(Struct, frozen=True, kw_only=True):
    """A cell by JupyterLab's id, its text as it ran, and how many lines stand above line 1."""

    cell: str
    ran: str
    above: int


_Ran = dict[int, tuple[str, str]]
"""By a cell's number, its id and its text."""


def follow(shell: Any) -> None:
    """Note from now on which cell runs under which number, in this shell; once is enough."""
    kept: Any = getattr(shell, "meta", None)  # IPython's place for what extensions keep
    if kept is None or _NAME in kept:
        return
    seen: _Ran = {}
    kept[_NAME] = seen

    def ran(result: Any) -> None:
        info = result.info
        # a cell that runs inside another has no number of its own
        if info.store_history and info.cell_id and result.execution_count:
            seen[result.execution_count] = info.cell_id, info.raw_cell

    shell.events.register("post_run_cell", ran)


def ran_cell(source: Source) -> RanCell:
    """The cell that this source of the running notebook is.

    Raises:
        CellError: it is not known which it is, or which of its lines is which.
    """
    from IPython.core.getipython import get_ipython

    seen: _Ran = getattr(get_ipython(), "meta", {}).get(_NAME, {})
    number = source.path.removeprefix("cell ")
    if source.kind != "cell" or not number.isdecimal() or int(number) not in seen:
        raise CellError(_UNKNOWN)
    cell, ran = seen[int(number)]
    lines = ran.rstrip().split("\n")
    above = next((at for at, line in enumerate(lines) if line.strip()), 0)
    text = source.excerpts[0].text if source.excerpts else ""
    if len(lines) - above != len(text.rstrip().split("\n")):
        raise CellError(_REWRITTEN)
    return RanCell(cell=cell, ran=ran, above=above)
