"""Models of vit-pytorch, small."""

from __future__ import annotations

import importlib
import inspect
from functools import partial
from typing import TYPE_CHECKING

from dynamo_lab.suite.corpus.program import Entry, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIZES = {
    "image_size": 64,
    "patch_size": 16,
    "num_classes": 10,
    "dim": 64,
    "depth": 2,
    "heads": 4,
    "mlp_dim": 128,
    "channels": 3,
    "dim_head": 16,
    "cls_depth": 2,
    "num_register_tokens": 2,
}
_MODELS = {
    "vit": "ViT",
    "simple_vit": "SimpleViT",
    "simple_vit_with_patch_dropout": "SimpleViT",
    "simple_vit_with_qk_norm": "SimpleViT",
    "simple_vit_with_register_tokens": "SimpleViT",
    "simple_flash_attn_vit": "SimpleViT",
    "cait": "CaiT",
    "cct": "CCT",
    "deepvit": "DeepViT",
    "efficient": "ViT",
    "local_vit": "LocalViT",
    "max_vit": "MaxViT",
    "normalized_vit": "nViT",
    "parallel_vit": "ViT",
    "rvt": "RvT",
    "sep_vit": "SepViT",
    "t2t": "T2TViT",
    "vit_for_small_dataset": "ViT",
    "vit_with_patch_dropout": "ViT",
    "xcit": "XCiT",
}


def entries() -> Iterator[Entry]:
    """An entry for each model."""
    for module in _MODELS:
        yield Entry(module, partial(_program, module))


def _program(name: str) -> Program:
    import torch

    kind = getattr(importlib.import_module(f"vit_pytorch.{name}"), _MODELS[name])
    named = inspect.signature(kind).parameters
    model = kind(**{key: value for key, value in _SIZES.items() if key in named}).eval()
    return Program(model, (torch.randn(2, 3, 64, 64),))
