"""A print in what is compiled into another function: put off until after the graph, it is lost."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import torch
from torch._dynamo import config

import dynamo_lab as lab
from dynamo_lab.view import build


class Prints(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.exp()

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> torch.Tensor:
        print("inlined")
        return gradients[0] * 2


def prints_in_the_backward(x: torch.Tensor) -> torch.Tensor:
    return Prints.apply(x).sum()


def helper(x: torch.Tensor) -> torch.Tensor:
    print("inlined")
    return x.sin()


def prints_in_a_helper(x: torch.Tensor) -> torch.Tensor:
    return helper(x).sum()


@pytest.mark.parametrize("fn", [prints_in_the_backward, prints_in_a_helper])
def test_a_print_of_an_inlined_function_is_not_put_off_as_it_would_be_lost(
    fn: Any, capsys: Any
) -> None:
    x = torch.ones(4, requires_grad=True)
    recording = lab.explore(fn, x, backend="aot_eager")
    for item in recording.breaks:
        assert item.fixes[0].name == "remove the call"
        assert not any("reorderable" in fix.name for fix in item.fixes)
    assert not any("reorderable" in text for one in build(recording).breaks for text in one.advice)
    capsys.readouterr()
    with config.patch(reorderable_logging_functions={print}):
        torch._dynamo.reset()
        torch.compile(fn, backend="aot_eager")(x).backward()
    assert "inlined" not in capsys.readouterr().out, "why it is not offered"


class Late(torch.autograd.Function):
    """What is said in the forward can be said after the call."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        print("there")
        return x.exp()

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> torch.Tensor:
        return gradients[0] * 2


class Logged(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.exp()

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> torch.Tensor:
        return note(gradients[0]) * 2


def note(gradient: torch.Tensor) -> torch.Tensor:
    log.info("deep")
    return gradient


log = logging.getLogger("of_a_backward")


def _advice(function: Any) -> tuple[str, ...]:
    def fn(x: torch.Tensor) -> torch.Tensor:
        return function.apply(x).sum()

    recording = lab.explore(fn, torch.ones(4, requires_grad=True), backend="aot_eager")
    return build(recording).breaks[0].advice


def test_what_a_backward_says_is_not_advised_to_be_moved_after_the_call() -> None:
    for function, name in ((Prints, "Prints"), (Logged, "Logged")):
        first, *others = _advice(function)
        assert f"The `backward` of `{name}` runs it" in first
        assert "register_hook" in first
        assert not any("Move the call" in text for text in (first, *others))
    assert _advice(Late)[0].startswith("Move the call out")


def test_the_hook_that_is_advised_is_called_and_breaks_nothing() -> None:
    seen: list[torch.Tensor] = []

    def quiet(x: torch.Tensor) -> torch.Tensor:
        return x.exp() * 2

    with lab.record() as recorder:
        out = torch.compile(quiet, backend="aot_eager")(torch.ones(4, requires_grad=True))
        out.register_hook(lambda gradient: seen.append(gradient))
        out.sum().backward()
    assert len(seen) == 1
    assert recorder.recording.breaks == ()
