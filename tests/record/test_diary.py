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


def test_it_rests_on_a_line_that_stays(diary: Diary, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Place("train.py", 1, "step"), Place("train.py", 2, "step")
    places = [first] * 20 + [second] * 3
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return not places

    monkeypatch.setattr(diary, "_closed", SimpleNamespace(wait=wait))
    monkeypatch.setattr(diary, "_look", lambda: None)
    monkeypatch.setattr(diary.rank, "sample", lambda: places.pop(0))
    diary.run()
    assert waits[:11] == [0.02] * 11
    assert waits[11:20] == [0.1] * 9
    assert waits[-3:] == [0.02] * 3
    seen: Any = diary._folder.seen(0).read_bytes()  # pyright: ignore[reportPrivateUsage]
    assert b"train.py" in seen
