"""The progress of a benchmark, drawn in a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dynamo_lab.measure.rounds import Progress, Watch

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def progress_bar() -> Generator[Watch, None, None]:
    """A watch that draws a progress bar with the time left, if someone can see it."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
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
