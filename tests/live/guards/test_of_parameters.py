"""Parameters that change: neither `dynamic=True` nor a mark makes their sizes dynamic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.view import build
from dynamo_lab.view.guards.compilations import recompilations

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.live


def applied(model: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    return model(x).sum()


def weighed(weight: torch.nn.Parameter, x: torch.Tensor) -> torch.Tensor:
    return x * weight


def of_models() -> Iterator[tuple[Any, ...]]:
    for width in (5, 6, 7, 8):
        yield torch.nn.Sequential(torch.nn.Linear(3, width), torch.nn.ReLU()), torch.ones(2, 3)


def of_weights() -> Iterator[tuple[Any, ...]]:
    for width in (5, 6, 7, 8):
        yield torch.nn.Parameter(torch.ones(width)), torch.ones(2, 1)


class Kept(torch.nn.Module):
    seen: torch.Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("seen", torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.seen


def of_buffers() -> Iterator[tuple[Any, ...]]:
    for width in (5, 6, 7, 8):
        yield Kept(width), torch.ones(2, 1)


def recorded(fn: Any, calls: Iterator[Any], *, dynamic: bool | None = None) -> lab.Recording:
    torch.compiler.reset()
    with lab.record() as recorder:
        compiled = torch.compile(fn, backend="eager", dynamic=dynamic)
        for call in calls:
            compiled(*call)
    return recorder.recording


@pytest.mark.parametrize(
    ("fn", "calls"), [(applied, of_models), (weighed, of_weights), (applied, of_buffers)]
)
def test_a_parameters_size_is_told_with_the_settings_that_open_it(fn: Any, calls: Any) -> None:
    found = recorded(fn, calls())
    (told,) = [one for one in found.findings if one.rule == "size-changes"]
    assert "Values seen: 5, 6, 7 and 8." in told.sentence
    shown = build(found).guards.recompiles[0]
    assert [one.code for one in shown.causes[0].remedies] == [told.code]
    assert recompilations(recorded(fn, calls(), dynamic=True)) == 3, "it does not help"
    names = ("force_parameter_static_shapes", "force_nn_module_property_static_shapes")
    with torch._dynamo.config.patch(dict.fromkeys(names, True)):
        exec(told.code)
        assert recompilations(recorded(fn, calls())) == 1, "this does"
