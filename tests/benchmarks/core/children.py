"""Measurements in fresh processes, so that none warms up another."""

import compileall
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import dynamo_lab


def measure(*arguments: str, kept: list[float] | None = None, **variables: str) -> float:
    """The number that `python <arguments>` prints last, started with empty compile caches.

    The one before it is added to `kept`. `variables` go into its environment. Our modules are byte
    code, as pip installs them: to compile them takes half a second, more than a recording.
    """
    compileall.compile_dir(Path(dynamo_lab.__file__).parent, quiet=1, maxlevels=5)
    with tempfile.TemporaryDirectory(prefix="dynamo_lab_bench_") as folder:
        cold = {
            "TORCHINDUCTOR_CACHE_DIR": str(Path(folder) / "inductor"),
            "TRITON_CACHE_DIR": str(Path(folder) / "triton"),
            "DYNAMO_LAB_CACHE": str(Path(folder) / "lab"),
        }
        done = subprocess.run(
            [sys.executable, *arguments],
            env={**os.environ, "HF_HUB_OFFLINE": "1", **cold, **variables},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
    numbers = done.stdout.split()
    if kept is not None:
        kept.append(float(numbers[-2]))
    return float(numbers[-1])
