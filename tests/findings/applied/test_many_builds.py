"""Each kernel that a compiler built is counted, once; fused into fewer, there are fewer builds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.live, pytest.mark.slow]

PROGRAM = """
import json
import torch
import dynamo_lab as lab

def steps(x):
    for at in range(8):
        x = torch.sin(x * (0.5 + at))
    return x

def apart():
    x = torch.ones(16)
    for at in range(8):  # a function of its own for each: nothing is fused across them
        code = compile(f"def step(x): return torch.sin(x * {0.25 + at})", f"<step {at}>", "exec")
        space = {"torch": torch}
        exec(code, space)
        x = torch.compile(space["step"])(x)

def fused():
    torch.compile(steps)(torch.ones(16))

told = []
for run in (apart, apart, fused):
    torch._dynamo.reset()
    with lab.record() as recorder:
        run()
    recording = recorder.recording
    told.append([one.built_in for one in recording.kernels if one.language == "cpp"])
    told[-1].append("many-builds" in [one.rule for one in recording.findings])
print(json.dumps(told))
"""


def test_fused_kernels_take_fewer_builds(tmp_path: Path) -> None:
    around = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=around, cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    apart, again, fused = json.loads(ran.stdout.splitlines()[-1])
    assert len(apart) == len(again) == 8 + 1
    assert all(apart), "each was built, and most of the time was waiting for that"
    assert not any(again), "each had been built before"
    [built, is_found] = fused
    assert built
    assert not is_found
