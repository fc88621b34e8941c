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
    from collections.abc import Callable, Iterator

aten = torch.ops.aten


def decompositions() -> dict[Any, Callable[..., Any]]:
    """By overload, without those of operators that have a rule here now: rules may be changed."""
    found = dict(_every())
    for target in RULES:
        found.pop(target, None)
    return found


@functools.cache
def _every() -> dict[Any, Callable[..., Any]]:
    from dynamo_lab.capture.decompositions.rulebook import whole_table

    table = dict(torch.export.default_decompositions().items())
    every = whole_table()
    for packet in FURTHER:
        for name in packet.overloads():
            overload = getattr(packet, name)
            if overload in every:
                table[overload] = every[overload]
    table |= dict(_of_lists())
    return {target: made for target, made in table.items() if target not in KEPT}


def _of_lists() -> Iterator[tuple[Any, Callable[..., Any]]]:
    """Operators on lists, as optimizers call them: the operator of the same name for each."""
    for listed in dir(aten):
        each = getattr(torch, listed.removeprefix("_foreach_"), None)
        if not listed.startswith("_foreach_") or listed in NOT_BY_NAME or each is None:
            continue
        packet = getattr(aten, listed)
        for name in packet.overloads():
            overload = getattr(packet, name)
            if not (name == "out" or name.endswith("_out") or overload._schema.is_mutable):
                yield overload, _one_by_one(each, overload._schema)


def _one_by_one(each: Callable[..., Any], schema: Any) -> Callable[..., list[Any]]:
    scales = each in (torch.addcmul, torch.addcdiv)
    names = [argument.name for argument in schema.arguments]

    def run(*given: Any, **named: Any) -> list[Any]:
        args = dict(zip(names, given, strict=False)) | named
        count = next(len(arg) for arg in args.values() if isinstance(arg, list | tuple))
        found: list[Any] = []
        for k in range(count):
            mine = {
                key: arg[k] if isinstance(arg, list | tuple) else arg for key, arg in args.items()
            }
            options = {"alpha": mine.pop("alpha")} if "alpha" in mine else {}
            values = list(mine.values())
            if scales and len(values) > 3:  # named by the operator, not by that of lists
                options["value"] = values.pop()
            found.append(each(*values, **options))
        return found

    return run


NOT_BY_NAME = ("_foreach_norm", "_foreach_copy", "_foreach_powsum")
"""Whose operator for one tensor takes other arguments."""

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
)
KEPT = (
    aten.addmm.default,  # one call of a matrix library
    aten._scaled_dot_product_flash_attention_for_cpu.default,
    aten.native_dropout.default,  # draws the numbers that eager draws
)
