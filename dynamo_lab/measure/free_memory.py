"""Free memory: how much a process may still take, of the machine or of its share of it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_CGROUPS = (
    ("", "memory.max", "memory.current", "inactive_file"),
    ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
"""For each version: where groups are, the files with the limit and the usage, and how much of it is
inactive file cache, which can be freed."""


def free_memory(root: Path = Path("/")) -> int | None:
    """Bytes of main memory that are free for this process; None where that is not known."""
    free = [*_of_the_machine(root), *_of_groups(root)]
    return max(0, min(free)) if free else None


def _of_the_machine(root: Path) -> Iterator[int]:
    found = re.search(r"^MemAvailable:\s*(\d+) kB", _text(root / "proc/meminfo"), re.MULTILINE)
    if found:
        yield int(found[1]) << 10
        return
    names = getattr(os, "sysconf_names", {})
    for pages in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):  # Apple reports only the total
        if pages in names:
            yield os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")
            return


def _of_groups(root: Path) -> Iterator[int]:
    """What is left in each control group that the process is in; a group is in those above it."""
    own = _text(root / "proc/self/cgroup")
    for folder, limit, used, files in _CGROUPS:
        found = re.search(rf"^\d+:{folder}:/(.*)$", own, re.MULTILINE)
        top = root / "sys/fs/cgroup" / folder
        group = Path(found[1]) if found else Path()
        for place in (group, *group.parents):
            most, taken = _text(top / place / limit), _text(top / place / used)
            idle = re.search(rf"^{files} (\d+)$", _text(top / place / "memory.stat"), re.MULTILINE)
            if most.isdecimal() and taken.isdecimal():
                yield int(most) - int(taken) + (int(idle[1]) if idle else 0)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""
