"""The course of memory during a call, counted by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from dynamo_lab.capture.core.callers import callers_of
from dynamo_lab.measure.memory import peak_of
from dynamo_lab.measure.memory_course import course_of
from dynamo_lab.model.benchmarks import MemoryCourse

KB = 256 << 10


def chain(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    y = x @ w
    z = torch.softmax(y, -1)
    return (z * y).relu()


def course(work: Callable[[], object], *, with_lines: bool = True) -> MemoryCourse:
    found = course_of(work, lambda: callers_of(work)) if with_lines else course_of(work)
    assert found is not None
    return found


def operands(*, grad: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(256, 256), torch.randn(256, 256, requires_grad=grad)


def test_the_holders_of_the_peak_have_their_lines() -> None:
    x, w = operands()
    with torch.no_grad():
        found = course(lambda: chain(x, w))
        assert found.peak == peak_of(lambda: chain(x, w), "cpu")
    first = chain.__code__.co_firstlineno
    rows = {(one.operator, (one.line or 0) - first, one.bytes) for one in found.holders}
    assert rows == {("aten::mm", 1, KB), ("aten::_softmax", 2, KB), ("aten::mul", 3, KB)} | {
        row for row in rows if row[0] == "aten::relu"
    }
    assert {Path(one.path).name for one in found.holders} == {Path(__file__).name}


def test_a_step_has_lines_too() -> None:
    x, w = operands(grad=True)

    def step() -> None:
        total: Any = chain(x, w).sum()
        total.backward()

    step()
    found = course(step)
    assert found.peak == peak_of(step, "cpu")
    assert sum(one.bytes for one in found.holders) == found.peak
    assert all(one.line for one in found.holders)


def test_without_lines_the_operators_are_as_the_profiler_names_them() -> None:
    x, w = operands()
    found = course(lambda: chain(x, w), with_lines=False)
    assert {one.line for one in found.holders} == {None}
    assert {one.operator for one in found.holders} >= {"aten::matmul", "aten::softmax"}


def test_other_operators_in_the_second_call_leave_lines_out() -> None:
    x, w = operands()
    turns = iter(range(9))

    def changing() -> torch.Tensor:
        return x + w if next(turns) % 2 else x @ w

    assert {one.line for one in course(changing).holders} == {None}


def test_many_points_keep_the_highest() -> None:
    x, _ = operands()

    def many() -> None:
        for _ in range(1000):
            x.relu()
        chain(x, x)

    found = course(many)
    assert len(found.at) <= 301
    assert max(found.bytes) == found.peak
    assert 0 <= min(found.at) <= max(found.at) <= 1
