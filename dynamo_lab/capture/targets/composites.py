"""Operators that PyTorch composes of others in C++, each in another way on another device.

C++ sees the host, where fake tensors keep their dispatch keys, so those that turn to the device
are composed here as they are on the target. PyTorch asks such Python implementations first while
it traces. The rest of its C++ compositions do not look at the device.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from dynamo_lab.capture.core.undo import Changes, Undo
from dynamo_lab.capture.targets import hooks
from dynamo_lab.capture.targets.attention import attention_on
from dynamo_lab.capture.targets.metal import metal_operators, pooled_backward_like
from dynamo_lab.model.targets import Target

aten: Any = torch.ops.aten
_GPU_KERNELS = (aten._fused_rms_norm.default,)
_METAL_KERNELS = (*_GPU_KERNELS, aten.linear.default, aten.max_pool2d.default)
_KERNELS = {"cuda": _GPU_KERNELS, "rocm": _GPU_KERNELS, "mps": _METAL_KERNELS}
"""Operators with a kernel of the device's own, which a CPU composes.

From native_functions.yaml, which each PyTorch brings along in `torchgen`: of a device that it was
not built for, the dispatcher knows no kernel.
"""


_CUDNN_TYPES = (torch.float16, torch.float32, torch.float64)


def composed_for(target: Target) -> Changes[None]:
    """For the block, operators are composed as on the target."""

    def make(undo: Undo) -> None:
        for operator, key, implementation in _composed(target):
            undo.add(operator._dispatch_cache.clear)
            undo.put(operator.py_kernels, key, implementation)
            operator._dispatch_cache.clear()
        for row in hooks.DECOMPOSED:
            undo.replace(*row.place(), _is_composed(target))
        _shapes(undo)

    return Changes(make)


def _is_composed(target: Target) -> Callable[..., bool]:
    """Tells whether an operator is composed of others on a target."""
    own = _KERNELS.get(target.kind, ())
    registered = hooks.C.get()._dispatch_has_kernel_for_dispatch_key

    def is_composed(func: Any, flat_args: Any) -> bool:
        return not registered(func.name(), "CPU") and func not in own

    return is_composed


def _shapes(undo: Undo) -> None:
    """What kernels give where PyTorch asks the device itself, which is not there."""
    library = torch.library.Library("aten", "FRAGMENT")
    known = {
        "_thnn_fused_gru_cell": _gru_like,
        "_thnn_fused_gru_cell_backward": _gru_back_like,
        "cudnn_grid_sampler": _sampled_like,
        "max_pool2d_backward": pooled_backward_like,
    }
    undo.add(library._destroy)
    for name, fake in known.items():
        torch.library.register_fake(f"aten::{name}", fake, lib=library)


def _gru_like(
    input_gates: Tensor,
    hidden_gates: Tensor,
    hx: Tensor,
    input_bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    workspace = hx.new_empty(hx.size(0), hx.size(1) * 5)
    return torch.empty_like(hx, memory_format=torch.contiguous_format), workspace


def _gru_back_like(grad: Tensor, workspace: Tensor, has_bias: bool) -> tuple[Any, ...]:
    rows, hidden = workspace.size(0), workspace.size(1) // 5
    gates = [workspace.new_empty(rows, hidden * 3) for _ in range(2)]
    biases = [workspace.new_empty(hidden * 3) if has_bias else None for _ in range(2)]
    return *gates, torch.empty_like(grad, memory_format=torch.contiguous_format), *biases


def _sampled_like(input: Tensor, grid: Tensor) -> Tensor:
    return input.new_empty(*input.shape[:2], *grid.shape[1:3])


def _composed(target: Target) -> Iterator[tuple[Any, Any, Callable[..., Any]]]:
    keys = hooks.C.get().DispatchKey
    composed = keys.CompositeImplicitAutograd
    attention = attention_on(target)
    if attention is not None:
        yield aten.scaled_dot_product_attention.default, composed, attention
    if target.device != "cpu":
        yield aten._fused_rms_norm.default, keys.AutogradCPU, _rms_norm
        yield aten.group_norm.default, composed, _group_norm
    if target.device == "mps":
        yield from metal_operators()
    if target.device == "cuda":
        yield aten.lstm_cell.default, composed, _lstm_cell
        yield aten.gru_cell.default, composed, _gru_cell
        yield aten.grid_sampler.default, composed, _grid_sampler


class _RMSNorm(torch.autograd.Function):
    """One operator with its own backward, where the host composes both."""

    @staticmethod
    def forward(
        ctx: Any, input: Tensor, shape: Any, weight: Tensor | None, eps: float | None
    ) -> Any:
        with hooks.C.get()._AutoDispatchBelowAutograd():
            result, scale = aten._fused_rms_norm.default(input, shape, weight, eps)
        ctx.save_for_backward(input, scale, weight)
        ctx.shape = shape
        ctx.mark_non_differentiable(scale)
        return result, scale

    @staticmethod
    def backward(ctx: Any, grad: Tensor, *_: Any) -> Any:
        input, scale, weight = ctx.saved_tensors
        needed = [ctx.needs_input_grad[0], ctx.needs_input_grad[2]]
        there, weights = aten._fused_rms_norm_backward(
            grad, input, ctx.shape, scale, weight, needed
        )
        return there, None, weights, None


def _rms_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None
) -> tuple[Tensor, Tensor]:
    apply: Any = _RMSNorm.apply
    return apply(input, normalized_shape, weight, eps)


def _group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """A kernel for contiguous inputs, where that of a CPU takes channels last too."""
    batch, channels, *rest = input.shape
    dense = [None if t is None else t.contiguous() for t in (input, weight, bias)]
    sizes = (batch, channels, math.prod(rest), num_groups)
    return aten.native_group_norm(*dense, *sizes, eps)[0]


_BILINEAR, _ZEROS = 0, 0
"""`interpolation_mode` and `padding_mode` of `grid_sampler`, as ATen numbers them."""


def _grid_sampler(input: Tensor, grid: Tensor, mode: int, padding: int, aligned: bool) -> Tensor:
    """CuDNN's where it has one, as `cond_cudnn_grid_sampler` in GridSamplerUtils.h says."""
    takes = torch.backends.cudnn.enabled and input.dtype in _CUDNN_TYPES and input.numel() > 0
    asked = (mode, padding, aligned) == (_BILINEAR, _ZEROS, True)
    if takes and asked and input.dim() == 4 and input.size(1) <= 1024:
        return aten.cudnn_grid_sampler(input, grid)
    plain = aten.grid_sampler_2d if input.dim() == 4 else aten.grid_sampler_3d
    return plain(input, grid, mode, padding, aligned)


def _lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    gates = torch.matmul(input, w_ih.t()), torch.matmul(hx[0], w_hh.t())
    hidden, cell, _ = aten._thnn_fused_lstm_cell(*gates, hx[1], b_ih, b_hh)
    return hidden, cell


def _gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    gates = torch.matmul(input, w_ih.t()), torch.matmul(hx, w_hh.t())
    return aten._thnn_fused_gru_cell(*gates, hx, b_ih, b_hh)[0]
