"""Where a value lies in C, and loops over the elements of several."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.tiny.graph import Node
    from dynamo_lab.tiny.parts import Part

C_TYPES = {
    torch.float32: "float",
    torch.int8: "int8_t",
    torch.int16: "int16_t",
    torch.int32: "int32_t",
    torch.int64: "int64_t",
    torch.uint8: "uint8_t",
}


@dataclass(frozen=True)
class Place:
    """A tensor in C: an expression of a pointer to its first element, shape, strides and type."""

    pointer: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype

    @property
    def count(self) -> int:
        """Its number of elements."""
        return prod(self.shape)

    @property
    def is_contiguous(self) -> bool:
        """Whether its elements follow each other in order."""
        expected = 1
        for size, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if size != 1 and stride != expected:
                return False
            expected *= size
        return True

    def broadcast(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Its strides in a larger shape, 0 where one element stands for all."""
        missing = len(shape) - len(self.shape)
        own = [0 if n == 1 else stride for n, stride in zip(self.shape, self.strides, strict=True)]
        return (*([0] * missing), *own)


class Places(Protocol):
    """Where the values of a step lie."""

    def place(self, node: Node) -> Place:
        """Where the value of a node lies."""
        ...

    def out(self, node: Node) -> Place:
        """Where an operation writes its result."""
        ...

    def element(self, node: Node, at: int) -> str:
        """A pointer to one of several results, empty where nobody reads it."""
        ...

    def part(self, node: Node, at: int) -> Place | None:
        """Where one of several results lies, None where nobody reads it."""
        ...

    def scratch(self, node: Node) -> str:
        """A pointer to the room that an operation needs while it runs."""
        ...

    def apart(self, node: Node) -> tuple[Part, str, str] | None:
        """Of a weight what alone is trained, and the C names of the rest and of the slots."""
        ...


def place_of(base: str, value: Any, *, is_constant: bool = False) -> Place:
    """The place of a tensor whose storage begins at an expression.

    Raises:
        KeyError: there is no C type for its elements.
    """
    const = "const " if is_constant else ""
    pointer = f"(({const}{C_TYPES[value.dtype]} *)({base}) + {value.storage_offset()})"
    return Place(
        pointer.replace(" + 0)", ")"), tuple(value.shape), tuple(value.stride()), value.dtype
    )


def loops(shape: Sequence[int], body: str, prefix: str = "i") -> str:
    """Loops over a shape, the variable of axis 2 being `i2`, around a statement."""
    heads = [
        f"for (int {prefix}{k} = 0; {prefix}{k} < {size}; {prefix}{k}++)"
        for k, size in enumerate(shape)
        if size != 1
    ]
    return " ".join([*heads, body])


def index(strides: Sequence[int], shape: Sequence[int], prefix: str = "i") -> str:
    """The number of an element by the variables of its axes."""
    terms = [
        f"{prefix}{k}" if stride == 1 else f"{prefix}{k} * {stride}"
        for k, (stride, size) in enumerate(zip(strides, shape, strict=True))
        if stride and size != 1
    ]
    return " + ".join(terms) or "0"


def number(value: float) -> str:
    """A number of the graph as a C literal."""
    if value == float("inf"):
        return "INFINITY"
    if value == float("-inf"):
        return "-INFINITY"
    return f"{float(value)!r}f"


class NoCode(Exception):
    """An operator with arguments that there is no C for, with the reason."""


def need(condition: object, reason: str) -> None:
    """Raise `NoCode` with a reason unless a condition holds."""
    if not condition:
        raise NoCode(reason)


def contiguous(*places: Place) -> None:
    """Raise `NoCode` unless the elements of each follow one another."""
    for place in places:
        need(place.is_contiguous, "it reads elements that do not follow each other")


def conv_shape(
    x: Sequence[int],
    out: Sequence[int],
    weight: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> str:
    """A convolution's sizes as a C struct, from the shapes of what it reads and makes."""
    values = [*x, *out[1:], *weight[2:], *stride, *padding, *dilation, groups]
    return f"(const conv_shape){{{', '.join(map(str, values))}}}"


def table_of(channels: Sequence[int]) -> str:
    """Numbers of channels as a C array."""
    return f"(const int[]){{{', '.join(map(str, channels))}}}"
