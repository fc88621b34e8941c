"""What is said where Python's own functions and values break the graph."""

import functools
import time
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch._dynamo

import dynamo_lab as lab
from dynamo_lab.view import build
from dynamo_lab.view.breaks.breaks import BreakView


def breaks_of(fn: Callable[..., Any], *args: Any, **options: Any) -> tuple[BreakView, ...]:
    torch._dynamo.reset()
    return build(lab.explore(fn, *args, backend="eager", **options)).breaks


@functools.singledispatch
def doubled(value: Any) -> Any:
    return value * 2


@doubled.register
def _(value: float) -> float:
    return value + value


def test_a_tuple_is_no_iterator_that_a_tuple_could_be_made_of() -> None:
    (found,) = breaks_of(lambda x: x + doubled(2.0), torch.ones(3))
    assert found.title == "container that Dynamo cannot loop over"
    assert not any("Make a list or a tuple" in text for text in found.advice)


def test_the_text_of_a_number_is_not_that_of_a_tensor() -> None:
    def told(x: torch.Tensor, n: int) -> tuple[torch.Tensor, str]:
        return x * n, str(n)

    (found,) = breaks_of(told, torch.ones(3), 4, dynamic=True)
    assert found.title == "dynamic number as text"
    assert not any("tensor" in text for text in found.advice)
    (found,) = breaks_of(lambda x: (x, str(x)), torch.ones(3))
    assert found.title == "tensor as text"


class Table:
    @functools.cached_property
    def rows(self) -> torch.Tensor:
        return torch.arange(3) * 2


def test_nobody_is_asked_to_enter_a_lock_of_a_library() -> None:
    found = breaks_of(lambda x, table: x + table.rows, torch.ones(3), Table())
    locks = [one for one in found if one.title == "context manager"]
    for one in locks:  # Python has had no such lock since 3.12
        (advice,) = one.advice
        assert advice.startswith("This is code of Python's `functools`, not yours")


class Timer:
    def __enter__(self) -> float:
        return time.perf_counter()

    def __exit__(self, *_: object) -> None:
        pass


def test_a_clock_is_no_extension_and_moving_a_break_helps_no_frame_that_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def timed(x: torch.Tensor) -> torch.Tensor:
        with Timer():
            return x.sin() + 1

    found = next(one for one in breaks_of(timed, torch.ones(3)) if one.title == "clock")
    assert found.effect == "skipped"
    assert not any("third-party" in text for text in found.advice)
    assert [one.name for one in found.fixes] == []
    monkeypatch.setattr(Timer, "__enter__", torch.compiler.disable(Timer.__enter__))
    assert any(one.effect == "skipped" for one in breaks_of(timed, torch.ones(3))), "no help"
