"""What is told of a value that was dynamic in the code before, and is not in the new code."""

from typing import Any

import torch

import dynamo_lab as lab
from dynamo_lab.view import build

X = torch.ones(4, 3)


def scaled(x: torch.Tensor, options: dict[str, Any]) -> torch.Tensor:
    return x * options["scale"] if "scale" in options else x + 1


def symbols(*calls: tuple[torch.Tensor, dict[str, Any]]) -> tuple[str, ...]:
    """What the last compilation of these calls tells of symbols."""
    with lab.record() as recorder:
        compiled = torch.compile(scaled, backend="eager")
        for call in calls:
            compiled(*call)
    changes = build(recorder.recording).guards.recompiles[-1].changes
    assert changes is not None
    return changes.symbols


def test_what_new_code_does_not_read_is_no_constant_of_it() -> None:
    (told,) = symbols((X, {"scale": 2.5}), (X, {"scale": 3.5}), (X, {}))
    assert told.startswith("`options['scale']` is not dynamic now; it was: ")


def test_what_new_code_is_compiled_for_is_a_constant_of_it() -> None:
    (told,) = symbols((X, {}), (torch.ones(5, 3), {}), (torch.ones(1, 3), {}))
    assert told.startswith("`x.shape[0]` is a constant now; it was dynamic: ")
