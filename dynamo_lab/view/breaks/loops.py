"""Loops that came back to a break: the function that resumed there broke at the same place."""

from collections import Counter
from collections.abc import Iterator, Mapping

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.recording import Recording


def came_back(recording: Recording) -> dict[int, int]:
    """By the id of a break, the one that it repeats: what resumed after that came there again.

    Of one function, only a loop leads back to a place. What both ways out of a branch come to is
    no such place: neither of them resumed after the other.
    """
    broke = {frame: item for item in recording.breaks for frame in item.resume_frames}
    places = [_place(item, recording) for item in recording.breaks]
    shared = {place for place, count in Counter(places).items() if place and count > 1}
    found = dict[int, int]()
    for item, place in zip(recording.breaks, places, strict=True):
        before = _before(item, recording, broke) if place in shared else ()
        last = next((one.id for one in before if places[one.id] == place), None)
        if last is not None:
            found[item.id] = found.get(last, last)
    return found


def _before(item: Break, recording: Recording, broke: Mapping[int, Break]) -> Iterator[Break]:
    """The breaks that led to the function it is in, the last first. A file may name a circle."""
    at, seen = item.frame, {item.id}
    while (earlier := broke.get(at)) is not None and earlier.id not in seen:
        if recording.frames[at].resumes is None:
            return
        seen.add(earlier.id)
        yield earlier
        at = earlier.frame


def _place(item: Break, recording: Recording) -> tuple[int, ...]:
    """Where it is in the text, to the column; empty where that is not known."""
    span = recording.spans[item.span]
    return (span.source, span.line, span.column, span.end_line) if span.column >= 0 else ()
