"""Inductor's overlap passes on two ranks: each collective has a node, and the lines it is of."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as collectives

import dynamo_lab as lab
from tests.benchmarks.ranks.steps import OVERLAP
from tests.ranks.programs import line_of

RUNS = 2
MARKS = ("first reduced", "second reduced", "first shard", "second shard", "gathered")
PUT_TOGETHER = "Inductor put the collectives of these lines together"


def several(x: torch.Tensor, shards: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Collectives of three kinds that wait for nothing of each other."""
    everyone: Any = dist.group.WORLD
    first = collectives.all_reduce(x.sin(), "sum", everyone)  # line: first reduced
    second = collectives.all_reduce(x.cos(), "sum", everyone)  # line: second reduced
    third = collectives.reduce_scatter_tensor(x.exp(), "sum", 0, everyone)  # line: first shard
    fourth = collectives.reduce_scatter_tensor(x.tan(), "sum", 0, everyone)  # line: second shard
    whole = [collectives.all_gather_tensor(one, 0, everyone) for one in shards]  # line: gathered
    for one in whole:
        x = x @ one
    return x + first + second, third + fourth


def overlapped() -> None:
    """Train on it; the passes ask a GPU how fast its memory is, and get an answer of ours."""
    import torch.utils._runtime_estimation as estimation

    estimation.get_gpu_dram_gbps = lambda: 100.0  # type: ignore[attr-defined]
    options = {**OVERLAP, "aten_distributed_optimizations.compute_estimator": "analytical"}
    x = torch.ones(8, 8, requires_grad=True)
    shards = [torch.ones(4, 8, requires_grad=True) for _ in range(3)]
    step = torch.compile(several, options=options)
    for _ in range(RUNS):
        y, z = step(x, shards)
        (y.sum() + z.sum()).backward()


@pytest.mark.live
@pytest.mark.release
def test_each_collective_has_a_node_and_one_put_together_all_its_lines() -> None:
    job = lab.ranks(overlapped, 2, backend="gloo", timeout=400)
    assert job.is_whole, job.findings
    view = job.collectives.view
    assert view is not None
    assert [one.tied for one in view.totals] == [one.collectives for one in view.totals]
    assert all(one.node for one in view.meetings)
    wheres = [one.where for one in view.meetings]
    at = {mark: line_of(mark, __file__) for mark in MARKS}
    both = f"lines {at['first reduced']}, {at['second reduced']}"  # others are its choice
    assert sum(where.endswith(both) for where in wheres) == RUNS
    for line in at.values():
        assert sum(str(line) in re.findall(r"\d+", where) for where in wheres) >= RUNS
    for one in view.meetings:
        assert ("lines" in one.where) == (one.why == PUT_TOGETHER)
