"""What DDP made of a graph: the parts, with their parameters, that PyTorch's own log tells."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

import dynamo_lab as lab
from tests.ranks import programs

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.release]

_GRAPH = re.compile(r"---(\w+) graph---")
_INPUT = re.compile(r"\[num_users=\d+\] = placeholder\[target=(\w+)\]")


def test_gpt2_is_split_as_the_log_says(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("TORCH_LOGS", "ddp_graphs")
    monkeypatch.setenv(programs.OFF, str(tmp_path / "off"))
    job = lab.ranks(programs.ddp_gpt2, 2, timeout=300.0)
    assert job.is_whole, job.findings
    for number in range(2):
        (off,) = json.loads((tmp_path / f"off.{number}").read_text())
        assert off < 1e-4
    log = "".join(capfd.readouterr())
    told: dict[str, set[str]] = {}
    part = ""
    for line in log.split("\n"):
        if "[rank 0]" not in line:
            continue
        if found := _GRAPH.search(line):
            part = found[1] if found[1].startswith("submod_") else ""
            if part:
                told.setdefault(part, set())
        elif part and (found := _INPUT.search(line)) and "parameters" in found[1]:
            told[part].add(found[1])
    first = job["rank 0"]
    (split,) = first.splits
    assert len(told) == len(split.buckets) > 2
    for number, bucket in enumerate(reversed(split.buckets)):
        assert {name.lower() for name in bucket.parameters} == {
            name.lower() for name in told[f"submod_{number}"]
        }
    assert job["rank 1"].splits == first.splits
    (shown,) = job.ranks().splits
    assert [set(one.parameters) for one in shown.buckets] != []
    assert [len(one.parameters) for one in shown.buckets] == [
        len(bucket.parameters) for bucket in split.buckets
    ]
    parts = {graph.part for graph in first.graphs if graph.stage == "forward"}
    assert parts == set(range(1, len(split.buckets) + 1))
    assert not any("DDP" in one.reason for one in first.breaks)
    assert "These are no graph breaks of yours" in str(job)
    reduced = [one.why for one in job.collectives if one.why.startswith("DDP reduces")]
    assert reduced
    assert all("by its size and order" in why for why in reduced), reduced
