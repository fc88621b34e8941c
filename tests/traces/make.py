"""Writes a trace log of programs that show what a log can hold, with the PyTorch at hand.

    python tests/traces/make.py single FOLDER
    python tests/traces/make.py ranks FOLDER        # two processes on 127.0.0.1, gloo

PyTorch writes the log itself, as on anyone's machine: this only sets `TORCH_TRACE`. The logs that
are committed beside were made so, by several releases; `neutral.py` takes the paths of a machine
out of them.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PORT = "29517"


def main(kind: str, folder: str) -> None:
    """Make one kind of log."""
    ranks = 2 if kind == "ranks" else 1
    running = [_start(kind, folder, rank, ranks) for rank in range(ranks)]
    codes = [child.wait() for child in running]
    if any(codes):
        raise SystemExit(f"a process ended with {codes}")


def _start(kind: str, folder: str, rank: int, ranks: int) -> "subprocess.Popen[bytes]":
    chosen = {
        "TORCH_TRACE": folder,
        "TORCHINDUCTOR_CACHE_DIR": f"{folder}.cache{rank}",
        "RANK": str(rank),
        "WORLD_SIZE": str(ranks),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": PORT,
    }
    program = HERE / f"program_{kind}.py"
    return subprocess.Popen([sys.executable, str(program)], env={**os.environ, **chosen})


if __name__ == "__main__":
    main(*sys.argv[1:])
