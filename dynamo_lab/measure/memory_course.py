"""The course of memory during a call: how much is held when, and what holds it at the peak."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.measure.memory import Allocation, allocations
from dynamo_lab.measure.profiler import profiled
from dynamo_lab.model.benchmarks import MemoryCourse, MemoryHolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_POINTS = 300
_HOLDERS = 8
_VIEWS = frozenset(
    f"aten::{name}"
    for name in (
        "alias", "as_strided", "detach", "expand", "permute", "select", "slice", "squeeze", "t",
        "transpose", "unsqueeze", "view", "_unsafe_view",
    )
)  # fmt: skip
"""Operators that allocate nothing, and run at other times under a mode."""


class Called(NamedTuple):
    """An operator that was called, and the line of a file that did."""

    operator: str
    path: str = ""
    line: int = 0


def course_of(
    work: Callable[[], object], callers: Callable[[], Iterable[tuple[str, str, int]]] = tuple
) -> MemoryCourse | None:
    """The course of one call on the CPU, as PyTorch's profiler saw it; None while another runs.

    `callers` says which operators such a call runs, one after the other, and where they are called:
    it is asked afterwards. Lines are left out where that were not the same operators.
    """
    seen = profiled(work, memory=True)
    if seen is None:
        return None
    events = seen.experimental_event_tree()
    return _course(allocations(events), _placed(events, [Called(*one) for one in callers()]))


def _placed(events: Iterable[Any], calls: Sequence[Called]) -> dict[int, Called]:
    """By each event's id, the call that it is a part of: outermost ones of the same names."""
    calls = [call for call in calls if call.operator not in _VIEWS]
    names = {_plain(call.operator) for call in calls}
    outer = sorted(_outermost(events, names), key=lambda event: event.start_time_ns)
    is_same = [_plain(event.name) for event in outer] == [_plain(one.operator) for one in calls]
    found: dict[int, Called] = {}
    for at, event in enumerate(outer if is_same else ()):
        found |= dict.fromkeys(_inside(event), calls[at])
    return found


def _outermost(events: Iterable[Any], names: set[str]) -> Iterator[Any]:
    waiting = list(events)
    while waiting:
        event = waiting.pop()
        if _plain(event.name) in names:
            yield event
        else:
            waiting += event.children


def _plain(operator: str) -> str:
    """The name without the mark of a write in place, which autograd's engine chooses itself."""
    return operator.rstrip("_")


def _inside(event: Any) -> Iterator[int]:
    waiting = [event]
    while waiting:
        one = waiting.pop()
        yield one.id
        waiting += one.children


def _course(seen: Sequence[Allocation], places: dict[int, Called]) -> MemoryCourse:
    """The running total, and what is held when it is largest."""
    held: dict[int, Allocation] = {}
    total, at_peak, peak = 0, 0, 0
    curve: list[tuple[int, int]] = []
    for one in seen:
        if one.size > 0:
            held[one.address] = one
            total += one.size
        elif one.address in held:
            total -= held.pop(one.address).size
        if total > peak:
            peak, at_peak = total, one.at
        curve.append((one.at, total))
    holders = list(_held_at(seen, at_peak))
    start = curve[0][0] if curve else 0
    length = max(1, curve[-1][0] - start) if curve else 1
    points = [(round((at - start) / length, 4), bytes_) for at, bytes_ in _thinned(curve)]
    return MemoryCourse(
        at=tuple(at for at, _ in points),
        bytes=tuple(count for _, count in points),
        peak=peak,
        holders=tuple(_summed(holders, places)),
    )


def _held_at(seen: Iterable[Allocation], when: int) -> Iterator[Allocation]:
    held: dict[int, Allocation] = {}
    for one in seen:
        if one.at > when:
            break
        if one.size > 0:
            held[one.address] = one
        else:
            held.pop(one.address, None)
    return iter(held.values())


def _thinned(curve: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """At most so many points, of neighbours the one with the most."""
    width = -(-len(curve) // _POINTS) or 1
    groups = (curve[at : at + width] for at in range(0, len(curve), width))
    return [max(group, key=lambda point: point[1]) for group in groups]


def _summed(held: Iterable[Allocation], places: dict[int, Called]) -> list[MemoryHolder]:
    """The holders of one operator and line together, the largest first."""
    found: dict[Called, list[int]] = {}
    for one in held:
        place = places.get(one.event) or Called(one.operator)
        found.setdefault(place, []).append(one.size)
    rows = [
        MemoryHolder(
            operator=place.operator,
            path=place.path,
            line=place.line or None,
            bytes=sum(sizes),
            count=len(sizes),
        )
        for place, sizes in found.items()
    ]
    return sorted(rows, key=lambda row: -row.bytes)[:_HOLDERS]
