"""One at a time on a device, among all processes of this machine that run a suite."""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

try:
    import fcntl
except ImportError:  # Windows, where the runner starts one process at a time
    fcntl = None

CAN_LOCK = fcntl is not None


@contextmanager
def alone(slot: str) -> Generator[None]:
    """Hold the lock of a device in the block. The system lets go of it if the process dies."""
    if fcntl is None:
        yield
        return
    name = re.sub(r"[^\w-]", "_", slot)
    path = Path(tempfile.gettempdir()) / f"dynamo-lab-{os.getuid()}-{name}.lock"
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
