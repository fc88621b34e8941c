"""What a module of tests prints under Triton's interpreter, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def results_of(module: str) -> Any:
    """The JSON that it prints; Triton reads the variable once, at its import."""
    done = subprocess.run(
        [sys.executable, "-m", module],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
