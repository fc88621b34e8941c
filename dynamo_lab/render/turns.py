"""Whose turn it is: one run for a view at a time in a process, and no cell meanwhile.

A run compiles, times, prints and restores in the whole process: a second one would find the first
one's breaks among its own, and a cell would lose what it prints.
"""

from __future__ import annotations

from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dynamo_lab.render.waiting import Waiting

BUSY = (
    "A measurement, a trial or an edit is already running, for this view or another: wait for it, "
    "or stop it."
)
CELL = "A cell is running: ask again once it has ended."


class Turns:
    """The runs for views and the cells of one process, each in its turn."""

    def __init__(self) -> None:
        self._free = Lock()
        self._taken: Waiting | None = None
        self._is_cell = False

    def take(self, waiting: Waiting) -> str:
        """Begin a run; or the sentence why not now."""
        if not self._free.acquire(blocking=False):
            return BUSY
        if self._is_cell:
            self._free.release()
            return CELL
        self._taken = waiting
        return ""

    def give_back(self) -> None:
        """The run has ended."""
        self._taken = None
        self._free.release()

    def follow(self, shell: Any) -> None:
        """Give the cells of an IPython shell their turns from now on."""
        if hasattr(shell, "events"):
            shell.events.register("pre_run_cell", partial(self._cell_starts, shell))
            shell.events.register("post_run_cell", self._cell_ends)

    def _cell_starts(self, shell: Any, info: Any) -> None:
        """Wait until no program runs for a view; an interrupt asks that run to stop.

        A cell inside of another, as under `%%record`, is not stored: the outer one has waited.
        """
        while info.store_history:
            try:
                with self._free:
                    self._is_cell = True
                    break
            except KeyboardInterrupt:
                if self._taken is not None:
                    self._taken.on_stop()
        if info.store_history and hasattr(shell, "get_parent"):
            # the kernel told `sys.stdout` whose output it is, which was the run's own until now
            shell.set_parent(shell.get_parent())

    def _cell_ends(self, result: Any) -> None:
        """Programs may run for views again."""
        if result.info.store_history:
            self._is_cell = False


turns = Turns()
"""Those of this process."""
