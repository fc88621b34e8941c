"""Which attention operator `scaled_dot_product_attention` is on a target.

PyTorch chooses in C++, by the device that is there, and calls the kernel's operator
(`aten/src/ATen/native/transformers/attention.cpp`). For a device that is not there its rules, in
`model/attention/`, say which kernel, and it is called here.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F

from dynamo_lab.capture.attention.attention import problem_of
from dynamo_lab.capture.attention.settings import settings
from dynamo_lab.capture.core.private import installed
from dynamo_lab.model.attention.choice import choose
from dynamo_lab.model.attention.platforms import Platform, platform_of
from dynamo_lab.model.targets import Target

aten = torch.ops.aten


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
    def named(self) -> dict[str, Any]:
        """All arguments by their names."""
        return self._asdict()

    @property
    def keeps(self) -> bool:
        """Whether a backward will need what the kernel knows."""
        return any(tensor.requires_grad for tensor in self.inputs)

    def bias(self, lowest: float = -torch.inf) -> torch.Tensor | None:
        """The mask as kernels and mathematics take it: added to the scores."""
        mask = self.attn_mask
        if mask is None or mask.dtype is not torch.bool:
            return mask
        kept, masked = (torch.scalar_tensor(v, dtype=self.query.dtype) for v in (0.0, lowest))
        return torch.where(mask, kept, masked)


def attention_on(target: Target) -> Callable[..., torch.Tensor] | None:
    """What `scaled_dot_product_attention` does on a target; None where it does as on the host."""
    choices: dict[str, Callable[[_Call], torch.Tensor]] = {
        "cuda": partial(_on_gpu, _platform(target)),
        "mps": _on_apple,
    }
    chosen = choices.get(target.device)
    if chosen is None:
        return None

    def attention(*args: Any, **kwargs: Any) -> torch.Tensor:
        return chosen(_Call(*args, **kwargs))

    return attention


def _platform(target: Target) -> Platform:
    """That of the target; AMD's GPUs are taken to choose as an A100 does, which has no cuDNN."""
    like_a100 = Platform(name=target.name, device="cuda", capability=(8, 0), release=installed())
    return platform_of(target, installed()) or like_a100


def _on_gpu(platform: Platform, call: _Call) -> torch.Tensor:
    """The first kernel that is not refused: one of which it is not known is taken to run."""
    problem = problem_of(call.named, settings())
    verdicts = choose(problem, platform).verdicts
    kernel = next((one.kernel for one in verdicts if one.state != "refused"), "math")
    return _KERNELS.get(kernel, _plainly)(call)


def _cudnn(call: _Call) -> torch.Tensor:
    cudnn: Any = aten._scaled_dot_product_cudnn_attention
    bias = call.bias(lowest=-65504.0)  # of float16: cuDNN's kernels take no infinity
    options = (bias, call.keeps, call.dropout_p, call.is_causal, False)
    return cudnn(*call.inputs, *options, scale=call.scale)[0]


def _flash(call: _Call) -> torch.Tensor:
    head = call.query.size(-1)
    scale = head**-0.5 if call.scale is None else call.scale
    padded = [F.pad(t, (0, -head % 8)) if head % 8 else t for t in call.inputs]
    flash: Any = aten._scaled_dot_product_flash_attention
    return flash(*padded, call.dropout_p, call.is_causal, False, scale=scale)[0][..., :head]


def _efficient(call: _Call) -> torch.Tensor:
    bias = call.bias()
    bias = None if bias is None else _aligned(bias, call.query, call.key)
    efficient: Any = aten._scaled_dot_product_efficient_attention
    options = (bias, call.keeps, call.dropout_p, call.is_causal)
    return efficient(*call.inputs, *options, scale=call.scale)[0]


_ALIGNMENT = 8
"""Numbers that rows of a bias lie apart, or a multiple of that."""

_KERNELS = {"cudnn": _cudnn, "flash": _flash, "efficient": _efficient}


def _on_apple(call: _Call) -> torch.Tensor:
    if call.keeps or call.dropout_p or call.enable_gqa or call.query.dim() != 4:
        return _plainly(call)
    apple: Any = aten._scaled_dot_product_attention_math_for_mps
    options = (call.bias(), call.dropout_p, call.is_causal, None)
    return apple(*call.inputs, *options, scale=call.scale)[0]


def _plainly(call: _Call) -> torch.Tensor:
    plain: Any = aten._scaled_dot_product_attention_math
    options = (call.bias(), call.dropout_p, call.is_causal, None)
    named = {"scale": call.scale, "enable_gqa": call.enable_gqa}
    return plain(*call.inputs, *options, **named)[0]


def _aligned(bias: torch.Tensor, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """A bias as the kernel takes it: of the full shape of the scores, rows aligned.

    PyTorch asks the strides, and pads where one is unknown (`preprocess_mask` in `attention.cpp`).
    """
    *strides, dense = bias.stride()
    if dense != 1 or any(not isinstance(s, int) or s % _ALIGNMENT for s in strides):
        last = bias.size(-1)
        bias = F.pad(bias, (0, _ALIGNMENT - last % _ALIGNMENT))[..., :last]
    return bias.expand(query.size(0), query.size(1), query.size(2), key.size(2))
