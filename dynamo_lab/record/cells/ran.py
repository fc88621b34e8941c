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


class _Seen:
    """The cells of a shell: each by its number, as its id and its text."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._ran: dict[int, tuple[str, str]] = {}
        self._running: tuple[str, str] | None = None

    def starts(self, info: Any) -> None:
        """A cell begins; it has a number of its own unless it runs inside another."""
        if info.store_history:
            self._running = (info.cell_id, info.raw_cell) if info.cell_id else None

    def ends(self, result: Any) -> None:
        """A cell ran."""
        info = result.info
        if info.store_history:
            self._running = None
        if info.store_history and info.cell_id and result.execution_count:
            self._ran[result.execution_count] = info.cell_id, info.raw_cell

    def get(self, number: int) -> tuple[str, str] | None:
        """The cell of this number; that which runs now may ask for itself, in another thread."""
        last = max(getattr(self._shell.compile, "_filename_map", {}).values(), default=0)
        return self._ran.get(number) or (self._running if number == last else None)


def follow(shell: Any) -> None:
    """Note from now on which cell runs under which number, in this shell; once is enough."""
    kept: Any = getattr(shell, "meta", None)  # IPython's place for what extensions keep
    if kept is None or _NAME in kept:
        return
    seen = kept[_NAME] = _Seen(shell)
    shell.events.register("pre_run_cell", seen.starts)
    shell.events.register("post_run_cell", seen.ends)


def ran_cell(source: Source) -> RanCell:
    """The cell that this source of the running notebook is.

    Raises:
        CellError: it is not known which it is, or which of its lines is which.
    """
    from IPython.core.getipython import get_ipython

    seen: _Seen | None = getattr(get_ipython(), "meta", {}).get(_NAME)
    number = source.path.removeprefix("cell ")
    is_numbered = source.kind == "cell" and number.isdecimal()
    found = seen.get(int(number)) if seen and is_numbered else None
    if found is None:
        raise CellError(_UNKNOWN)
    cell, ran = found
    lines = ran.rstrip().split("\n")
    above = next((at for at, line in enumerate(lines) if line.strip()), 0)
    text = source.excerpts[0].text if source.excerpts else ""
    if len(lines) - above != len(text.rstrip().split("\n")):
        raise CellError(_REWRITTEN)
    return RanCell(cell=cell, ran=ran, above=above)
