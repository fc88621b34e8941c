"""Two ranks on two CUDA devices, with NCCL: what was recorded beside what PyTorch counts there."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

from dynamo_lab.view.ranks.sizes import bytes_of
from tests.benchmarks.ranks import memory
from tests.ranks.profiled import all_ways_profiled, off

if TYPE_CHECKING:
    from dynamo_lab.api.ranks.jobs import JobRecording

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.live,
    pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two CUDA devices"),
]


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("profiled") / "rank"


@pytest.fixture(scope="module")
def job(profiled: Path) -> JobRecording:
    made = all_ways_profiled(profiled, backend="nccl")
    print(made, made.collectives, sep="\n")
    assert made.is_whole, made.findings
    return made


def test_bytes_are_those_that_the_profiler_counts(job: JobRecording, profiled: Path) -> None:
    """The profiler has other names for some: sizes alone are compared, without scatters."""
    for number, recording in enumerate(job.values()):
        assert recording.rank is not None
        assert recording.rank.calls
        told = json.loads(Path(f"{profiled}.{number}").read_text())
        counted = Counter(size for name, size in told if name != "scatter")
        calls = [one for one in recording.rank.calls if one.name != "scatter"]
        ours = Counter(bytes_of(one.sizes, one.dtypes) for one in calls)
        assert ours == counted, (calls, told)


def test_gradients_are_those_of_one_process(job: JobRecording, profiled: Path) -> None:
    for number in range(len(job)):
        assert max(off(profiled, number)) < 1e-4


def test_each_collective_has_a_line(job: JobRecording) -> None:
    assert all(one.where for one in job.collectives)


def test_memory_is_what_the_allocator_holds() -> None:
    """It gives a block whole of which less than 1 MiB would be left (CUDACachingAllocator.cpp)."""
    for held, told in memory.compared():
        print(f"the allocator {held:,}, recorded {told:,}: {held - told:+,}")
        assert 0 <= held - told < 2**20
