"""Values and straight-line code: what running a lazy tensor's closure records.

In come index expressions; out comes a list of values, each an operator of `operators.OPERATORS` or
`operators.STRUCTURE` with its operands. Within one body equal expressions are one value.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.index import Index, Size
from dynamo_lab.compiler.operators import FLOATS, HALVES, OPERATORS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Number = bool | int | float


class Value:
    """One value of a body: an operator and its operands. Python's operators record new ones."""

    __slots__ = ("args", "body", "dtype", "id", "op", "origin")

    def __init__(
        self, op: str, args: tuple[Any, ...], dtype: torch.dtype, body: Body, origin: str
    ) -> None:
        self.op, self.args, self.dtype, self.body = op, args, dtype, body
        self.id = body.first + len(body.values)
        self.origin = origin
        """The node of the graph whose rule recorded it first."""

    def varies_with(self, name: str) -> bool:
        """Does it depend on the loop variable?"""
        return any(
            (isinstance(arg, Value) and arg.varies_with(name))
            or (isinstance(arg, Index) and arg.uses(name))
            for arg in self.args
        )

    def __add__(self, other: Value | Number) -> Value:
        return apply("add", self, other)

    def __radd__(self, other: Number) -> Value:
        return apply("add", other, self)

    def __sub__(self, other: Value | Number) -> Value:
        return apply("sub", self, other)

    def __rsub__(self, other: Number) -> Value:
        return apply("sub", other, self)

    def __mul__(self, other: Value | Number) -> Value:
        return apply("mul", self, other)

    def __rmul__(self, other: Number) -> Value:
        return apply("mul", other, self)

    def __truediv__(self, other: Value | Number) -> Value:
        return apply("div", self, other)

    def __rtruediv__(self, other: Number) -> Value:
        return apply("div", other, self)

    def __neg__(self) -> Value:
        return apply("neg", self)

    def __repr__(self) -> str:
        return f"%{self.id}"


class Body:
    """The straight-line code of a loop. `with body:` makes it the one that is recorded to."""

    def __init__(self, known: dict[tuple[str, Index], Value] | None = None, first: int = 0) -> None:
        self.values: list[Value] = []
        self.first = first
        """The number of its first value: sections of one kernel are numbered on."""
        self.known = known if known is not None else {}
        """What a buffer holds at an index, where this kernel has stored it: no load is needed."""
        self.mask: Value | None = None
        self._same: dict[Any, Value] = {}
        self._tokens: list[Any] = []

    def __enter__(self) -> Body:
        self._tokens.append(_body.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        _body.reset(self._tokens.pop())

    def record(self, op: str, args: tuple[Any, ...], dtype: torch.dtype) -> Value:
        """The value of an operator; the one that is there already, if it is."""
        key = (op, args, dtype)
        value = self._same.get(key)
        if value is None:
            value = self._same[key] = Value(op, args, dtype, self, _origin.get())
            self.values.append(value)
        return value

    def loads(self) -> Iterator[tuple[str, Index]]:
        """What is read: buffer and index."""
        return ((v.args[0], v.args[1]) for v in self.values if v.op == "load")

    def indices(self) -> Iterator[Index]:
        """The index expressions that its values have for operands."""
        return (arg for value in self.values for arg in value.args if isinstance(arg, Index))

    def __str__(self) -> str:
        return "\n".join(map(line_of, self.values))


def line_of(value: Value) -> str:
    """A value as a line of loop IR."""
    return f"{value}: {str(value.dtype)[6:]} = {value.op}({', '.join(map(ix.shown, value.args))})"


_OF_BOOLS = {"add": "or", "max": "or", "mul": "and", "min": "and", "invert": "not", "ne": "xor"}
"""Arithmetic of bools is logic, and stays 0 or 1."""

WRITES = ("store", "accumulate")
"""The operators that write the element of a buffer: name, index, value."""
EFFECTS = (*WRITES, "reduce")
"""Those for whose sake all others are there."""

_body: ContextVar[Body] = ContextVar("body")
_origin: ContextVar[str] = ContextVar("origin", default="")


@contextmanager
def of_node(name: str) -> Iterator[None]:
    """What is recorded within belongs to this node of the graph."""
    token = _origin.set(name)
    try:
        yield
    finally:
        _origin.reset(token)


def record(op: str, *args: Any, dtype: torch.dtype) -> Value:
    """Record any operator, by name, operands and type of the result."""
    return _body.get().record(op, args, dtype)


def apply(op: str, *operands: Value | Number) -> Value:
    """An operator of the table; numbers take the type of the values beside them."""
    dtype = next(x.dtype for x in operands if isinstance(x, Value))
    op = _OF_BOOLS.get(op, op) if dtype is torch.bool else op
    values = tuple(x if isinstance(x, Value) else const(x, dtype) for x in operands)
    result = torch.bool if OPERATORS[op].gives_bool else dtype
    return _body.get().record(op, values, result)


def const(number: Number, dtype: torch.dtype) -> Value:
    """A number as a value of this type."""
    if dtype in FLOATS:
        number = float(number)
    else:
        number = bool(number) if dtype is torch.bool else int(number)
    return record("const", repr(number), dtype=dtype)


def cast(value: Value, dtype: torch.dtype) -> Value:
    """The value converted, if it is not of this type."""
    return value if value.dtype == dtype else record("cast", value, dtype=dtype)


def where(condition: Value, a: Value, b: Value) -> Value:
    """The second where the first is true, else the third."""
    return record("where", condition, a, b, dtype=a.dtype)


def index(at: Size, dtype: torch.dtype = torch.int64) -> Value:
    """An index expression as a value."""
    return cast(record("index", ix.of(at), dtype=torch.int64), dtype)


def load(buffer: str, at: Index, dtype: torch.dtype) -> Value:
    """The element of a buffer; half precision comes as float32."""
    body = _body.get()
    known = body.known.get((buffer, at))
    if known is not None:
        return known
    value = record("load", buffer, at, body.mask, dtype=dtype)
    return cast(value, torch.float32) if dtype in HALVES else value


def masked(condition: Value, read: Callable[[], Value], other: Number) -> Value:
    """`read()` where the condition holds, else a number.

    Nothing is read elsewhere, so the index may be out of bounds there.
    """
    body = _body.get()
    before = body.mask
    body.mask = condition if before is None else apply("and", before, condition)
    try:
        value = read()
    finally:
        body.mask = before
    return where(condition, value, const(other, value.dtype))


def checked(value: Value, size: Size) -> Index:
    """A value of the kernel as an index into `size` elements."""
    body = _body.get()
    at = record("checked", cast(value, torch.int64), ix.of(size), body.mask, dtype=torch.int64)
    return ix.read(f"@{id(body)}.{at.id}", at, size)
