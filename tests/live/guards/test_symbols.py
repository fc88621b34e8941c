"""What real programs leave open, and the lines on which sizes are pinned down."""

from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch._dynamo

import dynamo_lab as lab
from dynamo_lab.model.guards.symbols import ShapeFact, Symbol
from tests.live.lines import line_of

if TYPE_CHECKING:
    from collections.abc import Callable


def symbol_of(recording: lab.Recording, source: str) -> Symbol:
    return next(s for s in recording.symbols if source in s.sources)


def fact_on(recording: lab.Recording, event: str) -> tuple[ShapeFact, int]:
    fact = next(f for f in recording.shape_facts if f.event == event)
    assert fact.stack is not None
    return fact, recording.spans[recording.stacks[fact.stack][-1]].line


def test_dynamic_true_opens_sizes() -> None:
    recording = lab.explore(torch.relu, torch.randn(8, 3), dynamic=True, backend="eager")
    assert [(s.hint, s.lower, s.value) for s in recording.symbols] == [
        ("8", "2", ""),
        ("3", "2", ""),
    ]


def test_equal_sizes_share_a_symbol() -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x + y

    recording = lab.explore(f, torch.randn(8), torch.randn(8), dynamic=True, backend="eager")
    assert symbol_of(recording, "L['x'].size()[0]") == symbol_of(recording, "L['y'].size()[0]")


def test_a_marked_size_is_open_alone() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    x = torch.randn(8, 3)
    torch._dynamo.mark_dynamic(x, 0)
    (symbol,) = lab.explore(f, x, backend="eager").symbols
    assert symbol.sources == ("L['x'].size()[0]",)


def test_a_branch_pins_a_size_on_its_line() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        if x.shape[0] == 8:
            return x * 2
        return x + x.shape[0]

    recording = lab.explore(f, torch.randn(8, 3), dynamic=True, backend="eager")
    fact, line = fact_on(recording, "constant")
    assert fact.expression == "8"
    assert line == line_of(f, "if x.shape[0]")
    assert symbol_of(recording, "L['x'].size()[0]").value == "8"


def test_a_reshape_ties_sizes() -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x.reshape(y.shape[0], 2) + y

    recording = lab.explore(f, torch.randn(12), torch.randn(6, 2), dynamic=True, backend="eager")
    y = symbol_of(recording, "L['y'].size()[0]").name
    assert symbol_of(recording, "L['x'].size()[0]").value == f"2*{y}"
    assert fact_on(recording, "equal")[1] == line_of(f, "x.reshape")


def test_an_item_is_bounded_by_checks() -> None:
    def f(t: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        u = int(t)
        torch._check(u >= 2)
        torch._check(u <= 10)
        return x.new_zeros(u) + 1

    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        recording = lab.explore(f, torch.tensor(4), torch.randn(3), backend="eager")
    (symbol,) = recording.symbols
    assert (symbol.lower, symbol.upper) == ("2", "10")


@pytest.mark.parametrize("backend", ["eager", "inductor"])
def test_the_length_of_nonzero_is_known_at_run_time(backend: str) -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x.nonzero().sum(0)

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        recording = lab.explore(f, torch.randn(8, 3), backend=backend)
    (symbol,) = recording.symbols  # the backend makes more of its own, which are none of the user's
    assert (symbol.is_backed, symbol.hint, symbol.upper) == (False, "", "24")


def test_a_mark_that_cannot_hold_is_a_violation_on_its_line() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x.reshape(8, 3) + 1

    x = torch.randn(8, 3)
    torch._dynamo.mark_dynamic(x, 0)
    recording = lab.explore(f, x, backend="eager")
    assert recording.failure is not None
    assert [f.event for f in recording.shape_facts if f.event == "violation"] == ["violation"]
    assert fact_on(recording, "constant")[1] == line_of(f, "x.reshape")


def test_a_second_size_opens_that_dimension_alone() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    with lab.record() as recorder:
        compiled: Callable[..., Any] = torch.compile(f, backend="eager")
        for size in (8, 16, 1):
            compiled(torch.randn(size, 3))
    recording = recorder.recording
    assert [(s.compile_id, s.hint) for s in recording.symbols] == [("0/1", "16")]
    fact, _ = fact_on(recording, "zero_one")
    assert (fact.compile_id, fact.expression, fact.source) == ("0/2", "1", "L['x'].size()[0]")
