"""A job of two agents of `torchrun`, as on two hosts: each has a folder, and a clock of its own.

Two hosts with a name and a network of their own are two namespaces of this machine, where it allows
them.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

import dynamo_lab as lab
from dynamo_lab.model.core import codec
from tests.view.ranks.test_clocks import came, on

AHEAD = 3600.0
PROGRAM = """\
import torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.ones(8)
for _ in range(5):
    dist.all_reduce(x)
dist.all_reduce(x)  # rank 1 comes late to it
dist.destroy_process_group()
"""


def test_folders_of_hosts_join_to_one_job(tmp_path: Path) -> None:
    ends = (102.0, 104.0, 106.0)
    others = tuple(end + AHEAD for end in ends)
    first = on("a", came(0, 101.0, 103.0, 104.5, ends=ends))
    late = on("b", came(1, 101.0 + AHEAD, 103.0 + AHEAD, 106.0 + AHEAD, ends=others), AHEAD)
    for host, recording in enumerate((first, late)):
        (tmp_path / f"host{host}").mkdir()
        codec.save(recording, tmp_path / f"host{host}" / f"rank-{host}.json.gz")
    job = lab.open_job(tmp_path / "host0", tmp_path / "host1")
    view = job.collectives.view
    assert view is not None
    assert "The ranks ran on 2 hosts: rank 0 on a and rank 1 on b." in view.sentences
    assert job.findings[0].startswith("Rank 1 came 1.5 s late to `all_reduce` 3")


@pytest.mark.live
@pytest.mark.long
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
    _time_by_hand(folders[0] / "rank-0.json.gz")
    _time_by_hand(folders[1] / "rank-1.json.gz", host="elsewhere", ahead=AHEAD, late=1.5)
    job = lab.open_job(*folders)
    assert [one.rank and one.rank.groups[0].ranks for one in job.values()] == [(0, 1), (0, 1)]
    view = job.collectives.view
    assert view is not None
    assert "The ranks ran on 2 hosts: rank 0 on " in view.sentences[-2]
    assert view.sentences[-2].endswith("and rank 1 on elsewhere.")
    assert "differ by up to 60" in view.sentences[-1]
    late = job.findings[0]
    assert late.startswith("Rank 1 came 1.5 s late to `all_reduce` 6")
    assert "train.py, line 6" in late


NAMESPACES = (
    "unshare", "--user", "--map-root-user", "--net", "--uts", "--mount", "--pid", "--fork",
    "--kill-child", "--mount-proc",
)  # fmt: skip
HERE = Path(__file__).parent
LATE = """\
import time, torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.ones(8)
for _ in range(5):
    dist.all_reduce(x)
if dist.get_rank() == 1:
    time.sleep(5)
dist.all_reduce(x)
dist.destroy_process_group()
"""


@pytest.mark.live
@pytest.mark.long
def test_two_hosts_with_names_networks_and_clocks_of_their_own(tmp_path: Path) -> None:
    if missing := [one for one in ("unshare", "ip", "bash", "cc") if shutil.which(one) is None]:
        pytest.skip(f"this machine has no {missing[0]}")
    tried = subprocess.run([*NAMESPACES, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"this machine allows no namespaces: {tried.stderr.strip()}")
    (tmp_path / "train.py").write_text(LATE)
    clock = tmp_path / "clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", clock, HERE / "clock.c"], check=True)
    done = subprocess.run(
        [*NAMESPACES, "bash", HERE / "hosts.sh", sys.executable, clock],
        cwd=tmp_path, capture_output=True, text=True, timeout=400, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    job = lab.open_job(tmp_path / "host-a", tmp_path / "host-b")
    view = job.collectives.view
    assert view is not None
    assert sorted(view.sentences[-2].removesuffix(".").split(": ")[1].split(" and ")) in (
        ["rank 0 on host-a", "rank 1 on host-b"], ["rank 0 on host-b", "rank 1 on host-a"],
    )  # fmt: skip
    assert "The clocks of the hosts differ by up to 60" in view.sentences[-1]
    assert job.findings[0].startswith("Rank 1 came ")
    assert "late to `all_reduce` 6 at train.py, line 8" in job.findings[0]


def _time_by_hand(path: Path, host: str = "", ahead: float = 0.0, late: float = 0.0) -> None:
    """As if this rank had run on another host, and late to its last call.

    How long things take here is not asked: a busy machine would answer differently each time.
    """
    recording = codec.load(path)
    rank = recording.rank
    assert rank is not None
    assert rank.timeline is not None
    assert rank.calls
    assert all(call.ran is not None for call in rank.calls), "the profiler timed them"
    assert [call.name for call in rank.calls] == ["all_reduce"] * 6
    started = [ahead + 1000.0 + at for at in range(5)] + [ahead + 1005.0 + late]
    calls = tuple(
        replace(call, started=start, ran=(start, ahead + 1010.0 + at))
        for at, (call, start) in enumerate(zip(rank.calls, started, strict=True))
    )
    moved = replace(
        rank, host=host or rank.host, calls=calls, stays=(), timeline=None,
        started=ahead + 999.0, seen=ahead + 1020.0,
    )  # fmt: skip
    codec.save(replace(recording, rank=moved), path)
