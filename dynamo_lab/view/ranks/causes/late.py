"""Of a job that finished: the rank that others waited for longest, and what it did meanwhile."""

from collections.abc import Iterator, Sequence

from dynamo_lab.view.core.places import Line
from dynamo_lab.view.core.words import first_up, seconds
from dynamo_lab.view.ranks.causes.words import call_words, on
from dynamo_lab.view.ranks.known import Known, names_of
from dynamo_lab.view.ranks.meetings import Meeting

_LATE = 1.0
"""Seconds that a rank is waited for before that is said of a job that finished."""
_HARDLY = 0.1
"""The part of that time: who came so little before the last is late like it, and did not wait."""


def longest_wait(ranks: Sequence[Known], met: Sequence[Meeting]) -> Iterator[str]:
    """The longest wait of a job that finished, and what the late rank did meanwhile."""
    whole = [one for one in met if len(one.calls) > 1 and not one.absent]
    longest = max(whole, key=lambda one: one.lateness, default=None)
    if longest is None or longest.lateness < _LATE:
        return
    by_number = {one.rank.number: one for one in ranks}
    late = by_number[longest.last]
    call = longest.calls[longest.last]
    hardly = call.started - longest.lateness * _HARDLY
    waited, others = list[Known](), list[Known]()
    for number, own in sorted(longest.calls.items()):
        if number != longest.last:
            (waited if own.started < hardly else others).append(by_number[number])
    too = f", and {names_of(others)} not much earlier" if others else ""
    yield (
        f"{first_up(late.label)} came {seconds(longest.lateness)} late to {call_words(call)}"
        f"{on(late, call)}, where {names_of(waited)} waited{too}"
        f"{_meanwhile(late, late.label if others else 'it', longest.start, call.started)}."
    )


def _meanwhile(one: Known, who: str, start: float, end: float) -> str:
    """': meanwhile it compiled `f` again (3.1 s), because ...', or the line it was on longest."""
    compiled = _compiled(one, start, end)
    if compiled:
        return f": meanwhile {who} {compiled}"
    spent: dict[Line, float] = {}
    for stay in one.rank.stays:
        inside = min(stay.end, end) - max(stay.start, start)
        if inside > 0:
            line = one.places.line_of(stay.span)
            spent[line] = spent.get(line, 0.0) + inside
    if not spent:
        return ""
    line = max(spent, key=lambda line: spent[line])
    return f": meanwhile {who} was {seconds(spent[line])} at {one.where(line)}"


def _compiled(one: Known, start: float, end: float) -> str:
    """What it compiled in that time, if that took most of it."""
    shift = one.rank.started
    spent: dict[str, float] = {}
    for timing in one.recording.timings:
        if timing.parent < 0 and timing.compile_id:
            at = shift + timing.start
            inside = min(at + timing.seconds, end) - max(at, start)
            if inside > 0:
                spent[timing.compile_id] = spent.get(timing.compile_id, 0.0) + inside
    if not spent or sum(spent.values()) < (end - start) / 2:
        return ""
    longest = max(spent, key=lambda compile_id: spent[compile_id])
    frames = (
        frame
        for frame in one.recording.frames
        if any(attempt.compile_id == longest for attempt in frame.attempts)
    )
    frame = next(frames, None)
    if frame is None:
        return f"compiled for {seconds(sum(spent.values()))}"
    where = one.places.where_named(one.places.line_of(frame.span))
    name = f"`{one.places.function(frame.span)}` ({where})"
    again = next((item for item in one.recording.recompiles if item.compile_id == longest), None)
    if again is None or not again.failures:
        return f"compiled {name} for {seconds(spent[longest])}"
    return f"compiled {name} again for {seconds(spent[longest])}, because `{again.failures[0][1]}`"
