"""Timings: PyTorch's own timers of compilation, taken as they start and stop."""

import threading
from collections import defaultdict
from collections.abc import Generator
from typing import Any

from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.hooks import EVENT_END, EVENT_START
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.model.timings import Timing


class TimingProbes:
    """Records phases as a tree for each thread."""

    def __init__(self, recorder: Recorder, compilations: Compilations) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._open: dict[int, list[int]] = defaultdict(list)
        self._threads: dict[int, int] = {}

    def install(self, patches: Patches) -> None:
        """Watch the event logger that every `dynamo_timed` reports to."""
        patches.hook(EVENT_START, self.started)
        patches.hook(EVENT_END, self.ended)

    def started(
        self, logger: Any, event_name: str, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """A phase begins."""
        thread = self._threads.setdefault(threading.get_ident(), len(self._threads))
        running = self._open[thread]
        timing = Timing(
            name=event_name,
            start=self._recorder.now(),
            seconds=0.0,
            parent=running[-1] if running else -1,
            compile_id=self._compilations.current_id(),
            thread=thread,
        )
        running.append(len(self._recorder.timings))
        self._recorder.timings.append(timing)
        self._recorder.peaks.started(running[-1])
        self._recorder.on_phase(event_name)
        yield

    def ended(self, logger: Any, event_name: str, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """A phase ends, and with it any that an exception left open inside it."""
        running = self._open[self._threads.get(threading.get_ident(), 0)]
        timings = self._recorder.timings
        if any(timings[index].name == event_name for index in running):
            while running:
                index = running.pop()
                seconds = self._recorder.now() - timings[index].start
                self._recorder.update(timings, index, seconds=seconds)
                self._recorder.peaks.ended(index)
                if timings[index].name == event_name:
                    break
        yield
