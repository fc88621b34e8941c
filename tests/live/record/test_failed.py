"""Compilations that fail after the graph was captured, and what is said of them."""

import sys
from typing import Any

import pytest
import torch
import torch._dynamo

import dynamo_lab as lab
from dynamo_lab.view import build
from dynamo_lab.view.view import View
from tests.live.lines import line_of


def pinned(x: torch.Tensor) -> torch.Tensor:
    return x + 1 if x.shape[0] == 3 else x * 2


def marked() -> torch.Tensor:
    x = torch.ones(3, 4)
    torch._dynamo.mark_dynamic(x, 0)
    return x


class Reshaped(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.reshape(3, 4) + 1


def counts(view: View) -> dict[str, str]:
    return {count.label: count.value for count in view.summary.counts}


def test_a_violated_mark_is_a_failed_compilation_also_where_it_is_caught() -> None:
    with lab.record() as recorder:
        compiled: Any = torch.compile(pinned, backend="eager")
        with pytest.raises(Exception, match="Constraints violated"):
            compiled(marked())
    view = build(recorder.recording)
    assert view.summary.sentence.startswith("Compiling `pinned` failed: Constraints violated")
    assert "without a break" not in view.summary.sentence
    assert counts(view)["failed compilation"] == "1"
    assert [frame.outcome for frame in view.frames] == ["failed"]


def test_a_failed_recompilation_is_told_and_the_earlier_code_stays() -> None:
    with lab.record() as recorder:
        compiled: Any = torch.compile(pinned, backend="eager")
        compiled(torch.ones(2, 2))
        with pytest.raises(Exception, match="Constraints violated"):
            compiled(marked())
    view = build(recorder.recording)
    assert "Compiling `pinned` again failed: Constraints violated" in view.summary.sentence
    assert view.frames[0].outcome == "compiled"


def test_a_strict_export_that_violates_a_constraint_is_a_failed_compilation() -> None:
    shapes = {"x": {0: torch.export.Dim("batch")}}
    with lab.record() as recorder, pytest.raises(Exception, match="Constraints violated"):
        torch.export.export(Reshaped(), (torch.ones(3, 4),), dynamic_shapes=shapes, strict=True)
    view = build(recorder.recording)
    assert "failed: Constraints violated" in view.summary.sentence
    assert "without a break" not in view.summary.sentence


def test_an_export_and_a_compilation_that_hold_are_not_failed() -> None:
    with lab.record() as recorder:
        torch.export.export(Reshaped(), (torch.ones(3, 4),), strict=True)
    assert "failed" not in build(recorder.recording).summary.sentence
    assert (
        "failed" not in build(lab.explore(pinned, torch.ones(3), backend="eager")).summary.sentence
    )


@torch.no_grad()
def scaled(x: torch.Tensor, n: int) -> torch.Tensor:
    return x * n


def test_a_decorated_function_has_its_own_name_and_those_of_its_arguments() -> None:
    with lab.record() as recorder:
        compiled: Any = torch.compile(scaled, backend="eager")
        compiled(torch.ones(3), 2)
        compiled(torch.ones(3), n=3)
        compiled(torch.ones(3), 4)
        compiled(torch.ones(4), 4)
    recording = recorder.recording
    story = build(recording).guards.recompiles[-1]
    assert story.title == "scaled was compiled again"
    assert "`x.shape[0]` was 3, now 4" in [cause.text for cause in story.causes]
    codes = [remedy.code for cause in story.causes for remedy in cause.remedies]
    assert "torch._dynamo.mark_dynamic(x, 0)" in codes
    assert "`x.shape[0]` was" in str(recording.would_pass(torch.ones(9), 4))


def test_a_wrapper_of_the_users_own_keeps_its_name() -> None:
    def logged(fn: Any) -> Any:
        def outer(*args: Any) -> Any:
            return fn(*args)

        return outer

    view = build(lab.explore(logged(pinned), torch.ones(3), backend="eager"))
    assert [frame.name for frame in view.frames if frame.outcome == "compiled"] == ["outer"]


def test_what_python_shows_of_a_traceback_is_not_all_that_is_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong() -> None:
        raise ValueError("mine")

    monkeypatch.setattr(sys, "tracebacklimit", 0, raising=False)
    with pytest.raises(ValueError, match="mine"), lab.record() as recorder:
        wrong()
    assert line_of_failure(recorder.recording) == line_of(wrong, "raise")


def test_in_a_function_of_one_line_an_exception_is_on_that_line() -> None:
    def opened(x: torch.Tensor) -> Any: return x.sin(), open("/no/such")  # fmt: skip

    def indexed(x: torch.Tensor) -> Any: return x[torch.tensor([9])]  # fmt: skip

    for fn in (opened, indexed):
        recording = lab.explore(fn, torch.ones(4), backend="eager")
        assert line_of_failure(recording) == fn.__code__.co_firstlineno


def line_of_failure(recording: lab.Recording) -> int | None:
    assert recording.failure is not None
    span = recording.failure.span
    return None if span is None else recording.spans[span].line
