"""Each model of transformers, made small: two layers, narrow, random weights.

Sizes are set where a configuration has them under a usual name. A model that such sizes, or the
usual inputs, do not suit does not run in eager either, and so does not count.
"""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

from dynamo_lab.suite.corpus.program import Entry, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers",
           "decoder_layers", "num_decoder_layers", "num_encoder_layers", "depth")  # fmt: skip
_HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads",
          "decoder_attention_heads", "num_key_value_heads")  # fmt: skip
_WIDTHS = ("hidden_size", "d_model", "n_embd", "dim", "embed_dim", "emb_dim", "embedding_size")
_INNER = ("intermediate_size", "encoder_ffn_dim", "decoder_ffn_dim", "ffn_dim", "d_ff", "n_inner",
          "hidden_dim", "moe_intermediate_size")  # fmt: skip
_SMALL = {
    **dict.fromkeys(_LAYERS, 2),
    **dict.fromkeys(_HEADS, 4),
    **dict.fromkeys(_WIDTHS, 64),
    **dict.fromkeys(_INNER, 128),
    "vocab_size": 512,
    "head_dim": 16,
    "rotary_dim": 16,
    "num_experts": 4,
    "num_local_experts": 4,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,  # no more than there are
    "n_group": 1,
    "topk_group": 1,
    "use_cache": False,
    "pad_token_id": 0,
}

_DERIVED = ("head_dim", "rotary_dim")
"""What some configurations compute from the others, and refuse."""


def entries() -> Iterator[Entry]:
    """An entry for each type of model that has a class of its own."""
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    for kind in MODEL_MAPPING_NAMES:
        yield Entry(kind, partial(_program, kind))


def _program(kind: str) -> Program:
    from transformers import AutoConfig, AutoModel

    config = _small(type(AutoConfig.for_model(kind)))
    module = AutoModel.from_config(config).eval()
    return Program(module, (), _inputs(module, config))


def _small(kind: Any) -> Any:
    """A small configuration, its parts small too; the default one where that is refused."""
    from transformers import PretrainedConfig

    usual = kind()
    given = {
        key: value for key, value in _SMALL.items() if isinstance(getattr(usual, key, None), int)
    }
    for key, value in vars(usual).items():
        if isinstance(value, PretrainedConfig):
            given[key] = _small(type(value)).to_dict()
    for leave in ((), _DERIVED):
        try:
            return kind(**{key: value for key, value in given.items() if key not in leave})
        except (TypeError, ValueError, KeyError, AttributeError):
            pass
    return usual


def _inputs(module: Any, config: Any) -> dict[str, Any]:
    import torch

    named = inspect.signature(module.forward).parameters
    words = torch.randint(10, 400, (2, 16))
    given: dict[str, Any] = {}
    if module.main_input_name in ("input_values", "input_features"):
        channels = getattr(config, "num_mel_bins", None) or getattr(config, "feature_size", 80)
        is_wave = module.main_input_name == "input_values"
        given[module.main_input_name] = (
            torch.randn(1, 4000) if is_wave else _spectrum(config, channels)
        )
    if "pixel_values" in named:
        given["pixel_values"] = _pixels(config)
    elif "pixel_values_videos" in named:
        given["pixel_values_videos"] = _pixels(config)[:, None].repeat(1, 2, 1, 1, 1)
    if "input_ids" in named and module.main_input_name not in given:
        given["input_ids"] = words
    if getattr(config, "is_encoder_decoder", False) and "decoder_input_ids" in named:
        given["decoder_input_ids"] = words[:, :8]
    return given


def _spectrum(config: Any, channels: int) -> Any:
    import torch

    return torch.randn(1, channels, 2 * getattr(config, "max_source_positions", 64))


def _pixels(config: Any) -> Any:
    import torch

    of_images = getattr(config, "vision_config", config)
    side = getattr(of_images, "image_size", 224)
    height, width = side if isinstance(side, list | tuple) else (side, side)
    return torch.randn(1, getattr(of_images, "num_channels", 3), height, width)
