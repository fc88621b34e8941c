"""The progress of a benchmark, drawn in a terminal; of what takes minutes, in a notebook too."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dynamo_lab.measure.rounds import Progress, Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


@contextmanager
def progress_of_minutes() -> Generator[Watch, None, None]:
    """The same for what takes minutes: also since when it runs, and that it can be stopped.

    A notebook's output is drawn again only when something new begins, so it names times of day: a
    number of seconds would soon be wrong.
    """
    if (publish := _publisher()) is None:
        with progress_bar("Ctrl-C stops it") as watch:
            yield watch
        return
    shown: list[Any] = []

    def tell(progress: Progress) -> None:
        now = time.time()
        told = f"{progress.what}, since {_time_of_day(now)}. Interrupting the kernel stops it."
        if progress.seconds_left is not None:
            told += f" All of it ends at about {_time_of_day(now + progress.seconds_left)}."
        if shown:
            shown[0].update({"text/plain": told}, raw=True)
        else:  # not before: what fails at once leaves no empty output
            shown.append(publish({"text/plain": told}, raw=True, display_id=True))

    try:
        yield Watch(tell)
    finally:
        for one in shown:
            one.update({"text/plain": ""}, raw=True)


def _time_of_day(seconds: float) -> str:
    """With the time zone of the machine that the kernel runs on, which the reader's may not be."""
    return time.strftime("%H:%M:%S %Z", time.localtime(seconds))


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
