"""Rows of a benchmark: each printed when it is known, none begun too late, in a fresh process."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from tests.benchmarks.core.ratio import Line

LIMIT = 340
"""Seconds after which no further row is begun."""

Row = TypeVar("Row")


def printed(
    works: Mapping[str, Callable[[], Row]], seconds: float, text: Callable[[Row], str] = str
) -> list[Row]:
    """What each work returns; one that fails is told, and the others are still measured.

    Args:
        works: what measures a row, by name.
        seconds: after so many, no further row is begun; those are told by name.
        text: how a row is printed.
    """
    end, found, left = time.monotonic() + seconds, list[Row](), list[str]()
    for name, work in works.items():
        if time.monotonic() > end:
            left.append(name)
            continue
        try:
            found.append(work())
        except Exception as error:  # of one row, whatever it is
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
        else:
            print(text(found[-1]), flush=True)
    if left:
        print(f"not measured within {seconds:.0f} s: {', '.join(left)}", flush=True)
    return found


def ratio_text(line: Line) -> str:
    """A ratio with its quartiles and verdict."""
    value = line.value
    return f"{value.median:6.3f} ({value.low:.3f} to {value.high:.3f}) {line.verdict:4} {line.name}"


def run_alone(module: str, arguments: Sequence[str], threads: int) -> None:
    """Run a benchmark's module in a process of its own, with so many threads.

    Inductor writes the number of threads into its code, and its cache would hand back the code of
    another number: so this process has an empty one.
    """
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", module, *arguments],
            env={
                **os.environ,
                "OMP_NUM_THREADS": str(threads),
                "TORCHINDUCTOR_CACHE_DIR": folder,
            },
            check=True,
        )
