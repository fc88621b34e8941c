"""The models of torchvision that take a batch of images, with random weights."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dynamo_lab.suite.corpus.program import Entry, Program

if TYPE_CHECKING:
    from collections.abc import Iterator


def entries() -> Iterator[Entry]:
    """An entry for each model that classifies or segments."""
    import torchvision  # pyright: ignore[reportMissingImports]

    for part in (torchvision.models, torchvision.models.segmentation):
        for name in torchvision.models.list_models(module=part):
            yield Entry(name, partial(_program, name))


def _program(name: str) -> Program:
    import torch
    import torchvision  # pyright: ignore[reportMissingImports]

    weights = {"weights": None, "weights_backbone": None}
    is_segmentation = name in torchvision.models.list_models(module=torchvision.models.segmentation)
    given = weights if is_segmentation else {"weights": None}
    side = 299 if name == "inception_v3" else 224
    model = torchvision.models.get_model(name, **given).eval()
    return Program(model, (torch.randn(1, 3, side, side),))
