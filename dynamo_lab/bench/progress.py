"""The progress of a benchmark, drawn in a terminal; of what takes minutes, in a notebook too."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dynamo_lab.measure.rounds import Progress, Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


@contextmanager
def progress_of_minutes() -> Generator[Watch, None, None]:
    """The same for what takes minutes: also how long it has run, and that it can be stopped."""
    if (publish := _publisher()) is None:
        with progress_bar("Ctrl-C stops it") as watch:
            yield watch
        return
    shown = publish({"text/plain": ""}, raw=True, display_id=True)

    def tell(progress: Progress) -> None:
        spent = [f"{watch.clock() - started:.0f} s so far"]
        if progress.seconds_left is not None:
            spent.append(f"about {progress.seconds_left:.0f} s left")
        told = f"{progress.what}: {', '.join(spent)}. Interrupting the kernel stops it."
        shown.update({"text/plain": told}, raw=True)

    watch = Watch(tell)
    started = watch.clock()
    try:
        yield watch
    finally:
        shown.update({"text/plain": ""}, raw=True)


def _publisher() -> Callable[..., Any] | None:
    """What puts an output under the cell that runs; None where no notebook's kernel does."""
    if "IPython" not in sys.modules:
        return None
    from IPython import display
    from IPython.core.getipython import get_ipython

    publish: Callable[..., Any] = vars(display)["display"]  # which lacks annotations
    return publish if hasattr(get_ipython(), "kernel") else None


@contextmanager
def progress_bar(stops: str = "") -> Generator[Watch, None, None]:
    """A watch that draws a progress bar with the time left, if someone can see it.

    With `stops`, which says how it is ended early, the time that it has run stands there too.
    """
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    console = Console(file=sys.stderr)
    columns = [TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}")]
    columns += [TimeElapsedColumn(), TextColumn(stops)] if stops else []
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None, left="")

        def tell(progress: Progress) -> None:
            left = progress.seconds_left
            bar.update(
                task,
                description=progress.what,
                completed=progress.done,
                total=progress.total or None,
                left="" if left is None else f"{left:.0f} s left",
            )

        yield Watch(tell)
