"""The call of `scaled_dot_product_attention` inside a function that Dynamo captures as one node.

`F.multi_head_attention_forward`, which `nn.MultiheadAttention` calls, is such a one. It is Python:
it is called once more, with the fake tensors of the node, up to that call.
"""

from contextlib import nullcontext
from types import FunctionType
from typing import Any

import torch
from torch import fx

from dynamo_lab.capture.graphs.nodes import traced_value

WITH_A_CALL_INSIDE = (torch.nn.functional.multi_head_attention_forward,)

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class _Reached(Exception):
    """Attention is called with these arguments."""

    def __init__(self, found: Arguments) -> None:
        super().__init__()
        self.found = found


def _reached(*args: Any, **kwargs: Any) -> None:
    raise _Reached((args, kwargs))


def _up_to_attention(function: Any) -> Any:
    """The function, with another one in the place of attention: nothing else has to be changed."""
    names = {**function.__globals__, "scaled_dot_product_attention": _reached}
    made = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def arguments_inside(node: fx.Node) -> Arguments | None:
    """The arguments of the call in a node's function.

    None where it makes none, as `multi_head_attention_forward` with `need_weights=True`, and where
    a size is a symbol: calling it again could add conditions on it to the user's program.
    """
    args, kwargs = fx.map_arg((node.args, node.kwargs), traced_value)
    result = traced_value(node)
    first = result[0] if isinstance(result, tuple) else result
    tensors = [t for t in (*args, *kwargs.values()) if isinstance(t, torch.Tensor)]
    if not isinstance(first, torch.Tensor) or not all(map(_is_static, tensors)):
        return None
    mode = next((m for t in tensors if (m := getattr(t, "fake_mode", None))), nullcontext())
    try:
        with mode, torch.set_grad_enabled(first.requires_grad):
            _up_to_attention(node.target)(*args, **kwargs)
    except _Reached as reached:
        return reached.found
    return None


def _is_static(tensor: torch.Tensor) -> bool:
    return all(isinstance(size, int) for size in (*tensor.shape, *tensor.stride()))
