"""Facts of a computer: its processor, the versions of installed packages."""

import importlib.metadata
import os
import platform
import re
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")


def version_of(distribution: str) -> str:
    """The installed version of a package, by its name on PyPI; empty if there is none."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def processor() -> str:
    """The processor's name, as the system reports it."""
    found = re.search(r"^model name\s*:\s*(.+)$", text_of(CPUINFO), re.MULTILINE)
    return found[1].strip() if found else platform.processor()


def system() -> str:
    """The operating system and the processor's family: "Linux x86_64"."""
    return f"{platform.system()} {platform.machine()}"


def text_of(path: Path) -> str:
    """The text of a system file; empty if it cannot be read."""
    try:
        return path.read_text()
    except OSError:
        return ""


def cores() -> int:
    """How many cores this process may run on; 0 where that is not known."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 0
