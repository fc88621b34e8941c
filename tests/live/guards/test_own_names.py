"""What a wrapper calls `args[0]` has one name in all that is said of a recompilation."""

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
