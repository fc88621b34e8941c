"""Phases of compilation, from the events that PyTorch logs for a timeline (`chromium_event`)."""

from collections import defaultdict
from typing import Any, cast

from dynamo_lab.capture.traces.log import parsed
from dynamo_lab.model.timings import Timing

MAX_EVENTS = 500_000
_MICROSECONDS = 1e6


class Phases:
    """Pairs beginnings with ends, as they come; each thread has its own tree."""

    def __init__(self) -> None:
        self.timings: list[Timing] = []
        self._first: float | None = None
        self._last = 0.0
        self._open: dict[tuple[Any, Any], list[int]] = defaultdict(list)
        self._threads: dict[tuple[Any, Any], int] = {}

    def add(self, payload: str, compile_id: str) -> bool:
        """Take in an event; False where it is none that can be read."""
        try:
            event = parsed(payload)
        except ValueError:
            return False
        if not isinstance(event, dict) or len(self.timings) >= MAX_EVENTS:
            return False
        told = cast("dict[str, Any]", event)
        name, at = told.get("name"), told.get("ts")
        if not isinstance(name, str) or not isinstance(at, int | float) or not 0 <= at < 1e18:
            return False
        self._first = at if self._first is None else min(self._first, at)
        now = (at - self._first) / _MICROSECONDS
        self._last = max(self._last, now)
        thread = told.get("pid") if isinstance(told.get("pid"), int) else 0, str(told.get("tid"))
        return self._take(told.get("ph"), name[:200], now, thread, compile_id)

    def _take(
        self, phase: Any, name: str, now: float, thread: tuple[Any, Any], compile_id: str
    ) -> bool:
        running = self._open[thread]
        if phase == "B":
            number = self._threads.setdefault(thread, len(self._threads))
            parent = running[-1] if running else -1
            running.append(len(self.timings))
            self.timings.append(Timing(name, now, 0.0, parent, compile_id, number))
            return True
        if phase == "E":
            return self._end(running, name, now)
        return phase in ("i", "I")  # an instant, which lasts no time

    def _end(self, running: list[int], name: str, now: float) -> bool:
        """A phase ends, and with it any that an exception left open inside it."""
        if not any(self.timings[index].name == name for index in running):
            return False
        while running:
            index = running.pop()
            self._close(index, now)
            if self.timings[index].name == name:
                break
        return True

    def _close(self, index: int, now: float) -> None:
        from msgspec.structs import replace

        timing = self.timings[index]
        self.timings[index] = replace(timing, seconds=max(0.0, now - timing.start))

    def finish(self) -> list[str]:
        """The phases that never ended, outermost first, which now end with the log."""
        names: list[str] = []
        for running in self._open.values():
            for index in running:
                names.append(self.timings[index].name)
                self._close(index, self._last)
            running.clear()
        return names

    @property
    def seconds(self) -> float:
        """From the first event to the last."""
        return self._last
