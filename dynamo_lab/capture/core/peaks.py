"""Peak memory while a program is compiled, as the operating system counts it for this process."""

import sys
from collections.abc import Callable

from dynamo_lab.model.timings import CompileMemory

try:
    import resource
except ImportError:  # Windows
    resource = None

_UNIT = 1 if sys.platform == "darwin" else 1024
"""What `ru_maxrss` counts in."""

Reader = Callable[[], tuple[int, int] | None]


def high_water() -> tuple[int, int] | None:
    """The most bytes that were resident at once: of this process, and of any that it waited for.

    It takes a microsecond. None where the system does not say.
    """
    if resource is None:
        return None
    own, children = (resource.getrusage(who).ru_maxrss for who in _WHOSE)
    return own * _UNIT, children * _UNIT


_WHOSE = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN) if resource else ()


class Peaks:
    """By how much each phase raised the peak of the process, which never falls."""

    def __init__(self, read: Reader | None = None) -> None:
        self._read = read or high_water
        self._first: tuple[int, int] | None = None
        self._last: tuple[int, int] | None = None
        self._begun: dict[int, int] = {}
        self._grew: list[tuple[int, int]] = []

    def started(self, phase: int) -> None:
        """A phase begins; `phase` is its position among the timings."""
        found = self._read()
        if found is not None:
            self._first = self._first or found
            self._begun[phase] = found[0]

    def ended(self, phase: int) -> None:
        """It ends."""
        self._last = self._read()
        grew = self._last[0] - self._begun.pop(phase, self._last[0]) if self._last else 0
        if grew > 0:
            self._grew.append((phase, grew))

    def told(self) -> CompileMemory | None:
        """What is known so far."""
        if self._first is None or self._last is None:
            return None
        (before, others), (peak, waited) = self._first, self._last
        child = waited if waited > others else 0
        return CompileMemory(before=before, peak=peak, child=child, grew=tuple(self._grew))
