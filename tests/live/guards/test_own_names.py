"""What a wrapper calls `args[0]` has one name in all that is said of a recompilation."""

import functools
from types import MethodType
from typing import Any

import pytest
import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.view import build


def test_a_size_of_a_wrapped_module_is_known_to_be_dynamic() -> None:
    torch._dynamo.reset()
    compiled = torch.compile(nn.Linear(4, 4), backend="eager")
    with lab.record() as recorder:
        for rows in (2, 3):
            compiled(torch.ones(rows, 4))
    (told,) = build(recorder.recording).guards.recompiles
    assert told.causes[0].text == "`input.shape[0]` was 2, now 3"
    assert told.causes[0].remedies[0].text.startswith("From here on `input.shape[0]` is dynamic")
    assert told.changes is not None
    assert any("`input.shape[0]` is dynamic now" in text for text in told.changes.symbols)


class Scaled:
    def __init__(self) -> None:
        self.by = 2

    @torch.no_grad()
    def decorated(this, x: torch.Tensor) -> torch.Tensor:
        return x * this.by

    def plain(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.by


class Module(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.by = 2

    @torch.no_grad()
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.by


@pytest.mark.parametrize("case", ["decorated", "around", "module"])
def test_the_object_of_a_method_in_a_wrapper_has_the_methods_name(case: str) -> None:
    torch._dynamo.reset()
    held: Any = Module() if case == "module" else Scaled()
    ways = {"decorated": lambda: held.decorated, "around": lambda: torch.no_grad()(held.plain)}
    compiled = torch.compile(ways.get(case, lambda: held)(), backend="eager")
    with lab.record() as recorder:
        for held.by in (2, 3):
            compiled(torch.ones(2))
    name = "this" if case == "decorated" else "self"
    (told,) = build(recorder.recording).guards.recompiles
    assert told.causes[0].text == f"`{name}.by` was 2, now 3"
    assert told.failures == (("0/0", f"{name}.by == 2"),)
    assert recorder.recording.frames[told.frame].parameters == ("x",)


def test_a_method_that_has_no_name_is_recorded_in_a_wrapper() -> None:
    torch._dynamo.reset()
    method = MethodType(functools.partial(torch.mul, other=2), torch.ones(2))
    recording = lab.explore(torch.no_grad()(method), backend="eager")
    assert recording.notes == ()
    assert recording.frames[0].outcome == "compiled"


class Calling(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.my_fn = Scaled()

    @torch.no_grad()
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.my_fn.plain(x)


def test_a_name_that_ends_like_a_wrappers_stays_as_it_is() -> None:
    torch._dynamo.reset()
    module = Calling()
    compiled = torch.compile(module, backend="eager")
    with lab.record() as recorder:
        for module.my_fn.by in (2, 3):
            compiled(torch.ones(2))
    (told,) = build(recorder.recording).guards.recompiles
    assert told.failures == (("0/0", "self.my_fn.by == 2"),)
