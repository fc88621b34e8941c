"""Blocks of diffusers, and models of them made small, with random weights."""

from __future__ import annotations

import importlib
import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

from dynamo_lab.suite.corpus.program import Entry, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCKS = "diffusers.models.unets.unet_2d_blocks"
_CONSTRUCTED = {
    "in_channels": 32,
    "out_channels": 32,
    "prev_output_channel": 32,
    "temb_channels": 64,
    "cross_attention_dim": 64,
    "attention_head_dim": 16,
    "num_attention_heads": 2,
    "dim": 32,
    "num_layers": 1,
    "resolution_idx": 0,
    "act_fn": "relu",
}
_PARTS: dict[str, tuple[str, dict[str, Any]]] = {
    "FeedForward": ("attention", {"dim": 64}),
    "BasicTransformerBlock": ("attention", {"dim": 64}),
    "JointTransformerBlock": ("attention", {"dim": 64, "attention_head_dim": 32}),
    "GatedSelfAttentionDense": (
        "attention",
        {"query_dim": 64, "context_dim": 64, "n_heads": 2, "d_head": 32},
    ),
    "Downsample2D": ("downsampling", {"channels": 32, "use_conv": True}),
    "FirDownsample2D": ("downsampling", {"channels": 32, "use_conv": True}),
    "KDownsample2D": ("downsampling", {}),
    "Upsample2D": ("upsampling", {"channels": 32, "use_conv": True}),
    "FirUpsample2D": ("upsampling", {"channels": 32, "use_conv": True}),
    "KUpsample2D": ("upsampling", {}),
    "ResnetBlock2D": ("resnet", {}),
    "ResnetBlockCondNorm2D": ("resnet", {}),
}
_UNET = {
    "block_out_channels": (32, 64),
    "layers_per_block": 1,
    "down_block_types": ("DownBlock2D", "AttnDownBlock2D"),
    "up_block_types": ("AttnUpBlock2D", "UpBlock2D"),
}
_CONDITIONED = {
    **_UNET,
    "down_block_types": ("CrossAttnDownBlock2D", "DownBlock2D"),
    "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D"),
    "cross_attention_dim": 64,
}
_AUTOENCODER = {
    "block_out_channels": (32, 64),
    "down_block_types": ("DownEncoderBlock2D",) * 2,
    "up_block_types": ("UpDecoderBlock2D",) * 2,
}
_TRANSFORMER = {"num_attention_heads": 2, "attention_head_dim": 32, "num_layers": 2}
_MODELS: dict[str, dict[str, Any]] = {
    "UNet2DModel": _UNET,
    "UNet2DConditionModel": _CONDITIONED,
    "AutoencoderKL": _AUTOENCODER,
    "AsymmetricAutoencoderKL": {
        **{key: value for key, value in _AUTOENCODER.items() if key != "block_out_channels"},
        "down_block_out_channels": (32, 64),
        "up_block_out_channels": (32, 64),
    },
    "VQModel": _AUTOENCODER,
    "AutoencoderTiny": {},
    "Transformer2DModel": {**_TRANSFORMER, "in_channels": 32},
    "DiTTransformer2DModel": {**_TRANSFORMER, "sample_size": 16},
    "PixArtTransformer2DModel": {
        **_TRANSFORMER, "sample_size": 16, "cross_attention_dim": 64, "caption_channels": 64,
        "use_additional_conditions": False,
    },
    "SD3Transformer2DModel": {
        **_TRANSFORMER, "sample_size": 16, "in_channels": 4, "joint_attention_dim": 64,
        "caption_projection_dim": 64, "pooled_projection_dim": 64,
    },
    "AuraFlowTransformer2DModel": {
        "num_attention_heads": 2, "attention_head_dim": 32, "num_mmdit_layers": 1,
        "num_single_dit_layers": 1, "sample_size": 16, "joint_attention_dim": 64,
        "caption_projection_dim": 64,
    },
}  # fmt: skip


def entries() -> Iterator[Entry]:
    """An entry for each block of the two-dimensional UNets, other part, and model."""
    blocks = importlib.import_module(BLOCKS)
    for name, kind in vars(blocks).items():
        if inspect.isclass(kind) and kind.__module__ == BLOCKS:
            yield Entry(name, partial(_part, BLOCKS, name, {}))
    for name, (module, given) in _PARTS.items():
        yield Entry(name, partial(_part, f"diffusers.models.{module}", name, given))
    for name in _MODELS:
        yield Entry(name, partial(_model, name))


def _part(module: str, name: str, given: dict[str, Any]) -> Program:
    import torch

    kind = getattr(importlib.import_module(module), name)
    named = inspect.signature(kind).parameters
    usual = {key: value for key, value in _CONSTRUCTED.items() if key in named}
    block = kind(**{**usual, **given}).eval()
    image, words = torch.randn(1, 32, 16, 16), torch.randn(1, 8, 64)
    of_words = given.get("dim") == 64 or "query_dim" in given
    values = {
        "hidden_states": words if of_words else image,
        "input_tensor": image,
        "inputs": image,
        "x": words if of_words else image,
        "objs": words,
        "res_hidden_states_tuple": (image, image),
        "temb": torch.randn(1, 64 if "temb_channels" in usual or of_words else 512),
        "emb": torch.randn(1, 64),
        "encoder_hidden_states": words,
        "skip_sample": torch.randn(1, 3, *(8, 8) if "Up" in name else (16, 16)),
    }
    return Program(block, (), _taken(block, values))


def _model(name: str) -> Program:
    import diffusers  # pyright: ignore[reportMissingImports]
    import torch

    model = getattr(diffusers, name)(**_MODELS[name]).eval()
    channels = getattr(model.config, "in_channels", 3)
    values = {
        "sample": torch.randn(1, channels, 32, 32),
        "hidden_states": torch.randn(1, channels, 16, 16),
        "timestep": torch.tensor([1]),
        "encoder_hidden_states": torch.randn(1, 8, 64),
        "pooled_projections": torch.randn(1, 64),
        "class_labels": torch.tensor([1]),
        "added_cond_kwargs": {"resolution": None, "aspect_ratio": None},
    }
    if name in ("UNet2DModel", "Transformer2DModel"):  # without labels
        del values["class_labels"]
    return Program(model, (), _taken(model, values))


def _taken(module: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Those of the values that the module takes."""
    named = inspect.signature(module.forward).parameters
    return {key: value for key, value in values.items() if key in named}
