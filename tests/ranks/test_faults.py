"""Programs of two ranks, run for real: each seeded fault is named by the first sentence."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

import dynamo_lab as lab
from dynamo_lab.errors import OptionError
from tests.live.notebook import errors_of, html_of, run_cells, text_of
from tests.ranks import faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [pytest.mark.live, pytest.mark.slow]

RANK = "dynamo_lab.record.ranks.process"
"""What the command of a rank runs."""
LIMIT = 240.0
"""Seconds for a job that ends by itself, on a machine that does much else."""
VAIN = (faults.unequal_branch, faults.missing, faults.other_placement, faults.one_batch_fewer)
"""Where a rank waits for one that is done: that needs no limit to be seen."""
HANGS = (
    faults.swapped, faults.stopped, faults.other_group, faults.raises_on_the_way, faults.stuck,
)  # fmt: skip


def left() -> list[list[str]]:
    """The ranks that run, after a minute to end: what else runs is of other tests."""
    ranks = [one for one in psutil.Process().children(recursive=True) if RANK in command_of(one)]
    _, alive = psutil.wait_procs(ranks, timeout=60)
    return [command_of(one) for one in alive]


def command_of(process: psutil.Process) -> list[str]:
    """Its command; empty where it has ended."""
    with contextlib.suppress(psutil.Error):
        return process.cmdline()
    return []


def is_about_time(finding: str) -> bool:
    """Whether a finding is only that a rank was slow, as on a machine that does much else."""
    return " late to " in finding or finding.startswith("Compilation took ")


def _each() -> Iterator[Any]:
    """Those that wait for the limit of time wait 40 seconds each: one of them always."""
    for fault in faults.FAULTS:
        later = pytest.mark.long if fault in HANGS[1:] else pytest.mark.release
        yield pytest.param(fault, id=fault.__name__, marks=later)


@pytest.mark.parametrize("fault", list(_each()))
def test_the_first_sentence_names_the_fault(fault: Callable[[], None]) -> None:
    job = lab.ranks(fault, 2, timeout=40.0 if fault in HANGS else LIMIT)
    words, marks = faults.FAULTS[fault]
    sentence = job.ranks().sentence
    assert all(word in sentence for word in words), sentence
    for mark in marks:
        assert f"faults.py, line {faults.line_of(mark)}" in sentence
    assert job.findings[0] == sentence
    assert job.job.was_cut == (fault in (*HANGS, *VAIN))


@pytest.mark.slow
def test_ranks_are_recorded_saved_and_shown(tmp_path: Path) -> None:
    handlers = [signal.getsignal(one) for one in signal.valid_signals()]
    job = lab.ranks(faults.fine, 2, timeout=LIMIT)
    assert left() == []
    assert [signal.getsignal(one) for one in signal.valid_signals()] == handlers
    assert list(job) == ["rank 0", "rank 1"]
    assert all(map(is_about_time, job.findings))
    line = faults.line_of("reduced")
    for recording in job.values():
        assert len(recording.graphs) > 0
        own = recording.rank
        assert own is not None
        assert own.calls is not None
        assert [(one.name, one.number, one.sizes, one.is_compiled) for one in own.calls] == [
            ("all_reduce", 1, ((8,),), True), ("all_reduce", 2, ((4,),), False),
        ]  # fmt: skip
        assert any(recording.spans[at].line == line for stack in recording.stacks for at in stack)
    job.save(tmp_path / "job.json.gz")
    again = lab.open_job(tmp_path / "job.json.gz")
    assert str(again) == str(job)
    assert "rank 1  finished" in str(again)
    assert again.diff(job).keys() == {"rank 0", "rank 1"}
    job.to_html(tmp_path / "page.html")
    assert job.ranks().sentence[:40] in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.release
def test_torchrun_writes_recordings_that_join(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, torch, torch.distributed as dist\n"
        "dist.init_process_group('gloo')\n"
        "torch.compile(lambda x: x.sin(), backend='eager')(torch.ones(4))\n"
        "dist.all_reduce(torch.ones(4))\n"
        "dist.destroy_process_group()\n"
        "sys.exit(int(sys.argv[1]))\n"
    )
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    recorded = ["--standalone", "-m", "dynamo_lab.record", "--folder", "runs", str(script), "0"]
    command = [*torchrun, *recorded]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    job = lab.open_job(tmp_path / "runs")
    assert len(job) == 2
    assert all(map(is_about_time, job.findings))
    assert all(one.rank and one.rank.ending.kind == "finished" for one in job.values())


@pytest.mark.release
def test_ctrl_c_ends_all_ranks(tmp_path: Path) -> None:
    code = (
        "import sys\nimport dynamo_lab as lab\nfrom tests.ranks import faults\n"
        "try:\n    lab.ranks(faults.slow, 2)\nexcept KeyboardInterrupt:\n    sys.exit(7)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2])
    ranks: list[psutil.Process] = []
    end = time.monotonic() + LIMIT
    while len(ranks) < 2 and time.monotonic() < end:
        time.sleep(0.1)
        ranks = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(LIMIT) == 7, "it is a KeyboardInterrupt, whatever the launcher makes of it"
    assert len(ranks) >= 2
    _, alive = psutil.wait_procs(ranks, timeout=60)
    assert alive == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": 0}, "There cannot be 0 ranks"),
        ({"n": True}, "There cannot be True ranks"),
        ({"n": 2, "timeout": 0}, "leaves no time"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(options: dict, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        lab.ranks(faults.fine, **options)


def test_a_function_that_other_processes_cannot_find_is_refused() -> None:
    with pytest.raises(OptionError, match="at the top of a module"):
        lab.ranks(lambda: None, 2)
    with pytest.raises(OptionError, match="is no program"):
        lab.ranks(3, 2)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="There is no script"):
        lab.ranks("nothing.py", 2)


@pytest.mark.release
def test_a_cell_runs_as_ranks() -> None:
    good, names, bad = run_cells(
        "%%compile --ranks 2 --backend aot_eager --timeout 200 --into job\n"
        "import torch.distributed as dist\n"
        "from torch.distributed import _functional_collectives as collectives\n"
        "y = collectives.all_reduce(torch.ones(4) * 2, 'sum', dist.group.WORLD)",
        "print(list(job), len(job['rank 1'].graphs) > 0, job.is_whole)",
        "%%record --ranks 2 --timeout 200\nimport torch.distributed as dist\n"
        "if dist.get_rank():\n    raise ValueError('no such batch')\n"
        "dist.all_reduce(torch.ones(4))",
    )
    assert errors_of(good) == []
    assert "['rank 0', 'rank 1'] True True" in text_of(names)
    assert "UsageError: Rank 1 raised ValueError: no such batch at cell" in text_of(bad)
    assert html_of(bad)
