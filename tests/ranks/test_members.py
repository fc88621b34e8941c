"""Groups that a program makes, and those that a rank is not in: nothing is compiled."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.core.undo import Undo
from dynamo_lab.capture.ranks import flight, plan
from dynamo_lab.capture.ranks.members import MemberProbes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MARK = dist.GroupMember.NON_GROUP_MEMBER


class Outside:
    """What is called on groups that a rank is not in, and whether the recorder was locked then."""

    def __init__(self, lock: Any) -> None:
        self._lock = lock
        self.names: list[tuple[str, bool]] = []

    def called(self, name: str) -> None:
        free: list[bool] = []
        other = threading.Thread(target=lambda: free.append(self._lock.acquire(blocking=False)))
        other.start()
        other.join()
        self.names.append((name, not free[0]))


@pytest.fixture
def watched() -> Iterator[tuple[Recorder, Outside]]:
    recorder, undo = Recorder("step"), Undo()
    outside = Outside(recorder.lock)
    recorder.rank = SimpleNamespace(outside=outside)  # type: ignore[assignment]
    try:
        patches = Patches(recorder.note_failure, recorder.lock, undo)
        MemberProbes(recorder, undo).install(patches)
        yield recorder, outside
    finally:
        undo.run()


class Named(DistributedDataParallel):
    """It takes a group by another name than the class that it is made of."""

    def __init__(self, model: torch.nn.Module, group: Any) -> None:
        super().__init__(model, process_group=group)


def test_a_module_of_a_class_with_arguments_of_its_own_is_seen(
    watched: tuple[Recorder, Outside],
) -> None:
    recorder, outside = watched
    with pytest.raises(Exception):  # noqa: B017, PT011 - PyTorch's own, of each release another
        Named(torch.nn.Linear(2, 2), MARK)
    assert outside.names == [("DistributedDataParallel", True)]
    assert recorder.notes == []


def test_a_warning_is_heard_as_probes_are(watched: tuple[Recorder, Outside]) -> None:
    recorder, outside = watched
    with pytest.warns(UserWarning, match="does not belong to"):
        dist.all_reduce(torch.ones(2), group=MARK)
    assert outside.names == [("all_reduce", True)]
    assert recorder.notes == []


def ran(program: Callable[[], Any]) -> tuple[Any, Recorder]:
    """A rank of four for which a program was planned."""
    recorder, undo = Recorder("step"), Undo()
    planned = plan.PlannedRank(recorder, 1, 4)
    try:
        planned.install(undo)
        planned.run(program)
    finally:
        undo.run()
    return planned.freeze(), recorder


@pytest.mark.parametrize(
    "ranks", [lambda: (at for at in range(3)), lambda: np.arange(3), lambda: [2, 0, 1]]
)
def test_a_group_has_its_ranks_in_whatever_they_are_given(ranks: Callable[[], Any]) -> None:
    rank, recorder = ran(lambda: dist.new_group(ranks()))
    assert [sorted(one.ranks) for one in rank.made] == [[0, 1, 2]]
    assert sorted(one.ranks for one in rank.groups) == [(0, 1, 2), (0, 1, 2, 3)]
    msgspec.json.encode(rank)  # which knows no numbers of NumPy
    assert recorder.notes == []


def test_what_fails_in_noting_a_group_does_not_reach_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_: Any) -> None:
        raise RuntimeError("no stack")

    monkeypatch.setattr(plan, "stack_of", fails)
    rank, recorder = ran(lambda: dist.new_group([0, 1]))
    assert (0, 1) in [one.ranks for one in rank.groups]
    assert ["no stack" in note.message for note in recorder.notes] == [True]


def test_a_group_has_its_ranks_in_its_own_order(monkeypatch: pytest.MonkeyPatch) -> None:
    group = object()
    world = SimpleNamespace(pg_group_ranks={group: {0: 1, 2: 0}}, pg_names={group: "1"})
    monkeypatch.setattr(dist, "is_initialized", lambda: True)
    row = SimpleNamespace(exists=True, get=lambda: world)
    monkeypatch.setattr(flight.hooks, "WORLD", row)
    (found,) = flight.groups()
    assert found.ranks == (2, 0)
