"""Whether others took the cores while something was timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dynamo_lab.measure import machine

if TYPE_CHECKING:
    from pathlib import Path


class System:
    """A system whose counters are set: nanoseconds that a thread waited, ticks of the cores."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.told(waited=0, used=0)

    def told(self, *, waited: int, used: int) -> None:
        """What it tells from now on."""
        task = self._folder / "1"
        task.mkdir(exist_ok=True)
        (task / "schedstat").write_text(f"5 {waited} 1\n")
        self.stat.write_text(f"cpu  {used} 0 0 0 0 0 0 0 0 0\n")

    @property
    def stat(self) -> Path:
        """The counters of the cores."""
        return self._folder.parent / "stat"


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> System:
    """Counters of ours, a clock that goes on by ten seconds, and no processor time of our own."""
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    made = System(tasks)
    clock = iter(range(0, 100, 10))
    monkeypatch.setattr(machine, "_TASKS", tasks)
    monkeypatch.setattr(machine, "_STAT", made.stat)
    monkeypatch.setattr(machine.os, "sysconf", {"SC_CLK_TCK": 100}.__getitem__)
    monkeypatch.setattr(machine.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(machine.time, "process_time", lambda: 0.0)
    return made


@pytest.mark.parametrize(
    ("waited", "others", "busy"),
    [(0.0, 0.0, False), (5.0, 5.0, True), (0.1, 9.0, False), (9.0, 0.1, False)],
    ids=["idle", "in turns", "on other cores", "own threads alone"],
)
def test_it_waited_for_a_core_that_others_had(
    system: System, monkeypatch: pytest.MonkeyPatch, waited: float, others: float, busy: bool
) -> None:
    monkeypatch.setattr(machine, "load", lambda: 0.0 if busy else 1000.0)  # of the minute before
    watched = machine.Watched()
    system.told(waited=int(waited * 1e9), used=int(others * 100))
    assert watched.was_busy() is busy


@pytest.mark.parametrize("load", [0.0, 1000.0])
def test_a_system_that_does_not_tell_has_its_load_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, load: float
) -> None:
    monkeypatch.setattr(machine, "_TASKS", tmp_path / "none")
    monkeypatch.setattr(machine, "load", lambda: load)
    assert machine.Watched().was_busy() is bool(load)
