"""The command in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def dynamo_lab(*arguments: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """`dynamo-lab ARGUMENTS`, run in `folder` with these variables in its environment."""
    return subprocess.run(
        [sys.executable, "-m", "dynamo_lab", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
