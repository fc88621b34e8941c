"""Calls of transformer modules drawn by lot: how they are made, trained, masked and called."""

from __future__ import annotations

import random
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KINDS = ("encoder", "layer", "attention")
_BATCH, _LENGTH, _SIZE = 2, 6, 24


class Configuration(NamedTuple):
    """A module, and the call of it."""

    module: nn.Module
    call: Callable[[], Any]


def configurations(count: int, seed: int = 0) -> Iterator[Configuration]:
    """As many calls, the same ones each time; few conditions at once do not hold."""
    lot = random.Random(seed)
    for at in range(count):
        yield _drawn(lot, KINDS[at % len(KINDS)])


def _drawn(lot: random.Random, kind: str) -> Configuration:
    def rarely(value: Any, usual: Any) -> Any:
        return value if lot.random() < 0.08 else usual

    module = _attention(rarely) if kind == "attention" else _encoder(rarely, kind)
    module.train(rarely(True, False))
    batch = () if rarely(True, False) else (_BATCH,)
    x = torch.randn(*batch, _LENGTH, _SIZE)
    padding = _padding(lot, (*batch, _LENGTH), is_in_front=rarely(True, False))
    if batch and not _is_batch_first(module):
        x = x.transpose(0, 1)
    mask = torch.ones(_LENGTH, _LENGTH, dtype=torch.bool).triu(1) if rarely(True, False) else None
    if mask is not None and lot.random() < 0.5:
        mask = torch.zeros(mask.shape).masked_fill(mask, float("-inf"))
        padding = None
    grad, cast, allowed = rarely(True, False), rarely(True, False), rarely(False, True)
    if kind == "attention":
        key = x.clone() if rarely(True, False) else x
        given: dict[str, Any] = {"key_padding_mask": padding, "attn_mask": mask}
        inputs = (x, key, key)
    else:
        given = {"src_key_padding_mask": padding, "mask" if kind == "encoder" else "src_mask": mask}
        inputs = (x,)

    def call() -> Any:
        torch.backends.mha.set_fastpath_enabled(allowed)
        try:
            with torch.set_grad_enabled(grad), torch.autocast("cpu", torch.bfloat16, enabled=cast):
                return module(*inputs, **given)
        finally:
            torch.backends.mha.set_fastpath_enabled(True)

    return Configuration(module, call)


def _padding(
    lot: random.Random, dims: tuple[int, ...], *, is_in_front: bool
) -> torch.Tensor | None:
    if lot.random() < 0.4:
        return None
    hidden = torch.zeros(dims, dtype=torch.bool)
    hidden[..., slice(2) if is_in_front else slice(-2, None)] = True
    return hidden


def _is_batch_first(module: nn.Module) -> bool:
    return all(m.batch_first for m in module.modules() if isinstance(m, nn.MultiheadAttention))


def _attention(rarely: Callable[[Any, Any], Any]) -> nn.Module:
    return nn.MultiheadAttention(
        _SIZE,
        rarely(3, 4),
        bias=rarely(False, True),
        batch_first=rarely(False, True),
        add_bias_kv=rarely(True, False),
        add_zero_attn=rarely(True, False),
    )


def _encoder(rarely: Callable[[Any, Any], Any], kind: str) -> nn.Module:
    layer = nn.TransformerEncoderLayer(
        _SIZE,
        rarely(3, 4),
        dim_feedforward=32,
        activation=rarely(functional.silu, "relu"),
        batch_first=rarely(False, True),
        norm_first=rarely(True, False),
        bias=rarely(False, True),
    )
    if rarely(True, False):
        layer.norm1.eps = 1e-3
    if rarely(True, False):
        layer.linear1.register_forward_hook(_nothing)
    if kind == "layer":
        return layer
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says why it does not skip padding
        return nn.TransformerEncoder(layer, 2, enable_nested_tensor=rarely(False, True))


def _nothing(*_: Any) -> None:
    """A hook."""
