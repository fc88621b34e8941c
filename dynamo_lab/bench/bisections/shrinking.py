"""The smallest sizes of inputs with which a file still raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.record.replay import told

if TYPE_CHECKING:
    from dynamo_lab.capture.bisections.files import GraphFile

_LEAST = 2
_RUNS = 8


def smallest(file: GraphFile) -> tuple[GraphFile, str]:
    """The file with random numbers for inputs and smaller sizes, if it still raises the same.

    It returns what that raises: nothing, if the graph alone does not show the fault.
    """
    fault = _fault(file)
    if not fault:
        return file, ""
    runs = _RUNS
    for candidate in (file.with_random(), file.with_random().with_ones()):
        if candidate.text() != file.text() and _shows(candidate, fault):
            file = candidate
            break
    for size in sorted(file.sizes(), reverse=True):
        found, used = _shrunk(file, size, fault, runs)
        file, runs = found, runs - used
        if runs <= 0:
            break
    return file, _fault(file)


def _shrunk(file: GraphFile, size: int, fault: str, runs: int) -> tuple[GraphFile, int]:
    """The file with one size as small as halving makes it, and how often it was run."""
    used = 0
    now = _LEAST
    while now < size and used < runs:
        candidate = file.with_size(size, now)
        if candidate.runs_in_eager():
            used += 1
            if _shows(candidate, fault):
                return candidate, used
        now = max(now * 4, now + 1)
    return file, used


def _shows(file: GraphFile, fault: str) -> bool:
    return _kind(_fault(file)) == _kind(fault)


def _fault(file: GraphFile) -> str:
    error = file.run()
    return "" if error is None else told(error)


def _kind(fault: str) -> str:
    return fault.partition(":")[0]
