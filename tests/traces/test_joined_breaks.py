"""Of a log too, a break may go on in what appeared after another one."""

import subprocess
import sys

import pytest

import dynamo_lab as lab
from dynamo_lab.view import build

PROGRAM = """
import torch

@torch.compile(backend="eager")
def f(x, early):
    x = x + 1
    if early:
        print("early")
    x = x * 3
    print("both")
    return x * 2

f(torch.ones(3), True)
f(torch.ones(3), False)
"""


@pytest.mark.slow
@pytest.mark.live
def test_a_break_of_another_call_goes_on_in_what_the_first_one_made(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM, encoding="utf-8")
    trace = tmp_path / "trace"
    environment = {"TORCH_TRACE": str(trace), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run([sys.executable, str(script)], env=environment, check=True, timeout=300)
    recording = lab.open_trace(trace)
    _, first, second = recording.breaks
    assert (first.joins, second.resume_frames) == ((), ())
    assert second.joins == first.resume_frames != ()
    told = build(recording).stories[second.id].then
    assert told.endswith("which resumes after another break too.")
