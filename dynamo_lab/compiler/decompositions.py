"""The decompositions that bring a graph of ATen operators to what the table of rules knows.

Those of core ATen; of the operators that Inductor decomposes too, those that gain by fusion; and
operators on lists of tensors, which become one operator a tensor.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Callable

aten = torch.ops.aten


def decompositions() -> dict[Any, Callable[..., Any]]:
    """By overload, without those of operators that have a rule here now: rules may be changed."""
    found = dict(_every())
    for target in RULES:
        found.pop(target, None)
    return found


@functools.cache
def _every() -> dict[Any, Callable[..., Any]]:
    from dynamo_lab.capture.decompositions.rulebook import rules_of_lists, whole_table

    table = dict(torch.export.default_decompositions().items())
    every = whole_table()
    for packet in FURTHER:
        for name in packet.overloads():
            overload = getattr(packet, name)
            if overload in every:
                table[overload] = every[overload]
    table |= rules_of_lists()
    table[aten.native_dropout.default] = _dropout
    for copy, view in COPIES.items():
        table[copy] = lambda *given, view=view: view(*given).clone()
    return {target: made for target, made in table.items() if target not in KEPT}


def _dropout(x: torch.Tensor, p: float, train: bool | None) -> Any:
    """On the CPU: ATen draws what eager draws, and loops, which fuse, multiply.

    Whole it takes four times as long as drawing. On other devices it draws another stream than
    `bernoulli`, and of a tensor that lies in another order `bernoulli` draws another one.
    """
    if x.device.type != "cpu" or train is False or x.numel() == 0 or not x.is_contiguous():
        return NotImplemented
    mask = aten.bernoulli.p(torch.empty_like(x, dtype=torch.bool), 1 - p)
    return x * mask * (1 / (1 - p) if p < 1 else 0.0), mask


FURTHER = (
    aten._softmax,
    aten._log_softmax,
    aten._softmax_backward_data,
    aten._log_softmax_backward_data,
    aten.native_layer_norm,
    aten.native_group_norm,
    aten._native_batch_norm_legit,
    aten._native_batch_norm_legit_functional,
    aten._native_batch_norm_legit_no_training,
    aten.native_batch_norm,
    aten.linalg_vector_norm,
    aten.embedding,
    aten.index_select,
    aten.leaky_relu,
    aten.hardtanh,
    aten.elu,
    aten.masked_fill,
    aten.select_backward,
    aten.slice_backward,
    aten._adaptive_avg_pool2d,
    aten.addmv,
    aten.dist,
    aten.ldexp,
    aten.narrow_copy,
    aten.permute_copy,
    aten.unbind_copy,
    aten.view_copy,
)
COPIES = {aten.slice_copy.Tensor: aten.slice.Tensor, aten.select_copy.int: aten.select.int}
"""Copies for which PyTorch has no decomposition."""
KEPT = (
    aten.addmm.default,  # a matrix library's, whole or its product alone: `lower` decides
    aten._scaled_dot_product_flash_attention_for_cpu.default,
)
