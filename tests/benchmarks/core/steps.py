# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""The steps of a real analysis, as many as requested."""

from typing import Any

import torch
from torch import nn

import dynamo_lab
from dynamo_lab.api.recording import Recording


def filmed(layers: int, steps: int) -> Recording:
    """The first `steps` steps of the analysis of a transformer of `layers` small layers."""
    made = (nn.TransformerEncoderLayer(32, 2, 64) for _ in range(layers))
    compiled: Any = torch.compile(nn.Sequential(*made), backend="eager")
    with dynamo_lab.record(detail="steps", max_steps=steps) as recorder:
        compiled(torch.randn(4, 2, 32))
    film = recorder.recording.film
    assert film is not None
    assert len(film) == steps, f"only {len(film)} steps: take more layers"
    return recorder.recording
