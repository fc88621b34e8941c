"""Which attention operator `scaled_dot_product_attention` is on a target.

PyTorch chooses in C++, by the device that is there (`aten/src/ATen/native/transformers/cuda/
sdp_utils.cpp` and `.../attention.cpp`). For a device that is not there, its rules are followed
here: for half precision cuDNN's attention on the GPUs that prefer it, else, without a mask, flash
attention; memory-efficient attention for the rest; plain mathematics for what none takes, or where
`torch.nn.attention.sdpa_kernel` or `torch.backends.cuda` forbid them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F

from dynamo_lab.model.targets import Target

aten = torch.ops.aten
_PREFER_CUDNN = ((9, 0), (10, 0))
"""Compute capabilities on which cuDNN comes first, since torch 2.9."""

_HALVES = (torch.float16, torch.bfloat16)


class _Call(NamedTuple):
    """A call of `scaled_dot_product_attention`."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    attn_mask: torch.Tensor | None = None
    dropout_p: float = 0.0
    is_causal: bool = False
    scale: float | None = None
    enable_gqa: bool = False

    @property
    def inputs(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Query, key and value."""
        return self.query, self.key, self.value

    @property
    def head(self) -> int:
        """The size of a head."""
        return self.query.size(-1)

    @property
    def keeps(self) -> bool:
        """Whether a backward will need what the kernel knows."""
        return any(tensor.requires_grad for tensor in self.inputs)

    @property
    def bias(self) -> torch.Tensor | None:
        """The mask as kernels and mathematics take it: added to the scores."""
        mask = self.attn_mask
        if mask is None or mask.dtype is not torch.bool:
            return mask
        kept, masked = (torch.scalar_tensor(v, dtype=self.query.dtype) for v in (0.0, -torch.inf))
        return torch.where(mask, kept, masked)

    @property
    def is_half(self) -> bool:
        """Whether it is of half precision."""
        return self.query.dtype in _HALVES

    @property
    def is_alike(self) -> bool:
        """Whether heads have one size, and there is a batch of them."""
        return self.query.dim() == 4 and all(t.size(-1) == self.head for t in self.inputs)


def attention_on(target: Target) -> Callable[..., torch.Tensor] | None:
    """What `scaled_dot_product_attention` does on a target; None where it does as on the host."""
    gpu = _on_gpu if target.capability not in _PREFER_CUDNN else _on_recent_gpu
    choices: dict[str, Callable[[_Call], torch.Tensor]] = {"cuda": gpu, "mps": _on_apple}
    choose = choices.get(target.device)
    if choose is None:
        return None

    def attention(*args: Any, **kwargs: Any) -> torch.Tensor:
        return choose(_Call(*args, **kwargs))

    return attention


def _on_recent_gpu(call: _Call) -> torch.Tensor:
    fits = call.is_alike and call.is_half and not call.head % 8 and call.head <= 256
    if not (fits and torch.backends.cuda.cudnn_sdp_enabled()):
        return _on_gpu(call)
    cudnn: Any = aten._scaled_dot_product_cudnn_attention
    options = (call.bias, call.keeps, call.dropout_p, call.is_causal, False)
    return cudnn(*call.inputs, *options, scale=call.scale)[0]


def _on_gpu(call: _Call) -> torch.Tensor:
    head, allowed = call.head, torch.backends.cuda
    takes_flash = call.is_alike and call.is_half and call.attn_mask is None and head <= 256
    if takes_flash and allowed.flash_sdp_enabled():
        scale = head**-0.5 if call.scale is None else call.scale
        padded = [F.pad(t, (0, -head % 8)) if head % 8 else t for t in call.inputs]
        flash: Any = aten._scaled_dot_product_flash_attention
        return flash(*padded, call.dropout_p, call.is_causal, False, scale=scale)[0][..., :head]
    aligned = head % (8 if call.is_half else 4) == 0
    dense = all(t.stride(-1) == 1 for t in (*call.inputs, call.attn_mask) if t is not None)
    takes_efficient = call.is_alike and aligned and dense and not call.enable_gqa
    if takes_efficient and allowed.mem_efficient_sdp_enabled():
        bias = call.bias
        bias = None if bias is None else _aligned(bias, call.query, call.key)
        efficient: Any = aten._scaled_dot_product_efficient_attention
        options = (bias, call.keeps, call.dropout_p, call.is_causal)
        return efficient(*call.inputs, *options, scale=call.scale)[0]
    return _plainly(call)


def _on_apple(call: _Call) -> torch.Tensor:
    if call.keeps or call.dropout_p or call.enable_gqa or call.query.dim() != 4:
        return _plainly(call)
    apple: Any = aten._scaled_dot_product_attention_math_for_mps
    options = (call.bias, call.dropout_p, call.is_causal, None)
    return apple(*call.inputs, *options, scale=call.scale)[0]


def _plainly(call: _Call) -> torch.Tensor:
    plain: Any = aten._scaled_dot_product_attention_math
    options = (call.bias, call.dropout_p, call.is_causal, None)
    named = {"scale": call.scale, "enable_gqa": call.enable_gqa}
    return plain(*call.inputs, *options, **named)[0]


def _aligned(bias: torch.Tensor, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """A bias as the kernel takes it: of the full shape of the scores, rows aligned."""
    last, alignment = bias.size(-1), 16
    if last % alignment:
        bias = F.pad(bias, (0, alignment - last % alignment))[..., :last]
    return bias.expand(query.size(0), query.size(1), query.size(2), key.size(2))
