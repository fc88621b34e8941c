"""One and the same kernel as Triton and as Metal computes what eager computes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.compiler.programs import CASES, DOUBLE

HAS_TRITON = find_spec("triton") is not None
IN_CHUNKS = [name for name in CASES | DOUBLE if "long" not in name]


@pytest.fixture(scope="module")
def interpreted():
    """What Triton's interpreter finds wrong with each program."""
    if not HAS_TRITON:
        pytest.skip("needs Triton")
    done = subprocess.run(
        [sys.executable, "-m", "tests.compiler.interpreted"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", CASES | DOUBLE)
def test_triton(name, interpreted):
    assert interpreted[name] == ""


@pytest.mark.parametrize("name", IN_CHUNKS)
def test_triton_with_rows_in_chunks(name, interpreted):
    assert interpreted[f"{name} in chunks"] == ""
