"""What a computer says of itself: its processor, the versions of what is installed."""

import importlib.metadata
import platform
import re
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")


def version_of(distribution: str) -> str:
    """The installed version of a package, by its name on PyPI; empty where there is none."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def processor() -> str:
    """The processor's name, as the system tells it."""
    found = re.search(r"^model name\s*:\s*(.+)$", text_of(CPUINFO), re.MULTILINE)
    return found[1].strip() if found else platform.processor()


def system() -> str:
    """The operating system and the processor's family: "Linux x86_64"."""
    return f"{platform.system()} {platform.machine()}"


def text_of(path: Path) -> str:
    """The text of a file by which the system tells something; empty where it does not."""
    try:
        return path.read_text()
    except OSError:
        return ""
