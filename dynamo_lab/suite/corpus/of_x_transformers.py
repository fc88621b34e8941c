"""A language model of x-transformers with each of its features, small."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dynamo_lab.suite.corpus.program import Entry, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

_FEATURES: dict[str, dict[str, Any]] = {
    "plain": {},
    "rotary": {"rotary_pos_emb": True},
    "alibi": {"alibi_pos_bias": True},
    "relative": {"rel_pos_bias": True},
    "dynamic_positions": {"dynamic_pos_bias": True},
    "flash": {"attn_flash": True},
    "grouped": {"attn_kv_heads": 2},
    "one_key": {"attn_one_kv_head": True},
    "qk_norm": {"attn_qk_norm": True},
    "talking_heads": {"attn_pre_talking_heads": True},
    "top_k": {"attn_sparse_topk": 4},
    "gated": {"attn_gate_values": True},
    "memory": {"attn_num_mem_kv": 4},
    "glu": {"ff_glu": True},
    "relu_squared": {"ff_relu_squared": True},
    "no_bias": {"ff_no_bias": True},
    "rms_norm": {"use_rmsnorm": True},
    "scale_norm": {"use_scalenorm": True},
    "sandwich": {"sandwich_norm": True},
    "macaron": {"macaron": True},
    "residual_gate": {"gate_residual": True},
    "shift": {"shift_tokens": 1},
    "residual_attention": {"residual_attn": True},
    "local": {"rotary_pos_emb": True, "attn_head_scale": True},
}


def entries() -> Iterator[Entry]:
    """An entry for each feature."""
    for name in _FEATURES:
        yield Entry(name, partial(_program, name))


def _program(name: str) -> Program:
    import torch
    from x_transformers import (  # pyright: ignore[reportMissingImports]
        Decoder,
        TransformerWrapper,
    )

    layers = Decoder(dim=64, depth=2, heads=4, attn_dim_head=16, **_FEATURES[name])
    model = TransformerWrapper(num_tokens=256, max_seq_len=64, attn_layers=layers).eval()
    return Program(model, (torch.randint(0, 256, (2, 32)),))
