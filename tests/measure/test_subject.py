"""What a program computes is named alike, call after call."""

from __future__ import annotations

from typing import Any, cast

import pytest
import torch

from dynamo_lab.measure.subject import Subject
from dynamo_lab.record.cells import build_frame
from dynamo_lab.record.reach import stored_by_cell


def test_a_step_names_what_it_writes_in_the_same_place_each_time() -> None:
    model = torch.nn.BatchNorm1d(4)
    subject = Subject(model, (torch.randn(8, 4),), {}, dict(model.named_parameters()))
    before = {name: value.clone() for name, value in model.named_buffers()}

    def has_changed(tensor: torch.Tensor) -> bool:
        return any(
            tensor is value and not value.equal(before[name])
            for name, value in model.named_buffers()
        )

    first = subject.observe(model, "step", has_changed)
    assert "buffer running_mean after the call" in first
    assert list(first) == list(subject.results(model, "step"))


def test_what_a_cell_computes_are_the_names_that_it_gives() -> None:
    namespace: dict[str, object] = {"x": torch.ones(3), "torch": torch}
    cell = build_frame("p = x + 1\nq = p, x.sum()\nn = 3\np * 2", "cell", namespace)
    wrong = build_frame("p = x + 2\nq = p, x.sum()\nn = 3\np * 2", "cell", namespace)
    fn = cell.function(namespace)
    subject = Subject(fn, (), {}, {}, stored=stored_by_cell(fn))
    found = subject.results(fn, "forward")
    assert list(found) == ["output", "`p`", "`q` 1"], "q's first is p"
    assert found["`p`"].equal(torch.full((3,), 2.0))
    assert subject.results(wrong.function(namespace), "forward")["`p`"].equal(torch.full((3,), 3.0))
    assert subject.exact() is None, "its variables stay in float32"


def test_the_globals_of_a_function_are_no_results() -> None:
    space: dict[str, object] = {"x": torch.ones(3)}
    exec("def fn():\n    global y\n    y = x + 1\n    return y * 2", space)
    fn = cast("Any", space["fn"])
    subject = Subject(fn, (), {}, {}, stored=stored_by_cell(fn))
    assert list(subject.results(subject.fn, "forward")) == ["output"]


def test_only_a_forward_whose_error_asks_for_gradients_gets_them() -> None:
    weight = torch.ones(2, requires_grad=True)
    calls: list[str] = []

    def train() -> torch.Tensor:
        calls.append("train")
        try:
            torch.autograd.backward((weight * 2).sum())
        except RuntimeError as error:
            raise ValueError("this step failed") from error
        return weight.detach()

    subject = Subject(train, (), {}, {})
    subject.first_call("forward")()
    assert (calls, subject.takes_gradients) == (["train", "train"], True)


def test_a_program_that_fails_runs_once() -> None:
    calls: list[str] = []

    def fails_once() -> None:
        calls.append("called")
        if len(calls) == 1:
            raise MemoryError("out of memory")

    subject = Subject(fails_once, (), {}, {})
    with pytest.raises(MemoryError):
        subject.first_call("forward")()
    assert (calls, subject.takes_gradients) == (["called"], False)


def test_a_step_has_gradients_and_is_never_called_again_for_them() -> None:
    calls: list[str] = []

    def detached(x: torch.Tensor) -> torch.Tensor:
        calls.append("called")
        torch.autograd.backward(x.detach().sum())
        return x

    subject = Subject(detached, (torch.ones(2),), {}, {})
    with pytest.raises(RuntimeError, match="does not require grad"):
        subject.first_call("step")()
    assert (calls, subject.takes_gradients) == (["called"], False)
