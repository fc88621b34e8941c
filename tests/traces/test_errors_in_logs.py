"""An error of the program in a log is that error; a break under `fullgraph=True` is a break."""

import subprocess
import sys

import pytest

import dynamo_lab as lab
from dynamo_lab.view import build

PROGRAM = """
import torch

@torch.compile(backend="eager")
def misfit(x):
    return x.view(7)

@torch.compile(backend="eager")
def other(x):
    return x.sin().view(5)

@torch.compile(backend="eager", fullgraph=True)
def whole(x):
    torch._dynamo.graph_break()
    return x + 1

for fn in (misfit, other, whole):
    try:
        fn(torch.ones(4))
    except Exception:
        pass
"""


@pytest.mark.slow
@pytest.mark.live
def test_errors_of_the_program_are_told_apart_from_breaks(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM, encoding="utf-8")
    trace = tmp_path / "trace"
    environment = {"TORCH_TRACE": str(trace), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run([sys.executable, str(script)], env=environment, check=True, timeout=300)
    recording = lab.open_trace(trace)
    assert isinstance(recording, lab.Recording)
    assert [item.gb_type for item in recording.breaks] == ["Call to `torch._dynamo.graph_break()`"]
    assert [frame.outcome for frame in recording.frames] == ["failed"] * 3
    sentence = build(recording).summary.sentence
    assert "shape '[7]' is invalid for input of size 4, at line 6" in sentence
    assert "2 more frames failed: `other` and `whole`" in sentence
    assert "most went into" in sentence
