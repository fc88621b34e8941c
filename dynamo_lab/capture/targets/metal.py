"""Operators whose gradient is a kernel of Metal's, where other devices compose them.

PyTorch dispatches `linear` and `max_pool2d` to MPS in native_functions.yaml, and gives them one
backward operator each in derivatives.yaml. Inductor's own decompositions compose both forward, on
every device, so that only the backward differs.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from dynamo_lab.capture.targets import hooks

aten: Any = torch.ops.aten


def metal_operators() -> Iterator[tuple[Any, Any, Any]]:
    """Each operator with the dispatch key and the function that stand for Metal's kernel."""
    key = hooks.C.get().DispatchKey.AutogradCPU
    yield aten.linear.default, key, _linear
    yield aten.max_pool2d.default, key, _max_pool2d


def pooled_backward_like(grad: Tensor, input: Tensor, *_: Any, **__: Any) -> Tensor:
    """What the backward of a pool gives: PyTorch would ask the device, which is not there."""
    return torch.empty_like(input, memory_format=torch.contiguous_format)


class _Linear(torch.autograd.Function):
    """One operator forward, one backward."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(input, weight)
        with hooks.C.get()._AutoDispatchBelowAutograd():
            return aten.linear.default(input, weight, bias)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        input, weight = ctx.saved_tensors
        needed = list(ctx.needs_input_grad)
        found = aten.linear_backward(input, grads[0], weight, needed)
        return tuple(
            one if is_needed else None for one, is_needed in zip(found, needed, strict=True)
        )


class _MaxPool2d(torch.autograd.Function):
    """One operator forward, one backward."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, *settings: Any) -> Tensor:
        ctx.save_for_backward(input)
        ctx.settings = settings
        with hooks.C.get()._AutoDispatchBelowAutograd():
            return aten.max_pool2d.default(input, *settings)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (input,) = ctx.saved_tensors
        there = aten.max_pool2d_backward(grads[0], input, *ctx.settings)
        return there, *(None for _ in ctx.settings)


def _linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    apply: Any = _Linear.apply
    return apply(input, weight, bias)


def _max_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Tensor:
    apply: Any = _MaxPool2d.apply
    return apply(input, kernel_size, stride, padding, dilation, ceil_mode)
