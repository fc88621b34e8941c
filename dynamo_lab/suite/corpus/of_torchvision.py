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
            yield Entry(name, partial(program, name))


def program(name: str) -> Program:
    """The model of this name, and a batch of one image."""
    import torch
    import torchvision  # pyright: ignore[reportMissingImports]

    models = torchvision.models
    on_backbones = [
        *models.list_models(module=models.segmentation),
        *models.list_models(module=models.detection),
    ]
    given: dict[str, None] = {"weights": None}
    if name in on_backbones:
        given["weights_backbone"] = None
    side = 299 if name == "inception_v3" else 224
    model = torchvision.models.get_model(name, **given).eval()
    return Program(model, (torch.randn(1, 3, side, side),))
