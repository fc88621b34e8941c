"""The diary of a rank: a thread that writes down what is known, while the rank can."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

from dynamo_lab.capture.ranks.ranks import OwnRank
from dynamo_lab.model.core import codec, files
from dynamo_lab.model.ranks.ranks import Ending
from dynamo_lab.record.ranks.folder import SeenFile

if TYPE_CHECKING:
    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.record.ranks.folder import JobFolder

_TICK, _REST = 0.02, 0.1
"""Seconds between two looks at where the main thread is: the latter once it has long been there.
"""
_STILL = 10
"""So many looks at one line are long."""
_LOOK = 0.1
"""Seconds between two looks at what was recorded, and at what the rank is told."""
_QUICK = 1
"""How well a recording is packed that another is soon to take the place of: see gzip."""
_SHARE = 50
"""Looking for what is new, and writing it, takes 1 in 50 of the processor's time of this process;
of one that takes less than the clock shows, as it waits in a collective, 1 in 50 of the clock's."""
_LONGEST = 5.0
"""Seconds between two looks, at least, that only the clock allows."""


class Diary(threading.Thread):
    """Writes down where this rank is, and again and again its recording, until it is closed.

    A process that waits in a collective, or is killed, cannot say what it knows: this thread said
    it before. With `parent`, the process ends when that process has gone.
    """

    def __init__(
        self, recorder: Recorder, folder: JobFolder, number: int, size: int, parent: int = 0
    ) -> None:
        super().__init__(name="dynamo_lab diary", daemon=True)
        self._recorder = recorder
        self._folder = folder
        self._number = number
        self._parent = parent
        self.rank = recorder.rank = OwnRank(recorder, number, size)
        self._seen = SeenFile(folder.seen(number))
        self._closed = threading.Event()
        self._writing = threading.Lock()
        self._written: tuple[int, ...] = ()
        self._spent = 0.0
        self._next = 0.0  # when the clock allows a look
        self._wakeup: tuple[int, int] | None = None

    def run(self) -> None:
        """Look, and write, until the diary is closed."""
        last_place, written, looked, said, still = None, None, 0.0, 0.0, 0
        while not self._closed.wait(_TICK if still < _STILL else _REST):
            now = time.monotonic()
            try:
                place = self.rank.sample()
                still = still + 1 if place == last_place else 0
                last_place = place
                if place is not None and (place != written or now - said > _LOOK):
                    self._seen.write(time.time(), self._recorder.texts.name(place.path), place)
                    written, said = place, now
                if now - looked > _LOOK:
                    looked = now
                    self._look()
            except Exception as error:
                self._recorder.note_failure("ranks", error)

    def _look(self) -> None:
        if self._parent and os.getppid() != self._parent:
            os._exit(1)  # nobody is left to end it
        if self._folder.asked.exists() and not self._folder.told(self._number).exists():
            self.write()
            self._folder.told(self._number).touch()
        elif self._may_spend():
            started = time.thread_time()
            try:
                if self._state() != self._written:
                    self.write()
            finally:  # what fails, as on a full disk, took its time too
                took = time.thread_time() - started
                self._spent += took
                self._next = time.monotonic() + max(_LONGEST, _SHARE * took)

    def _may_spend(self) -> bool:
        """Whether its share is left: of the processor, that of compilers that have ended too."""
        children = os.times()
        used = time.process_time() + children.children_user + children.children_system
        return self._spent * _SHARE < used or time.monotonic() > self._next

    def _state(self) -> tuple[int, ...]:
        """What changes where something new is known."""
        known = self._recorder
        tables: tuple[list[Any], ...] = (
            known.frames, known.breaks, known.recompiles, known.graphs, known.kernels, known.notes,
        )  # fmt: skip
        return (*map(len, tables), self.rank.calls())

    def write(self, level: int = _QUICK) -> None:
        """Write the recording as it is now."""
        with self._writing:
            state = self._state()
            codec.save(self._recorder.freeze(), self._folder.recording(self._number), level)
            self._written = state

    def close(self, ending: Ending) -> None:
        """Write the recording with the rank's end, and then no more."""
        self.rank.ending = ending
        self.write(codec.LEVEL)
        files.write_text(self._folder.done(self._number), ending.kind)

    def end(self) -> None:
        """End the thread."""
        self._closed.set()
        self.join()
        self._seen.close()

    def write_at(self, number: signal.Signals) -> None:
        """Write at this signal, then end: also while the main thread waits in a collective.

        Python runs a signal's handler in the main thread, which may not come back from C++. That a
        signal has come, the interpreter writes to a pipe at once, and a thread reads it.
        """
        if signal.getsignal(number) is not signal.SIG_DFL:
            return  # the program, or who started it, wants something else
        reads, writes = os.pipe()
        os.set_blocking(writes, False)
        signal.signal(number, _nothing)
        signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
        threading.Thread(target=self._wait_for, args=(number, reads), daemon=True).start()

    def _wait_for(self, number: signal.Signals, reads: int) -> None:
        while got := os.read(reads, 1):
            if got[0] == number and signal.getsignal(number) is _nothing:
                break
        else:
            return
        try:
            self.rank.ending = Ending(kind="killed", signal=number.name)
            self.write()
        finally:
            os._exit(128 + number)


def _nothing(number: int, frame: object) -> None:
    """The handler of a signal that a thread answers."""
