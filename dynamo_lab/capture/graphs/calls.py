"""Calls of operators: tensors by their layout, so that a call can be made again with fake ones."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from dynamo_lab.capture.core.hooks import OPERATORS
from dynamo_lab.capture.core.hooks import PYTREE as pytree
from dynamo_lab.capture.graphs.nodes import dtype_name, function_name
from dynamo_lab.errors import DecompositionError

_LONGEST = 400  # characters of arguments as text


@dataclass(frozen=True, slots=True)
class Layout:
    """A dense tensor without its numbers. `number` tells one that is passed twice from two."""

    number: int
    dtype: torch.dtype
    size: tuple[int, ...]
    stride: tuple[int, ...]
    device: torch.device
    requires_grad: bool

    def __str__(self) -> str:
        """Such as "f32[4, 16]", with the strides where they are not those of rows in order."""
        is_plain = self.stride == _row_major(self.size) or 0 in self.size
        strides = "" if is_plain else f" strides {list(self.stride)}"
        device = "" if self.device.type in ("cpu", "meta") else f" {self.device}"
        return f"{dtype_name(self.dtype)}{list(self.size)}{strides}{device}"

    def fake(self) -> torch.Tensor:
        """A tensor of this layout; a fake one where a FakeTensorMode is on."""
        made = torch.empty_strided(self.size, self.stride, dtype=self.dtype, device=self.device)
        return made.requires_grad_() if self.requires_grad else made


def _row_major(size: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of numbers that lie one after the other."""
    return tuple(math.prod(size[place + 1 :]) for place in range(len(size)))


@dataclass(frozen=True, slots=True)
class CallOf:
    """An operator with its arguments, tensors as layouts."""

    op: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @property
    def name(self) -> str:
        """The operator as PyTorch writes it: "aten.add.Tensor", "torch.nn.functional.gelu"."""
        return operator_text(self.op)

    @property
    def key(self) -> Any:
        """What two calls share that the same rules take apart in the same way."""
        leaves, shape = pytree.tree_flatten((self.args, self.kwargs))
        return self.op, str(shape), tuple(map(_leaf_key, leaves))

    def arguments(self) -> str:
        """The arguments as text: "f32[4, 16], [16], eps=1e-05"."""
        return written(self.args, self.kwargs, _layout_text)

    def tensors(self) -> Iterator[Layout]:
        """The layouts among the arguments, one that is passed twice once."""
        leaves = pytree.tree_leaves((self.args, self.kwargs))
        yield from {leaf.number: leaf for leaf in leaves if isinstance(leaf, Layout)}.values()

    def fakes(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with a tensor for each layout."""
        made = {layout.number: layout.fake() for layout in self.tensors()}
        return self._with(lambda layout: made[layout.number])

    @property
    def is_on_cpu(self) -> bool:
        """Whether all its tensors are there."""
        return all(layout.device.type == "cpu" for layout in self.tensors())

    def on(self, device: torch.device) -> "CallOf":
        """The same call with all tensors, and devices among the arguments, on another device."""
        args, kwargs = pytree.tree_map(
            lambda leaf: device if isinstance(leaf, torch.device) else _moved(leaf, device),
            (self.args, self.kwargs),
        )
        return CallOf(self.op, args, kwargs)

    def _with(self, tensor: Callable[[Layout], Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return pytree.tree_map_only(Layout, tensor, (self.args, self.kwargs))


def _moved(leaf: Any, device: torch.device) -> Any:
    if not isinstance(leaf, Layout):
        return leaf
    rest = (leaf.dtype, leaf.size, leaf.stride)
    return Layout(leaf.number, *rest, device, leaf.requires_grad)


def operator_text(op: Any) -> str:
    """The operator, or the function, as PyTorch writes it."""
    return str(op) if isinstance(op, OPERATORS.OpOverload) else function_name(op)


def call_of(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CallOf:
    """The call on these arguments; a size that may vary is taken as it is in this run.

    Raises:
        DecompositionError: a tensor has no dense layout, or a size is not known.
    """
    numbers: dict[int, int] = {}

    def convert(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            return layout(leaf, numbers.setdefault(id(leaf), len(numbers)))
        return _number(leaf) if isinstance(leaf, _SYMBOLIC) else leaf

    args, kwargs = pytree.tree_map(convert, (args, kwargs))
    return CallOf(op, args, kwargs)


_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)


def layout(tensor: torch.Tensor, number: int = 0) -> Layout:
    """The layout of a dense tensor.

    Raises:
        DecompositionError: the tensor is not dense, or a size is not known.
    """
    if tensor.layout is not torch.strided or tensor.is_nested or tensor.is_quantized:
        kind = "nested" if tensor.is_nested else str(tensor.layout).removeprefix("torch.")
        raise DecompositionError(
            f"A {kind} tensor cannot be traced without its numbers: pass dense tensors."
        )
    size, stride = (tuple(map(_number, found)) for found in (tensor.shape, tensor.stride()))
    return Layout(number, tensor.dtype, size, stride, tensor.device, tensor.requires_grad)


def _number(size: Any) -> Any:
    if not isinstance(size, _SYMBOLIC):
        return size
    hint = size.node.hint
    if hint is None:
        raise DecompositionError("A size is known only at run time: pass tensors of known sizes.")
    return hint


def _leaf_key(leaf: Any) -> Any:
    return leaf if isinstance(leaf, Layout) else (type(leaf), repr(leaf))


def _layout_text(leaf: Any) -> str | None:
    return str(leaf) if isinstance(leaf, Layout) else None


def written(
    args: tuple[Any, ...], kwargs: dict[str, Any], name: Callable[[Any], str | None]
) -> str:
    """Arguments as code, with what `name` knows by that name."""
    parts = [_text(item, name) for item in args]
    parts += [f"{key}={_text(item, name)}" for key, item in kwargs.items()]
    text = ", ".join(parts)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _text(item: Any, name: Callable[[Any], str | None]) -> str:
    known = name(item)
    if known is not None:
        return known
    if isinstance(item, list | tuple):
        inner = ", ".join(_text(part, name) for part in item)
        return f"[{inner}]" if isinstance(item, list) or len(item) != 1 else f"({inner},)"
    return repr(item)
