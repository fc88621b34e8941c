"""A job of two ranks that calls collectives in all ways, under PyTorch's profiler."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import dynamo_lab as lab
from tests.ranks import programs

if TYPE_CHECKING:
    from dynamo_lab.api.ranks.jobs import JobRecording


def all_ways_profiled(to: Path, backend: str) -> JobRecording:
    """The job; what each rank's profiler counted goes to files whose names begin with `to`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(programs.PROFILED, str(to))
        patch.setenv(programs.OFF, f"{to}.off")
        return lab.ranks(programs.all_ways, 2, backend=backend, timeout=240.0)


def off(of: Path, number: int) -> tuple[float, float]:
    """How far gradients of a rank are from one process's, under FSDP2 and tensor parallelism."""
    first, second = json.loads(Path(f"{of}.off.{number}").read_text())
    return first, second
