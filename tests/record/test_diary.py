"""What a rank's diary takes of the processor: by a clock that the test moves."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.ranks.ranks import Place
from dynamo_lab.record.ranks import diary as room
from dynamo_lab.record.ranks.diary import Diary
from dynamo_lab.record.ranks.folder import JobFolder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def diary(tmp_path: Path) -> Diary:
    return Diary(Recorder("step"), JobFolder(tmp_path), 0, 2)


def test_it_looks_for_what_is_new_as_the_process_takes_time(
    diary: Diary, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = {"clock": 1000.0, "process": 10.0, "children": 0.0}
    states: list[float] = []
    monkeypatch.setattr(time, "monotonic", lambda: now["clock"])
    monkeypatch.setattr(time, "process_time", lambda: now["process"])
    monkeypatch.setattr(time, "thread_time", lambda: 0.1 * len(states))  # each takes a tenth
    monkeypatch.setattr(room.os, "times", lambda: SimpleNamespace(
        children_user=now["children"], children_system=0.0))  # fmt: skip

    def state() -> tuple[int, ...]:
        states.append(now["clock"])
        return ()

    monkeypatch.setattr(diary, "_state", state)

    def looks(**moved: float) -> int:
        before = len(states)
        for name, by in moved.items():
            now[name] += by
        for _ in range(9):
            diary._look()  # pyright: ignore[reportPrivateUsage]
        return len(states) - before

    assert looks() == 2  # a fiftieth of ten seconds is two tenths
    assert looks(clock=4.0) == 0  # other processes had the machine
    assert looks(process=5.0) == 1
    assert looks(children=5.0) == 1  # a compiler's
    assert looks(clock=6.0) == 1  # a process that waits takes no time, and is looked at still


@pytest.mark.parametrize(
    ("of_process", "cost"),
    [(0.0, 3.0), (0.02, 3.0), (1.0, 3.0), (0.0, 0.05), (1.0, 0.05), (4.0, 0.5)],
)
def test_it_takes_its_share_however_long_a_write_takes(
    diary: Diary, monkeypatch: pytest.MonkeyPatch, of_process: float, cost: float
) -> None:
    """Of a process that takes so many seconds of the processor by the second of the clock."""
    clock, spent, writes = 1000.0, 0.0, 0

    def write() -> None:
        nonlocal clock, spent, writes
        spent, clock, writes = spent + cost, clock + cost, writes + 1

    monkeypatch.setattr(time, "monotonic", lambda: clock)
    monkeypatch.setattr(time, "thread_time", lambda: spent)
    monkeypatch.setattr(time, "process_time", lambda: (clock - 1000.0) * of_process + spent)
    none = SimpleNamespace(children_user=0.0, children_system=0.0)
    monkeypatch.setattr(room.os, "times", lambda: none)
    monkeypatch.setattr(diary, "_state", lambda: (int(clock * 10),))  # it changes at each look
    monkeypatch.setattr(diary, "write", write)
    while clock < 3000.0:
        clock += 0.1
        diary._look()  # pyright: ignore[reportPrivateUsage]
    share = max(clock - 1000.0, time.process_time()) / 50
    assert writes > 10
    assert spent <= share + 2 * cost


@pytest.mark.parametrize("other", [Place("train.py", 2, "step"), None])
def test_it_rests_where_nothing_changes(
    diary: Diary, monkeypatch: pytest.MonkeyPatch, other: Place | None
) -> None:
    first, second = Place("train.py", 1, "step"), Place("train.py", 3, "step")
    places: list[Place | None] = [*[first] * 3, *[other] * 20, *[second] * 3]
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return not places

    monkeypatch.setattr(diary, "_closed", SimpleNamespace(wait=wait))
    monkeypatch.setattr(diary, "_look", lambda: None)
    monkeypatch.setattr(diary.rank, "sample", lambda: places.pop(0))
    diary.run()
    assert waits[:14] == [0.02] * 14
    assert waits[14:24] == [0.1] * 10  # also in no line of the user's, as a rank that is done
    assert waits[24:] == [0.02] * 3
    seen: Any = diary._folder.seen(0).read_bytes()  # pyright: ignore[reportPrivateUsage]
    assert b"train.py" in seen
