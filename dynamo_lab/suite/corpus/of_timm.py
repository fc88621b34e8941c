"""A model of each module of timm, the one with the shortest name, with random weights."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dynamo_lab.suite.corpus.program import Entry, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

_SMALL = ("femto", "atto", "pico", "nano", "tiny", "small", "_s", "18", "0")
"""What small models have in their names, smallest first."""


def entries() -> Iterator[Entry]:
    """An entry for each module."""
    import timm  # pyright: ignore[reportMissingImports]

    for module in timm.list_modules():
        if names := timm.list_models(module=module):
            name = min(names, key=_size)
            yield Entry(name, partial(program, name))


def _size(name: str) -> tuple[int, int, str]:
    """What orders names by how large their model is, as far as a name says it."""
    found = next((at for at, word in enumerate(_SMALL) if word in name), len(_SMALL))
    return found, len(name), name


def program(name: str) -> Program:
    """The model of this name, and an image."""
    import timm  # pyright: ignore[reportMissingImports]
    import torch

    model = timm.create_model(name, pretrained=False).eval()
    return Program(model, (torch.randn(1, *model.default_cfg["input_size"]),))
