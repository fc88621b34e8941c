"""A hand-written implementation called once in a process of its own, before it is in ours.

    python -m dynamo_lab.bench.baseline_trial CASE FILE DEVICE DTYPE SIZE

One that crashes would take the terminal or the notebook's kernel along.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from dynamo_lab.capture.core.apart import crash_of, run_apart
from dynamo_lab.errors import CaseError
from dynamo_lab.measure.baselines import baselines_of
from dynamo_lab.measure.cases import load_case

if TYPE_CHECKING:
    from dynamo_lab.measure.baselines import Baseline

_SECONDS = 300.0
"""Seconds that its build and its first call may take."""

_MODULE = "dynamo_lab.bench.baseline_trial"


def refuse_crash(baseline: Baseline, device: str, dtype: str, size: str) -> None:
    """Raise where a first call of it ends its process; what else it raises is seen in ours.

    Raises:
        CaseError: it crashes, or does not end.
    """
    asked = [str(baseline.case.path), baseline.path.name, device, dtype, size]
    with tempfile.TemporaryDirectory(prefix="dynamo_lab_baseline_") as folder:
        command = [sys.executable, "-W", "ignore", "-m", _MODULE, *asked]
        ended = run_apart(command, Path(folder), _SECONDS)
    if ended.by == "time":
        raise CaseError(f"it did not end within {_SECONDS:.0f} s: look for an endless loop")
    if ended.by == "messages":
        raise CaseError("it wrote messages without end: take the printing out")
    if ended.code < 0:
        raise CaseError(f"it crashed ({crash_of(-ended.code)}): check its indices and pointers")


def main() -> None:
    """Call the implementation in this file once, on inputs of the case."""
    path, name, device, dtype, size = sys.argv[1:]
    case = load_case(Path(path))
    run = next(one for one in baselines_of(case) if one.path.name == name).load()
    run(*case.make(device, dtype, size))


if __name__ == "__main__":
    main()
