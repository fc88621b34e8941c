"""Each model of transformers, made small: two layers, narrow, random weights.

Sizes are set where a configuration has them under a usual name. Where they do not suit each other,
fewer are set. A model that no size and no guess of inputs suits does not run in eager either, and
so does not count.
"""

from __future__ import annotations

import copy
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import SuiteError
from dynamo_lab.suite.corpus.program import Entry, Program
from dynamo_lab.suite.corpus.transformers_inputs import guesses

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers",
           "decoder_layers", "num_decoder_layers", "num_encoder_layers", "depth")  # fmt: skip
_HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads",
          "decoder_attention_heads", "num_key_value_heads")  # fmt: skip
_WIDTHS = ("hidden_size", "d_model", "n_embd", "dim", "embed_dim", "emb_dim", "embedding_size")
_INNER = ("intermediate_size", "encoder_ffn_dim", "decoder_ffn_dim", "ffn_dim", "d_ff", "n_inner",
          "hidden_dim", "moe_intermediate_size")  # fmt: skip
_SHALLOW = {
    **dict.fromkeys(_LAYERS, 2),
    "vocab_size": 512,
    "num_experts": 4,
    "num_local_experts": 4,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,  # no more than there are
    "n_group": 1,
    "topk_group": 1,
    "use_cache": False,
    "pad_token_id": 0,
}
"""What keeps a model's widths, which are often bound to each other."""

_SMALL = {
    **_SHALLOW,
    **dict.fromkeys(_HEADS, 4),
    **dict.fromkeys(_WIDTHS, 64),
    **dict.fromkeys(_INNER, 128),
    "head_dim": 16,
    "rotary_dim": 16,
    "qk_rope_head_dim": 16,
    "qk_nope_head_dim": 16,
    "v_head_dim": 16,
    "q_lora_rank": 32,
    "kv_lora_rank": 32,
}

_SECTIONS = [2, 3, 3]
"""How the half of a small head's width is shared by time, rows and columns."""

_DERIVED = ("head_dim", "rotary_dim")
"""What some configurations compute from the others, and refuse."""

_LIGHT = 400_000_000
"""The most parameters of a model that is not made narrow: 1.6 GB in float32."""


def entries() -> Iterator[Entry]:
    """An entry for each type of model that has a class of its own."""
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    for kind in MODEL_MAPPING_NAMES:
        yield Entry(kind, partial(_program, kind))


def _program(kind: str) -> Program:
    """The smallest of a model's sizes that runs, with the first guess of inputs that it takes.

    Raises:
        Exception: none of them runs; this is why the smallest does not.
    """
    from transformers import AutoConfig

    return running(kind, type(AutoConfig.for_model(kind)), _base)


def running(name: str, config: Any, made: Callable[[Any], Any]) -> Program:
    """The program of a class of configurations, and of what makes a module of one."""
    import torch

    refused: list[Exception] = []
    for small in _configs(config, made):
        with _noting(refused), torch.no_grad():
            module = made(small).eval()
            for given in guesses(module, small):
                with _noting(refused):
                    module(**copy.deepcopy(given))
                    return Program(module, (), given)
    if refused:
        raise refused[0]
    raise SuiteError(
        f"No size of {name}, or no input, is known: leave it out, or add a guess to "
        "transformers_inputs."
    )


@contextmanager
def _noting(refused: list[Exception]) -> Generator[None]:
    """Go on after an error, which is noted: each model refuses in its own way."""
    try:
        yield
    except Exception as error:
        refused.append(error)


def _base(config: Any) -> Any:
    from transformers import AutoModel

    return AutoModel.from_config(config)


def _configs(kind: Any, made: Callable[[Any], Any]) -> Iterator[Any]:
    """Configurations from the smallest up; those that keep widths only where they are light."""
    for sizes in (_SMALL, _SHALLOW, {}):
        for leave in ((), _DERIVED) if sizes is _SMALL else ((),):
            try:
                config = _sized(kind, {key: v for key, v in sizes.items() if key not in leave})
            except Exception:  # each configuration refuses in its own way
                continue
            if sizes is _SMALL or _is_light(config, made):
                yield config


def _is_light(config: Any, made: Callable[[Any], Any]) -> bool:
    import torch

    try:
        with torch.device("meta"):
            return sum(one.numel() for one in made(config).parameters()) < _LIGHT
    except Exception:  # what cannot be made there cannot be weighed
        return False


def _sized(kind: Any, sizes: dict[str, Any]) -> Any:
    """A configuration of these sizes, where it has them, and its parts too."""
    from transformers import PretrainedConfig

    usual = kind()
    if not sizes:
        return usual
    given: dict[str, Any] = {key: size for key, size in sizes.items() if _has(usual, key)}
    rope = _get(usual, "rope_parameters")
    if "head_dim" in sizes and isinstance(rope, dict) and _has_sections(usual, rope):
        given["rope_parameters"] = {**rope, "mrope_section": _SECTIONS}
    for key, value in vars(usual).items():
        if isinstance(value, PretrainedConfig):
            with suppress(Exception):  # that part stays as it is
                given[key] = _sized(type(value), sizes).to_dict()
    return kind(**given)


def _has_sections(config: Any, rope: Mapping[str, Any]) -> bool:
    """Whether a small head would not fit the usual sections."""
    known = (*rope, *(_get(config, "ignore_keys_at_rope_validation") or ()))
    return "mrope_section" in known


def _has(config: Any, name: str) -> bool:
    """Whether it has a number of this name, or leaves one open that it needs."""
    is_open = name in ("head_dim", "vocab_size") and name in vars(config)
    return isinstance(_get(config, name), int) or is_open


def _get(config: Any, name: str) -> Any:
    """A value of a configuration, None where it has none or one for each layer."""
    try:
        return getattr(config, name, None)
    except Exception:  # transformers' own, where each layer has a value of its own
        return None
