"""Guards that are conditions on a number, as `n % 2 == 0` is: what they say, and what helps."""

import contextlib
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch._dynamo.utils import counters

import dynamo_lab as lab
from dynamo_lab import view
from dynamo_lab.view.guards.failing import describe
from dynamo_lab.view.guards.guards import GuardsView


def of_number(x: torch.Tensor, n: int) -> torch.Tensor:
    return x * 2 if n % 3 == 1 else x * 3


def of_size(x: torch.Tensor, n: int) -> torch.Tensor:
    return x * 2 if x.shape[0] % 3 == 1 else x * 3


@pytest.mark.parametrize(
    ("program", "condition", "now"),
    [
        (of_number, "(n % 3) == 1", "`n` is 5"),
        (of_size, "(x.shape[0] % 3) == 1", "x.shape[0] is 5"),
    ],
)
def test_a_condition_is_no_value(program: Callable[..., Any], condition: str, now: str) -> None:
    with lab.record() as recorder:
        compiled = torch.compile(program, backend="eager", dynamic=True)
        for n in (4, 7, 5):
            compiled(torch.ones(n), n)
    [again] = recorder.recording.recompiles
    assert [describe(one) for one in again.failed] == [f"`{condition}` no longer holds: {now}"]


def test_a_number_that_an_operator_needs_is_not_called_dynamic() -> None:
    def average(kept: torch.Tensor, new: torch.Tensor, decay: Any) -> torch.Tensor:
        return kept.mul_(decay).add_(new, alpha=1 - decay)

    def run(values: list[float] | list[torch.Tensor]) -> lab.Recording:
        with lab.record() as recorder:
            compiled = torch.compile(average, backend="aot_eager")
            for value in values:
                compiled(torch.ones(3), torch.ones(3), value)
        return recorder.recording

    numbers = [0.9, 0.91, 0.92, 0.93]
    recording = run(numbers)
    [found] = view.build(recording).findings.found
    assert found.remedy.startswith("The new code is for this one number too")
    assert "Compute with tensors instead" in found.remedy
    assert "Values seen: 0.9, 0.91, 0.92 and 0.93." in found.sentence
    assert not found.can_apply  # `dynamic=True` compiles for each number, too
    assert {one.range[:8] for one in view.build(recording).shapes.symbols} == {"only 0.9"}
    assert run([torch.tensor(number) for number in numbers]).recompiles == ()


def test_a_number_that_is_a_size_is_not_to_be_made_a_tensor() -> None:
    def best(x: torch.Tensor, k: int) -> torch.Tensor:
        return torch.topk(x, k)[0].sum()

    with lab.record() as recorder:
        compiled = torch.compile(best, backend="aot_eager")
        for k in (5, 7):
            compiled(torch.randn(3, 50), k)
    [found] = view.build(recorder.recording).findings.found
    assert found.code == "compiled = torch.compile(fn, dynamic=True)"
    assert "a tensor is no good replacement" in found.remedy
    counters.clear()
    compiled = torch.compile(best, backend="aot_eager", dynamic=True)
    for k in (5, 7, 9):
        compiled(torch.randn(3, 50), k)
    assert counters["stats"]["unique_graphs"] == 1


def test_what_python_draws_at_a_break_is_not_read_from_a_tensor() -> None:
    draws: Any = torch.compiler.disable(lambda: random.random())

    def drawn(x: torch.Tensor) -> torch.Tensor:
        return x * draws()

    with lab.record() as recorder:
        compiled = torch.compile(drawn, backend="eager")
        for _ in range(2):
            compiled(torch.ones(3))
    [found] = [
        one for one in view.build(recorder.recording).findings.found if "changes" in one.sentence
    ]
    assert "read from a tensor" not in found.sentence
    assert (
        "a Python number that the break at line" in found.sentence[0].lower() + found.sentence[1:]
    )
    assert "before the call" in found.remedy


def test_what_is_read_from_a_tensor_at_a_break_is() -> None:
    def scaled(x: torch.Tensor) -> torch.Tensor:
        return x * x.sum().item()

    with lab.record() as recorder:
        compiled = torch.compile(scaled, backend="eager")
        for n in (2.5, 3.5):
            compiled(torch.full((3,), n))
    assert any(
        "number read from a tensor at a break changes" in one.sentence
        for one in view.build(recorder.recording).findings.found
    )


