"""Collectives of a job that ran: each has a line, and its bytes, as the profiler counts them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import dynamo_lab as lab
from tests.ranks import llama, programs
from tests.ranks.profiled import all_ways_profiled, off

if TYPE_CHECKING:
    from dynamo_lab.api.ranks.jobs import JobRecording

pytestmark = [pytest.mark.live, pytest.mark.slow]


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("profiled") / "rank"


@pytest.fixture(scope="module")
def job(profiled: Path) -> JobRecording:
    return all_ways_profiled(profiled, backend="gloo")


@pytest.mark.slow
def test_bytes_are_those_that_the_profiler_counts(job: JobRecording, profiled: Path) -> None:
    from dynamo_lab.view.ranks.sizes import bytes_of

    for number, recording in enumerate(job.values()):
        assert recording.rank is not None
        assert recording.rank.calls
        counted = Counter(map(tuple, json.loads(Path(f"{profiled}.{number}").read_text())))
        # To a scatter the profiler gives what a rank gets, on all ranks alike.
        ours = Counter(
            (call.name, bytes_of(call.sizes, call.dtypes))
            for call in recording.rank.calls
            if call.name != "scatter"
        )
        assert ours == Counter({k: n for k, n in counted.items() if k[0] != "scatter"})
        assert sum(n for (name, _), n in counted.items() if name == "scatter") == sum(
            call.name == "scatter" for call in recording.rank.calls
        )


def test_gradients_are_those_of_one_process(job: JobRecording, profiled: Path) -> None:
    for number in range(len(job)):
        assert max(off(profiled, number)) < 1e-5


def test_each_collective_has_a_line_and_a_reason(job: JobRecording) -> None:
    assert job.is_whole
    assert all(one.where and one.waited is not None for one in job.collectives)
    view = job.collectives.view
    assert view is not None
    assert [one.tied for one in view.totals] == [one.collectives for one in view.totals]
    attention, o, down = (
        str(programs.line_of(mark, llama.__file__)) for mark in ("attention", "o", "down")
    )
    sharded = programs.line_of("sharded")
    places = {(one.operator, one.where.rpartition(" ")[2], bool(one.node)) for one in view.meetings}
    of_block = [one for one in view.meetings if "llama.py" in one.where]
    assert {one.where.rpartition(" ")[2] for one in of_block} == {attention, o, down}
    assert all(one.node for one in of_block), "tensor parallelism in a graph: forward and backward"
    assert ("all_reduce", str(programs.line_of("reduced")), True) in places
    assert ("all_reduce", str(programs.line_of("eager")), False) in places
    assert ("all_gather_into_tensor", str(sharded), False) in places
    assert ("reduce_scatter_tensor", str(sharded), False) in places
    changed = "a DTensor [2, 8, 16] goes from P(sum) to R on the mesh all"
    assert any(one.node and changed in one.why for one in view.meetings)
    asked = {one.operator: one.why for one in view.meetings if "FSDP" in one.why}
    assert asked["reduce_scatter_tensor"] == "FSDP reduces gradients, each rank its shard"
    assert asked["all_gather_into_tensor"].startswith("FSDP gathers parameters")
    (eager,) = (one for one in view.meetings if one.operator == "all_gather")
    assert (eager.why, eager.bytes, eager.result_bytes) == ("", 12, 24)


def test_they_are_printed_and_on_the_page(job: JobRecording, tmp_path: Path) -> None:
    whole, each = str(job), str(job.collectives)
    assert "FSDP gathers parameters before a forward" in whole
    assert "reduce_scatter_tensor (run as all_reduce)" in whole
    assert each.count("`all_reduce") > 1
    assert len(job.collectives) == len(job.collectives[:])
    job.save(tmp_path / "job.json.gz")
    assert str(lab.open_job(tmp_path / "job.json.gz")) == whole
    assert "FSDP gathers parameters before a forward" in job._repr_mimebundle_()["text/html"]
