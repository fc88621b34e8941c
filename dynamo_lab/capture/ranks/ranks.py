"""The facts of this process as a rank: where its main thread is, and what its groups remember."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.capture.ranks.backwards import Backwards
from dynamo_lab.capture.ranks.flight import Flight, groups
from dynamo_lab.capture.ranks.members import OutsideCalls
from dynamo_lab.capture.ranks.models import ModelFacts
from dynamo_lab.capture.ranks.reducers import Reducers
from dynamo_lab.model.ranks.ranks import (
    LONGEST_MESSAGE,
    Ending,
    Group,
    Handled,
    Rank,
    Stay,
)

if TYPE_CHECKING:
    from types import FrameType

    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.capture.core.sources import Texts
    from dynamo_lab.capture.ranks.timeline import Profile

_MOST_STAYS = 4000
"""The most stays that are kept, the last ones: those of a minute where every sample differs."""


class Place(NamedTuple):
    """A line of the user's: its file, as Python names it, and the function it is in."""

    path: str
    line: int
    function: str


class _Seen(NamedTuple):
    start: float
    end: float
    place: Place


class OwnRank:
    """This process as rank `number` of `size`; `sample` is called often, `freeze` seldom."""

    def __init__(self, recorder: Recorder, number: int, size: int) -> None:
        self._recorder = recorder
        self._number, self._size = number, size
        self._texts = recorder.texts
        self._flight = Flight(recorder.texts)
        self._groups: dict[str, Group] = {}
        self._reducers = Reducers(recorder.texts)
        self._main = threading.main_thread().ident
        self._users: dict[str, bool] = {}  # by file: the hash of a code object is computed anew
        self._stays: deque[_Seen] = deque(maxlen=_MOST_STAYS)
        self.backwards = Backwards()
        self.model = ModelFacts()
        self.outside = OutsideCalls(recorder.texts)
        self.ending = Ending()
        self._within: Handled | None = None
        self.profile: Profile | None = None
        """The profiler that ran around the program, once it is over and was read."""

    def sample(self) -> Place | None:
        """The user's line that the main thread is at now; None where it is in none."""
        frame = sys._current_frames().get(self._main or 0)
        while frame is not None and not self._is_users(frame):
            frame = frame.f_back
        if frame is None:
            return None
        place = Place(frame.f_code.co_filename, frame.f_lineno or 1, frame.f_code.co_name)
        now = time.time()
        if self._stays and self._stays[-1].place == place:
            self._stays[-1] = self._stays[-1]._replace(end=now)
        else:
            self._stays.append(_Seen(self._stays[-1].end if self._stays else now, now, place))
        return place

    def wrapped(self, module: Any) -> None:
        """The code that now runs has wrapped a module in DDP."""
        self._reducers.wrapped(module)

    def reduced(self) -> None:
        """A backward is over, in which modules under DDP may have reduced their gradients."""
        self._reducers.freeze()

    def calls(self) -> int:
        """A number that is another one when a collective has begun or ended."""
        return self._flight.count()

    def freeze(self) -> Rank:
        """What is known so far; called by the recorder, under its lock."""
        spans = [Stay(one.start, one.end, self._texts.span(*one.place)) for one in self._stays]
        calls, profile = self._flight.freeze(), self.profile
        if calls is not None:
            calls = self.backwards.placed(profile.timed(calls) if profile else calls)
        return Rank(
            number=self._number,
            size=self._size,
            host=socket.gethostname(),
            pid=os.getpid(),
            backend=_backend(),
            groups=self._own_groups(),
            calls=calls,
            outside=self.outside.freeze(),
            reducers=self._reducers.freeze(),
            stays=tuple(spans),
            started=time.time() - self._recorder.now(),
            seen=spans[-1].end if spans else 0.0,
            span=spans[-1].span if spans else None,
            handled=self._handled() if self.ending.kind == "running" else self._within,
            ending=self.ending,
            timeline=profile.timeline if profile else None,
            **self.model.frozen(),
        )

    def ended(self, error: BaseException) -> None:
        """The exception ended the program, which perhaps was handling another one of its own."""
        self._within = handled_by(error, self._texts)
        self.outside.ended(error)

    def _own_groups(self) -> tuple[Group, ...]:
        """Its groups by name, also those that the program has ended."""
        self._groups |= {one.name: one for one in groups()}
        return tuple(self._groups.values())

    def ending_groups(self) -> None:
        """The program is about to end its groups."""
        self._own_groups()

    def _handled(self) -> Handled | None:
        """The exception that the main thread is handling, if the user's code raised it."""
        active: Any = sys._current_exceptions().get(self._main or 0)
        error = active[1] if isinstance(active, tuple) else active  # a tuple before Python 3.12
        return None if error is None else _own(error, self._texts)

    def _is_users(self, frame: FrameType) -> bool:
        path = frame.f_code.co_filename
        found = self._users.get(path)
        if found is None:
            found = self._users[path] = self._texts.is_users(path)
        return found


def handled_by(error: BaseException, texts: Texts) -> Handled | None:
    """The exception that the program was handling as it raised this one, if it was its own."""
    around = error.__cause__
    if around is None and not error.__suppress_context__:
        around = error.__context__
    return None if around is None else _own(around, texts)


def _own(error: BaseException, texts: Texts) -> Handled | None:
    """An exception, with the innermost line of the user's that it went through."""
    at = error.__traceback__
    found = None
    while at is not None:
        if texts.is_users(at.tb_frame.f_code.co_filename):
            found = at
        at = at.tb_next
    if found is None:
        return None
    code = found.tb_frame.f_code
    span = texts.span(code.co_filename, found.tb_lineno, code.co_name)
    return Handled(message=said(error), span=span)


def said(error: BaseException) -> str:
    """'ValueError: no such batch': the type of an exception, and the first line of its message."""
    try:
        text = str(error)
    except Exception:  # it is the program's
        text = ""
    first = next((line for line in text.split("\n") if line.strip()), "")
    return f"{type(error).__name__}: {first.strip()}"[:LONGEST_MESSAGE].removesuffix(": ")


def _backend() -> str:
    import torch.distributed as dist

    return dist.get_backend() if dist.is_available() and dist.is_initialized() else ""
