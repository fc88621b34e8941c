"""The views that a notebook keeps live: the latest ones, each cell's from its latest run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 20
"""How many views stay live. An earlier one becomes the copy that a saved notebook shows."""

_NAME = "dynamo_lab views"


class Closable(Protocol):
    """A view that can be closed."""

    @property
    def uid(self) -> str:
        """What it is called in the notebook's outputs."""
        ...

    def close(self) -> None:
        """Release what it shows."""
        ...


class _Place(NamedTuple):
    """A cell, and one run of it; both are empty where the front-end does not say."""

    cell: str
    run: str


class LiveViews:
    """The views of one notebook that are live, the oldest first."""

    def __init__(self) -> None:
        self._views: list[tuple[_Place, Closable]] = []

    def add(self, view: Closable, cell: str = "", run: str = "") -> None:
        """Keep a view; those from the cell's earlier runs are closed, and the oldest of many."""
        place = _Place(cell, run)
        self._close(lambda other: bool(cell) and other.cell == cell and other.run != run)
        self._views.append((place, view))
        while len(self._views) > MOST:
            self._views.pop(0)[1].close()

    def shows(self, uid: str) -> bool:
        """Whether the view of this name is live."""
        return any(view.uid == uid for _, view in self._views)

    def _close(self, is_over: Callable[[_Place], bool]) -> None:
        over = [view for place, view in self._views if is_over(place)]
        self._views = [kept for kept in self._views if not is_over(kept[0])]
        for view in over:
            view.close()


def keep_live(view: Closable, shell: Any, cell: str = "") -> None:
    """Keep a view live that stands below this cell, or below the one that runs now."""
    meta: Any = getattr(shell, "meta", None)  # IPython's place for what extensions keep
    if meta is None:
        return
    if not isinstance(meta.get(_NAME), LiveViews):
        meta[_NAME] = LiveViews()
    running, run = running_cell(shell)
    meta[_NAME].add(view, cell or running, run)


def is_live(uid: str, shell: Any) -> bool:
    """Whether the view of this name is live in this notebook."""
    meta: Any = getattr(shell, "meta", None)
    views: Any = meta.get(_NAME) if meta is not None else None
    return isinstance(views, LiveViews) and views.shows(uid)


def running_cell(shell: Any) -> tuple[str, str]:
    """JupyterLab's id of the cell that runs now, and of this run of it."""
    parent = cast("dict[str, Any]", getattr(shell, "get_parent", dict)() or {})
    cell = parent.get("metadata", {}).get("cellId")
    return str(cell or ""), str(parent.get("header", {}).get("msg_id", ""))
