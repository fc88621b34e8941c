"""Workers that behave badly: each is a small script in the place of the real one."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from dynamo_lab.suite.jobs import Job
from dynamo_lab.suite.results import Case
from dynamo_lab.suite.supervisor import Limits, memory_of, supervise

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.suite.results import Result

CASES = tuple(Case("m", "inference", p) for p in ("float32", "amp"))
JOB = Job(model="m", cases=CASES)
FREELY = Limits()

START = """
import json, os, signal, sys, time
job = json.load(open(sys.argv[1]))
def say(**event):
    with open(sys.argv[2], "a") as file:
        print(json.dumps(event), file=file)
def step(case, name):
    say(type="step", case=case, name=name)
def done(case):
    say(type="done", result={"case": case, "verdict": "pass"})
for case in job["cases"]:
    bad = case["precision"] == "float32"
    step(case, "compiling")
"""


def run(folder: Path, body: str, limits: Limits = FREELY, job: Job = JOB) -> list[Result]:
    script = folder / "worker.py"
    script.write_text(START + "".join(f"    {line}\n" for line in body.strip().split("\n")))
    return list(supervise(job, limits, {}, command=(sys.executable, str(script))))


def test_a_good_worker_says_all(tmp_path: Path) -> None:
    found = run(tmp_path, "done(case)")
    assert [(one.case, one.verdict) for one in found] == [(case, "pass") for case in CASES]


def test_a_signal_costs_the_case_at_hand_alone(tmp_path: Path) -> None:
    body = """
print("about to fall", flush=True)
bad and os.kill(os.getpid(), signal.SIGSEGV)
done(case)
"""
    crashed, passed = run(tmp_path, body)
    assert (crashed.case, crashed.verdict) == (CASES[0], "crashed")
    assert crashed.reason == "signal SIGSEGV, while compiling: about to fall"
    assert (passed.case, passed.verdict) == (CASES[1], "pass")


def test_an_exit_without_a_word_is_a_crash(tmp_path: Path) -> None:
    found = run(tmp_path, "sys.exit(3)")
    assert [one.verdict for one in found] == ["crashed", "crashed"]
    assert found[0].reason == "exit code 3, while compiling: no message"


def test_what_hangs_is_ended_and_waiting_does_not_count(tmp_path: Path) -> None:
    body = """
if bad:
    time.sleep(60)
step(case, "waiting")
time.sleep(2.5)
step(case, "timing")
done(case)
"""
    slow, patient = run(tmp_path, body, Limits(seconds=2.0))
    assert (slow.verdict, slow.reason) == (
        "timed out",
        "more than 2 s, the last of them compiling",
    )
    assert patient.verdict == "pass"


def test_what_eats_memory_is_ended(tmp_path: Path) -> None:
    body = """
if bad:
    kept = bytearray(b"x") * (300 << 20)
    time.sleep(60)
done(case)
"""
    greedy, modest = run(tmp_path, body, Limits(memory=150 << 20))
    assert greedy.verdict == "out of memory"
    assert "of 0.1 GiB of main memory while compiling" in greedy.reason
    assert modest.verdict == "pass"


def test_a_result_told_before_the_end_is_kept(tmp_path: Path) -> None:
    found = run(tmp_path, "done(case)\nos._exit(1)")
    assert [one.verdict for one in found] == ["pass", "pass"]


def test_stopping_ends_the_process_and_leaves_no_result(tmp_path: Path) -> None:
    script = tmp_path / "worker.py"
    script.write_text("import time; time.sleep(60)")
    answers = iter([False, False, True, True])
    found = supervise(
        JOB,
        Limits(),
        {},
        command=(sys.executable, str(script)),
        is_stopped=lambda: next(answers, True),
    )
    assert list(found) == []


def test_the_environment_and_a_cache_of_its_own_reach_the_worker(tmp_path: Path) -> None:
    body = """
assert os.environ["TORCHINDUCTOR_CACHE_DIR"].startswith(os.path.dirname(sys.argv[1]))
done(case)
"""
    assert run(tmp_path, body, job=replace(JOB, cases=CASES[:1]))[0].verdict == "pass"


@pytest.mark.parametrize(("name", "stays"), [("dynamo-lab-suite-x1", False), ("mine", True)])
def test_a_worker_that_is_left_alone_takes_its_folder_along(
    tmp_path: Path, name: str, stays: bool
) -> None:
    (tmp_path / name / "inductor").mkdir(parents=True)
    (tmp_path / name / "inductor" / "kernel.py").touch()
    body = (
        "import pathlib, sys; from dynamo_lab.suite import worker;"
        "worker._die_with_parent(pathlib.Path(sys.argv[1]))"
    )
    command = [sys.executable, "-c", body, str(tmp_path / name)]
    assert subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode == 1
    assert (tmp_path / name / "inductor" / "kernel.py").exists() == stays
    assert (tmp_path / name).exists() == stays


@pytest.mark.parametrize("pid", [-5, 0])
def test_memory_that_cannot_be_told_is_none(pid: int) -> None:
    assert memory_of(pid) == 0
