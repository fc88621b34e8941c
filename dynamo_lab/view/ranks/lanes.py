"""What a rank did between its collectives: when it compiled, and when it computed."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from dynamo_lab.model.ranks.intervals import Interval, length
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.ranks.known import Known

_FINEST = 2000
"""Computing is drawn in at most so many bars: gaps shorter than this part of the time close."""


class Bar(Struct, frozen=True, array_like=True):
    """A time in a rank's lane; `share` is how much of it was spent so, where bars were joined."""

    kind: Literal["compiling", "computing"]
    start: float
    end: float
    text: str = ""
    share: float = 1.0


def bars_of(one: Known, start: float) -> Iterator[Bar]:
    """The bars of a rank's lane, times from the job's start."""
    yield from _compiling(one, start)
    yield from _computing(one, start)


def _compiling(one: Known, start: float) -> Iterator[Bar]:
    names = frame_names(one.recording)
    functions = {
        attempt.compile_id: names[frame.id]
        for frame in one.recording.frames
        for attempt in frame.attempts
    }
    for compile_id, (begin, end) in one.compilations:
        text = functions.get(compile_id, compile_id)
        yield Bar("compiling", round(begin - start, 6), round(end - start, 6), text)


def _computing(one: Known, start: float) -> Iterator[Bar]:
    times = one.computing
    gap = (times[-1][1] - times[0][0]) / _FINEST if times else 0.0
    joined: list[list[Interval]] = []
    for each in times:
        if joined and each[0] - joined[-1][-1][1] < gap:
            joined[-1].append(each)
        else:
            joined.append([each])
    for group in joined:
        begin, end = group[0][0], group[-1][1]
        share = round(length(group) / (end - begin), 3)
        yield Bar("computing", round(begin - start, 6), round(end - start, 6), "", share)
