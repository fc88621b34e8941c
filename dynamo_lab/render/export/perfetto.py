"""A trace of compile phases and kernels in Chrome's trace-event format, which Perfetto opens.

The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from collections.abc import Iterator, Sequence
from typing import Any

from dynamo_lab.view.benchmarks.trace import Slice, TrackGroup


def trace(title: str, groups: Sequence[TrackGroup]) -> dict[str, Any]:
    """The trace, ready for JSON: a process for each group, a thread for each track."""
    events: list[dict[str, Any]] = []
    for pid, group in enumerate(groups, 1):
        events.append(_named("process_name", f"{group.name}: {title}", pid, 0))
        events.append(_metadata("process_sort_index", {"sort_index": pid}, pid, 0))
        for tid, track in enumerate(group.tracks, 1):
            events.append(_named("thread_name", track.name, pid, tid))
            events.append(_metadata("thread_sort_index", {"sort_index": tid}, pid, tid))
            events += _begun_and_ended(track.slices, pid, tid)
    return {"traceEvents": events, "displayTimeUnit": "ms", "otherData": {"recording": title}}


def _named(kind: str, name: str, pid: int, tid: int) -> dict[str, Any]:
    return _metadata(kind, {"name": name}, pid, tid)


def _metadata(kind: str, args: dict[str, Any], pid: int, tid: int) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": args}


def _begun_and_ended(slices: Sequence[Slice], pid: int, tid: int) -> Iterator[dict[str, Any]]:
    """Begin and end events in order of time.

    Pairs nest by their order; complete events ("X") nest by their times, which viewers round.
    """
    where = {"pid": pid, "tid": tid}
    opened: list[int] = []
    for one in slices:
        while opened and opened[-1] <= one.start:
            yield {"ph": "E", "ts": _microseconds(opened.pop()), **where}
        yield {
            "ph": "B",
            "name": one.name,
            "cat": "dynamo_lab",
            "ts": _microseconds(one.start),
            **where,
            "args": one.facts,
        }
        opened.append(one.end)
    while opened:
        yield {"ph": "E", "ts": _microseconds(opened.pop()), **where}


def _microseconds(nanoseconds: int) -> float:
    return nanoseconds / 1000
