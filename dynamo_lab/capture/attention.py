"""Which attention operator `scaled_dot_product_attention` is on a target.

PyTorch chooses in C++, by the device that is there (`aten/src/ATen/native/transformers/cuda/
sdp_utils.cpp` and `.../attention.cpp`). For a device that is not there, its rules are followed
here: for half precision without a mask cuDNN's attention on the GPUs that prefer it, else flash
attention; memory-efficient attention for the rest; plain mathematics for what none takes, or where
`torch.nn.attention.sdpa_kernel` or `torch.backends.cuda` forbid them.
"""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import fx

from dynamo_lab.model.targets import Target

aten = torch.ops.aten
_PREFER_CUDNN = ((9, 0), (10, 0))
"""Compute capabilities on which cuDNN comes first, since torch 2.9."""

_HALVES = (torch.float16, torch.bfloat16)


def choose_attention(target: Target, graph_module: fx.GraphModule) -> None:
    """Let every attention in a graph and its bodies be the target's."""
    gpu = _on_gpu if target.capability not in _PREFER_CUDNN else _on_recent_gpu
    on_target: dict[str, Callable[..., Any]] = {"cuda": gpu, "mps": _on_apple}
    if target.device not in on_target:
        return
    for module in graph_module.modules():
        if not isinstance(module, fx.GraphModule):
            continue
        for node in module.graph.nodes:
            if node.target is F.scaled_dot_product_attention:
                node.target = on_target[target.device]
        module.recompile()


def _on_recent_gpu(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    **options: Any,
) -> torch.Tensor:
    head, keeps = query.size(-1), any(t.requires_grad for t in (query, key, value))
    fits = _are_alike(query, key, value) and query.dtype in _HALVES and not head % 8 and head <= 256
    if not fits or attn_mask is not None or options.get("enable_gqa"):
        return _on_gpu(query, key, value, attn_mask, dropout_p, is_causal, **options)
    if not torch.backends.cuda.cudnn_sdp_enabled():
        return _on_gpu(query, key, value, attn_mask, dropout_p, is_causal, **options)
    cudnn: Any = aten._scaled_dot_product_cudnn_attention
    scale = options.get("scale")
    return cudnn(query, key, value, None, keeps, dropout_p, is_causal, False, scale=scale)[0]


def _are_alike(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> bool:
    """Whether heads have one size, and there is a batch of them."""
    return query.size(-1) == key.size(-1) == value.size(-1) and query.dim() == 4


def _on_gpu(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    head = query.size(-1)
    same = _are_alike(query, key, value)
    allowed = torch.backends.cuda
    takes_flash = same and query.dtype in _HALVES and attn_mask is None and head <= 256
    if takes_flash and allowed.flash_sdp_enabled():
        scale = head**-0.5 if scale is None else scale
        padded = [F.pad(t, (0, -head % 8)) if head % 8 else t for t in (query, key, value)]
        flash: Any = aten._scaled_dot_product_flash_attention
        return flash(*padded, dropout_p, is_causal, False, scale=scale)[0][..., :head]
    aligned = head % (8 if query.dtype in _HALVES else 4) == 0
    dense = all(t.stride(-1) == 1 for t in (query, key, value, attn_mask) if t is not None)
    takes_efficient = same and aligned and dense and not enable_gqa
    if takes_efficient and allowed.mem_efficient_sdp_enabled():
        bias = None if attn_mask is None else _bias(attn_mask, query, key)
        keeps = any(tensor.requires_grad for tensor in (query, key, value))
        efficient: Any = aten._scaled_dot_product_efficient_attention
        return efficient(query, key, value, bias, keeps, dropout_p, is_causal, scale=scale)[0]
    return _plainly(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)


def _on_apple(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    keeps = any(tensor.requires_grad for tensor in (query, key, value))
    if keeps or dropout_p or enable_gqa or query.dim() != 4:
        return _plainly(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    apple: Any = aten._scaled_dot_product_attention_math_for_mps
    return apple(query, key, value, attn_mask, dropout_p, is_causal, None, scale=scale)[0]


def _plainly(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
) -> torch.Tensor:
    plain: Any = aten._scaled_dot_product_attention_math
    options = {"scale": scale, "enable_gqa": enable_gqa}
    return plain(query, key, value, attn_mask, dropout_p, is_causal, None, **options)[0]


def _bias(mask: torch.Tensor, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """A mask as the kernel takes it: added to the scores, of their full shape, rows aligned."""
    if mask.dtype is torch.bool:
        kept, masked = (torch.scalar_tensor(v, dtype=query.dtype) for v in (0.0, -torch.inf))
        mask = torch.where(mask, kept, masked)
    last, alignment = mask.size(-1), 16
    if last % alignment:
        mask = F.pad(mask, (0, alignment - last % alignment))[..., :last]
    return mask.expand(query.size(0), query.size(1), query.size(2), key.size(2))
