"""What Dynamo takes for granted because it was told to is a note; elsewhere there is none."""

from typing import Any

import torch

import dynamo_lab as lab


@torch.compiler.assume_constant_result
def scale() -> float:
    return 3.0


def said(recording: lab.Recording) -> list[str]:
    return [note.message for note in recording.notes]


def compiled_with(keep: Any) -> lab.Recording:
    compiled = torch.compile(
        lambda x: x.sin(), backend="eager", options={"guard_filter_fn": keep} if keep else None
    )
    with lab.record() as recorder:
        compiled(torch.ones(3))
    return recorder.recording


def test_guards_that_a_filter_took_away() -> None:
    filtered = compiled_with(torch.compiler.skip_all_guards_unsafe)
    (told,) = said(filtered)
    assert told.startswith("A guard_filter_fn took away")
    assert "TENSOR_MATCH on L['x']" in told
    assert filtered.guards == ()


def test_a_filter_that_keeps_all_and_none_take_nothing_away() -> None:
    assert said(compiled_with(lambda guards: [True for _ in guards])) == []
    assert said(compiled_with(None)) == []


def test_a_constant_is_assumed() -> None:
    (told,) = said(lab.explore(lambda x: x * scale(), torch.ones(3), backend="eager"))
    assert "`scale` was called once" in told
    assert said(lab.explore(lambda x: x * 3.0, torch.ones(3), backend="eager")) == []


def test_a_message_waits() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        print("here")
        return x.sin()

    settings: Any = torch.compiler.config
    with settings.patch(reorderable_logging_functions={print}):
        (told,) = said(lab.explore(f, torch.ones(3), backend="eager"))
    line = f.__code__.co_firstlineno + 1
    assert told.startswith(f"`print` of line {line} is called after")
