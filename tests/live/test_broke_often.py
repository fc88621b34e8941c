"""A model that is compiled several times and breaks each time: none of them is the one that did."""

import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.view import build


class Told(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.inner(x.float()) * 2
        print("told")
        return y.cos() + 1


def test_a_break_of_all_compilations_sets_none_of_them_apart() -> None:
    torch._dynamo.reset()
    compiled = torch.compile(Told(), backend="eager")
    with lab.record() as recorder:
        for dtype in (torch.float32, torch.float64, torch.bfloat16):
            compiled(torch.ones(2, 4, dtype=dtype))
    recording = recorder.recording
    assert [one.times for one in recording.breaks] == [3]
    (row,) = [one for one in build(recording).modules.rows if one.alike == 3]
    assert row.breaks == 1, "a break is counted once"
    assert not any("breaks" in text or "operator" in text for text in row.differences)
