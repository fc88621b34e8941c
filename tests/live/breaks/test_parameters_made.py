"""A parameter made in compiled code: PyTorch's own name for it, and what ends the break."""

import torch
from msgspec.structs import replace

import dynamo_lab as lab
from dynamo_lab.model.breaks import Break
from dynamo_lab.view import build
from dynamo_lab.view.breaks.explanations import reason_of


class MadeInForward(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight = torch.nn.Parameter(torch.ones(4))
        return (x * weight).sum()


class MadeInInit(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x * self.weight).sum()


def test_a_reason_that_says_nothing_is_replaced_by_the_name_of_the_break() -> None:
    x = torch.arange(4.0)
    recording = lab.explore(MadeInForward(), x, backend="eager")
    view = build(recording)
    [told] = view.breaks
    assert "torch.nn.Parameter()" in told.reason
    [found] = view.findings.found
    for said in (told.reason, told.explanation, *(one.text for one in found.evidence)):
        assert "Dynamo does not support this" not in said
    assert "__init__" in told.advice[0]
    assert not lab.explore(MadeInInit(), x, backend="eager").breaks
    torch.testing.assert_close(MadeInInit()(x), MadeInForward()(x))


def test_a_reason_that_says_something_is_kept() -> None:
    assert reason_of(_broken("This is not supported.")) == "a kind"
    assert reason_of(_broken("Dynamo does not support copy.deepcopy()")).endswith("deepcopy()")


def _broken(reason: str) -> Break:
    recording = lab.explore(MadeInForward(), torch.arange(4.0), backend="eager")
    return replace(recording.breaks[0], gb_type="a kind", reason=reason)