def test_no_assignment_is_advised_to_what_nothing_assigns() -> None:
    @dataclass(frozen=True)
    class Config:
        scale: float | torch.Tensor

    def scaled(x: torch.Tensor, config: Config) -> torch.Tensor:
        return x * config.scale

    def run(configs: list[Config]) -> lab.Recording:
        with lab.record() as recorder:
            compiled = torch.compile(scaled, backend="eager")
            for config in configs:
                compiled(torch.ones(3), config)
        return recorder.recording

    [found] = view.build(run([Config(1.5), Config(2.5)])).findings.found
    assert found.remedy == "Keep the number in a tensor where it is set, and change that in place."
    assert not found.code
    assert run([Config(torch.tensor(1.5)), Config(torch.tensor(2.5))]).recompiles == ()


def test_a_range_is_left_out_where_a_narrower_one_would_not_do() -> None:
    """A chunk's size rounds: that both halves are as long is nothing that a range shows."""

    def halves(x: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2)
        return first * second.sum()

    def run(**marked: int) -> lab.Recording:
        x = torch.ones(8, 4)
        torch._dynamo.mark_dynamic(x, 0, **marked)
        with lab.record() as recorder, contextlib.suppress(Exception):
            torch.compile(halves, backend="eager")(x)
        return recorder.recording

    [found] = view.build(run(min=2, max=64)).findings.found
    assert found.remedy.startswith("Leave out `min` and `max`: ")
    assert view.build(run(min=4, max=64)).findings.found  # so narrow that the condition holds
    assert not view.build(run()).findings.found


def test_a_compilation_that_an_exception_ends_leaves_nothing_dynamic() -> None:
    def limited(x: torch.Tensor, limit: float) -> torch.Tensor:
        if limit < 0:
            raise ValueError("limit")
        return x.clamp(max=limit)

    with lab.record() as recorder:
        compiled = torch.compile(limited, backend="eager")
        compiled(torch.ones(3), 2.0)
        with contextlib.suppress(ValueError):
            compiled(torch.ones(3), -1.5)
    shown = view.build(recorder.recording)
    [found] = [one for one in shown.findings.found if "number that changes" in one.sentence]
    assert "it is dynamic" not in found.sentence
    assert found.remedy.startswith("No code came of this compilation")
    assert [one.cost for one in shown.stories] == [
        ("No operator of this compilation was compiled.",)
    ]


def test_what_a_backend_refused_makes_no_size_constant() -> None:
    def line(x: torch.Tensor) -> torch.Tensor:
        return x * 2 + 1

    def run(refused: int, *inputs: torch.Tensor) -> GuardsView:
        count = itertools.count(1)

        def backend(graph: torch.fx.GraphModule, _: Any) -> Callable[..., Any]:
            if next(count) == refused:
                raise RuntimeError("refused")
            return graph.forward

        torch._dynamo.reset()
        with lab.record() as recorder:
            compiled = torch.compile(line, backend=backend)
            for given in inputs[:-1]:
                compiled(given)
            with pytest.raises(Exception, match="refused"):
                compiled(inputs[-1])
        return view.build(recorder.recording).guards

    *_, last = run(3, torch.ones(5), torch.ones(7), torch.ones(7).double()).recompiles
    assert last.changes is not None
    assert any("f64[s" in text for _, text in last.changes.graph)  # as dynamic as before
    assert last.changes.symbols == ()
    [again] = run(2, torch.ones(5), torch.ones(7)).recompiles
    [told] = again.causes[0].remedies
    assert told.text.startswith("No code came of this compilation")
    assert told.code == "torch._dynamo.mark_dynamic(x, 0)"


@pytest.mark.parametrize("is_size", [False, True])
def test_a_number_beside_a_size_is_not_said_to_make_one(is_size: bool) -> None:
    def compared(x: torch.Tensor, n: int) -> torch.Tensor:
        return x * 2 if n == x.shape[0] else x + 1

    def filled(x: torch.Tensor, n: int) -> torch.Tensor:
        return x.new_zeros(n)

    torch._dynamo.reset()
    with lab.record() as recorder:
        compiled = torch.compile(filled if is_size else compared, backend="eager")
        for n in (5, 7):
            compiled(torch.ones(n), n)
    [again] = view.build(recorder.recording).guards.recompiles
    [told] = [one.remedies[0].text for one in again.causes if "`n` was" in one.text]
    assert ("makes sizes of it" in told) == is_size
