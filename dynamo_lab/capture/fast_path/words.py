"""PyTorch's word on a call: what its `forward` leaves in a variable of its own."""

import warnings
from collections.abc import Iterable
from types import CodeType
from typing import Any

from torch import nn

from dynamo_lab.model.fast_path.calls import Kind

FORWARDS: dict[CodeType, Kind] = {
    nn.TransformerEncoder.forward.__code__: "encoder",
    nn.TransformerEncoderLayer.forward.__code__: "layer",
    nn.MultiheadAttention.forward.__code__: "attention",
}

_SET_IN_INIT = "set in init"


def variable_of(names: Iterable[str]) -> str | None:
    """The variable that holds the reason: `why_not_sparsity_fast_path`, `why_not_fast_path`."""
    return next((name for name in names if name.startswith("why_not")), None)


def made_so(module: Any, reason: str) -> str:
    """Why an encoder was made without nested tensors, in the words of its `__init__`.

    They are in the warning that it gives: it is made once more, without layers, to hear it.
    """
    if _SET_IN_INIT not in reason or not getattr(module, "enable_nested_tensor", False):
        return ""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        nn.TransformerEncoder(module.layers[0], 0, enable_nested_tensor=True)
    return next((str(one.message).rpartition(" because ")[2] for one in told), "")
