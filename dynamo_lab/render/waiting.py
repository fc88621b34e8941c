"""What a view shows while something runs for it, and how it is stopped."""

import time
from collections.abc import Callable

from dynamo_lab.view.messages import Progress

PROGRESS_SECONDS = 0.15
"""How often the progress bar is updated."""


class Waiting:
    """Reports the progress of a run to a view; `on_stop` is called when the user stops it."""

    def __init__(self, show: Callable[[Progress], None]) -> None:
        self._show = show
        self._started = time.perf_counter()
        self._told = 0.0
        self.on_stop: Callable[[], None] = lambda: None

    def tell(self, what: str, fraction: float | None, seconds_left: float | None) -> None:
        """Move the progress bar, no more often than is visible."""
        now = time.perf_counter()
        if now - self._told < PROGRESS_SECONDS:
            return
        self._told = now
        left = "" if seconds_left is None else f"{_rounded(seconds_left)} left"
        self._show(
            {
                "active": True,
                "stage": what,
                "detail": left,
                "fraction": fraction,
                "seconds": round(now - self._started, 1),
            }
        )


def _rounded(seconds: float) -> str:
    return f"{max(1, round(seconds))} s" if seconds < 120 else f"{round(seconds / 60)} min"
