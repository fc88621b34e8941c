"""How much memory is free, from files as systems write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.measure.free_memory import free_memory

if TYPE_CHECKING:
    from pathlib import Path

MACHINE = {"proc/meminfo": "MemTotal: 900 kB\nMemFree: 1 kB\nMemAvailable:    800 kB\n"}


def system(root: Path, files: dict[str, str]) -> Path:
    """A system with these files."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_without_groups_it_is_the_machines(tmp_path: Path) -> None:
    assert free_memory(system(tmp_path, MACHINE)) == 800 << 10


def test_a_limit_of_a_group_or_of_one_above_holds(tmp_path: Path) -> None:
    files = {
        **MACHINE,
        "proc/self/cgroup": "0::/a/b\n",
        "sys/fs/cgroup/a/memory.max": "5000\n",
        "sys/fs/cgroup/a/memory.current": "4000\n",
        "sys/fs/cgroup/a/memory.stat": "file 9\ninactive_file 500\n",
        "sys/fs/cgroup/a/b/memory.max": "max\n",
        "sys/fs/cgroup/a/b/memory.current": "10\n",
    }
    assert free_memory(system(tmp_path, files)) == 1500


def test_groups_of_the_first_version(tmp_path: Path) -> None:
    """In a container, the path is often that outside of it."""
    files = {
        **MACHINE,
        "proc/self/cgroup": "4:memory:/docker/1\n0::/\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "1000\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "3000\n",
    }
    assert free_memory(system(tmp_path, files)) == 0


def test_a_system_without_such_files(tmp_path: Path) -> None:
    found = free_memory(tmp_path)
    assert found is None or found > 0
