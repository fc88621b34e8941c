"""The course of memory during a call: how much is held when, and what holds it at the peak."""

from __future__ import annotations

import sys
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

_LIBRARY = ("site-packages", "dist-packages", "dynamo_lab")


class _Place(NamedTuple):
    operator: str
    path: str = ""
    line: int = 0


def course_of(work: Callable[[], object], *, with_lines: bool) -> MemoryCourse | None:
    """The course of one call on the CPU, as PyTorch's profiler saw it; None while another runs.

    With lines, `work` runs once more under a mode that sees each operator and who calls it: a
    compiled function must not, as it would be compiled again. Lines are left out where the two
    calls did not run the same operators.
    """
    seen = profiled(work, memory=True)
    if seen is None:
        return None
    events = seen.experimental_event_tree()
    places = _placed(events, _called(work)) if with_lines else {}
    return _course(allocations(events), places)


def _called(work: Callable[[], object]) -> list[_Place]:
    """Each operator that a call runs, in order, with the innermost line outside libraries."""
    from torch.utils._python_dispatch import TorchDispatchMode

    found: list[_Place] = []

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            found.append(_Place(func.name().partition(".")[0], *_caller()))
            return func(*args, **(kwargs or {}))

    with Seen():
        work()
    return found


def _caller() -> tuple[str, int]:
    frame = sys._getframe(2)
    while frame is not None:
        path = frame.f_code.co_filename
        if not any(part in path for part in _LIBRARY):
            return path, frame.f_lineno
        frame = frame.f_back
    return "", 0


def _placed(events: Iterable[Any], calls: Sequence[_Place]) -> dict[int, _Place]:
    """By each event's id, the call that it is a part of: outermost ones of the same names."""
    calls = [call for call in calls if call.operator not in _VIEWS]
    names = {_plain(call.operator) for call in calls}
    outer = sorted(_outermost(events, names), key=lambda event: event.start_time_ns)
    is_same = [_plain(event.name) for event in outer] == [_plain(one.operator) for one in calls]
    found: dict[int, _Place] = {}
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


def _course(seen: Sequence[Allocation], places: dict[int, _Place]) -> MemoryCourse:
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


def _summed(held: Iterable[Allocation], places: dict[int, _Place]) -> list[MemoryHolder]:
    """The holders of one operator and line together, the largest first."""
    found: dict[_Place, list[int]] = {}
    for one in held:
        place = places.get(one.event) or _Place(one.operator)
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
