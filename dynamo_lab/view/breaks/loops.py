"""Loops that came back to a break: the function that resumed there broke at the same place."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.sources import Span
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.numbers_taken import parsed
from dynamo_lab.view.core.places import Places


def came_back(recording: Recording, places: Places) -> dict[int, int]:
    """By the id of a break, the one that it repeats: what resumed after that came there again.

    Of one function, only a loop leads back to a place. What both ways out of a branch come to is
    no such place: neither of them resumed after the other.
    """
    broke = {frame: item for item in recording.breaks for frame in item.resume_frames}
    at = [_place(item, recording, places) for item in recording.breaks]
    shared = {place for place, count in Counter(at).items() if place and count > 1}
    found = dict[int, int]()
    for item, place in zip(recording.breaks, at, strict=True):
        before = _before(item, recording, broke) if place in shared else ()
        last = next((one.id for one in before if at[one.id] == place), None)
        if last is not None:
            found[item.id] = last
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


def _place(item: Break, recording: Recording, places: Places) -> tuple[int, ...]:
    """Where it is in the text, call by call and to the column; empty where that is not known.

    A branch in what resumes has a line alone: that will do where only one on the line can branch.
    """
    known = (item.span,) if item.stack is None else recording.stacks[item.stack]
    *calls, last = (recording.spans[at] for at in known)
    found = [_columns(span) for span in calls]
    if "JUMP" in item.opname and _tests(places.whole(last.source), last.line) == 1:
        found.append((last.source, last.line))
    else:
        found.append(_columns(last))
    return sum(found, ()) if all(found) else ()


def _columns(span: Span) -> tuple[int, ...]:
    ends = (span.column, span.end_line, span.end_column)
    return (span.source, span.line, *ends) if span.column >= 0 else ()


@lru_cache(256)  # a loop breaks at few lines, again and again
def _tests(text: str, line: int) -> int:
    """How many expressions of a line can branch."""
    tree = parsed(text)
    found = 0
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case ast.If() | ast.While() | ast.IfExp() | ast.Assert():
                found += node.test.lineno == line
            case ast.comprehension():
                found += sum(one.lineno == line for one in node.ifs)
            case ast.BoolOp():
                found += (len(node.values) - 1) * (node.lineno == line)
            case _:
                pass
    return found
