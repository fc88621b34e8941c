"""Channels last as it is decided on the CUDA device that is here, and what is compiled there."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.view.layouts.reading import convolutions

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]


@pytest.mark.parametrize(("groups", "rule"), [(1, "estimate"), (2, "said")])
def test_the_choice_is_seen_in_what_is_compiled(groups: int, rule: str) -> None:
    """By PyTorch's estimate for inference, groups are slower in channels last."""
    model = nn.Conv2d(128, 128, 3, padding=1, groups=groups).cuda().eval()
    x = torch.randn(8, 128, 32, 32, device="cuda")
    made = lab.layouts(model, x, ways=["compiled", "one thread", "frozen"], rounds=12, seconds=2)
    print(made)
    _, frozen = made.trial.ways  # threads are a CPU's
    (choice,) = made.recordings["compiled"].layout_choices
    assert (choice.rule, choice.chosen) == (rule, rule != "said")
    (conv,) = convolutions(made.recordings["compiled"])
    assert conv.order == ("channels last" if choice.chosen else "contiguous")
    assert frozen.problem == ""
    assert (frozen.difference or 0) < 1e-3
