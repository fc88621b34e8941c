"""What a program computes is named alike, call after call."""

from __future__ import annotations

import torch

from dynamo_lab.measure.subject import Subject


def test_a_step_names_what_it_writes_in_the_same_place_each_time() -> None:
    model = torch.nn.BatchNorm1d(4)
    subject = Subject(model, (torch.randn(8, 4),), {}, dict(model.named_parameters()))
    before = {name: value.clone() for name, value in model.named_buffers()}

    def has_changed(tensor: torch.Tensor) -> bool:
        return any(
            tensor is value and not value.equal(before[name])
            for name, value in model.named_buffers()
        )

    first = subject.observe(model, "step", has_changed)
    assert "buffer running_mean after the call" in first
    assert list(first) == list(subject.results(model, "step"))
