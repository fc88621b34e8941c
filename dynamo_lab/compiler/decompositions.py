"""The decompositions that bring a graph of ATen operators to what the table of rules knows.

Out comes the table that AOTAutograd is given, from operator to what computes it by others: those
of core ATen; of the operators that Inductor decomposes too, those that gain by fusion; and
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
    for packet in (getattr(aten, name) for name in FURTHER.split()):
        overloads = {getattr(packet, name) for name in packet.overloads()}
        table |= {overload: every[overload] for overload in overloads & every.keys()}
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


FURTHER = """_softmax _log_softmax native_layer_norm native_group_norm native_batch_norm
_native_batch_norm_legit _native_batch_norm_legit_functional _native_batch_norm_legit_no_training
linalg_vector_norm dist embedding index_select leaky_relu hardtanh elu _adaptive_avg_pool2d addmv
ldexp narrow_copy permute_copy unbind_copy view_copy"""
"""Operators that are not among core ATen's decompositions."""
COPIES = {aten.slice_copy.Tensor: aten.slice.Tensor, aten.select_copy.int: aten.select.int}
"""Copies for which PyTorch has no decomposition."""
KEPT = (
    aten.addmm.default,  # a matrix library's, whole or its product alone: `lower` decides
    aten._scaled_dot_product_flash_attention_for_cpu.default,
)
