"""A job of two agents of `torchrun`, as on two hosts: each has a folder, and a clock of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

import dynamo_lab as lab
from dynamo_lab.model.core import codec

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.model.ranks.ranks import Call

AHEAD = 3600.0
PROGRAM = """\
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.ones(8)
for _ in range(5):
    dist.all_reduce(x)
if dist.get_rank() == 1:
    time.sleep(1.5)
dist.all_reduce(x)
dist.destroy_process_group()
"""


@pytest.mark.live
@pytest.mark.release
def test_hosts_with_clocks_that_differ_join_to_one_job(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with ExitStack() as stack:
        agents = [
            stack.enter_context(subprocess.Popen(
                [sys.executable, "-m", "torch.distributed.run", "--nnodes=2", f"--node-rank={host}",
                 "--nproc-per-node=1", "--master-addr=127.0.0.1", f"--master-port={port}",
                 "-m", "dynamo_lab.record", "--profile", "--folder", f"host{host}", "train.py"],
                cwd=tmp_path, stderr=subprocess.PIPE, text=True,
            ))
            for host in range(2)
        ]  # fmt: skip
        for agent in agents:
            stack.callback(agent.kill)
        ended = [agent.communicate(timeout=240) for agent in agents]
        assert [agent.returncode for agent in agents] == [0, 0], ended
    folders = [tmp_path / f"host{host}" for host in range(2)]
    assert [len(list(one.glob("rank-*.json.gz"))) for one in folders] == [1, 1]
    _move_clock(folders[1] / "rank-1.json.gz")
    job = lab.open_job(*folders)
    assert [one.rank and one.rank.groups[0].ranks for one in job.values()] == [(0, 1), (0, 1)]
    view = job.collectives.view
    assert view is not None
    assert "The ranks ran on 2 hosts: rank 0 on " in view.sentences[-2]
    assert view.sentences[-2].endswith("and rank 1 on elsewhere.")
    assert "differ by up to 60" in view.sentences[-1]
    late = job.findings[0]
    assert late.startswith("Rank 1 came 1.")
    assert "train.py, line 8" in late


def _move_clock(path: Path) -> None:
    """As if this rank had run on another host, whose clock is ahead."""
    recording = codec.load(path)
    rank = recording.rank
    assert rank is not None
    assert rank.timeline is not None
    assert rank.calls
    moved = replace(
        rank, host="elsewhere", calls=tuple(map(_later, rank.calls)), stays=(), timeline=None,
        started=rank.started + AHEAD, seen=rank.seen + AHEAD,
    )  # fmt: skip
    codec.save(replace(recording, rank=moved), path)


def _later(call: Call) -> Call:
    assert call.ran is not None, "the profiler timed it"
    ran = (call.ran[0] + AHEAD, call.ran[1] + AHEAD)
    return replace(call, started=call.started + AHEAD, ran=ran)
