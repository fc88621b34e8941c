"""The table of lowering rules: an ATen operator and the closure that it becomes.

A rule is a function of a `Call` and of the call's arguments: lazy tensors, numbers, sizes, or names
of what is known at run time. It returns a lazy tensor, or a list of them. It raises `Unsupported`
where it does not hold; ATen computes that call then, and the program's list of fallbacks has the
reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import Number, Value, cast, const, index, record
from dynamo_lab.compiler.index import Index, Size
from dynamo_lab.compiler.operators import computed_in
from dynamo_lab.compiler.tensors import Closure, LazyTensor, LoweredGraph
from dynamo_lab.compiler.work import Named, Unsupported

if TYPE_CHECKING:
    from dynamo_lab.compiler.layout import Position

Rule = Callable[..., Any]
Operand = LazyTensor | Number | Index | Named

RULES: dict[Any, Rule] = {}
"""By overload, as `torch.ops.aten.add.Tensor`, or by its name where it is registered late."""


@dataclass(frozen=True)
class Meta:
    """What is known of a tensor before it is computed."""

    size: tuple[Size, ...]
    stride: tuple[Size, ...]
    dtype: torch.dtype
    device: torch.device


@dataclass(frozen=True)
class Call:
    """A node of the graph that is being lowered."""

    graph: LoweredGraph
    metas: tuple[Meta, ...]
    """Of its results."""

    @property
    def meta(self) -> Meta:
        """Of its only result, or its first."""
        return self.metas[0]

    def tensor(
        self,
        closure: Closure,
        parents: Sequence[LazyTensor],
        *,
        meta: Meta | None = None,
        **more: Any,
    ) -> LazyTensor:
        """The result, or one of them; what `LazyTensor` takes beside is `cost`, `heavy`, `owns`."""
        of = meta or self.meta
        given = self.graph, of.size, of.dtype, closure, parents
        return LazyTensor(*given, stride=of.stride, **more)


def rule(*targets: Any) -> Callable[[Rule], Rule]:
    """Enter a rule for these overloads."""

    def enter(made: Rule) -> Rule:
        RULES.update(dict.fromkeys(targets, made))
        return made

    return enter


def put(target: Any, made: Rule | None) -> None:
    """The rule of an overload from now on; with None it has none."""
    if made is None:
        RULES.pop(target, None)
    else:
        RULES[target] = made


def number(x: Number | Index | Named, dtype: torch.dtype) -> Value:
    """A number that the call is given, as a value of this type."""
    if isinstance(x, Index):
        return index(x, dtype)
    if isinstance(x, Named):
        if x.dtype is None:
            raise Unsupported(f"{x.name} is no number")
        return cast(record("scalar", x.name, dtype=x.dtype), dtype)
    if isinstance(x, complex):
        raise Unsupported("a complex number")
    return const(x, dtype)


def expanded(x: LazyTensor, size: Sequence[Size]) -> Closure:
    """A closure that reads it broadcast to `size`."""
    skipped = len(size) - len(x.size)

    def read(at: Position) -> Value:
        return x([ix.ZERO if n == 1 else i for i, n in zip(at[skipped:], x.size, strict=True)])

    return read


def reader(x: Operand, size: Sequence[Size], dtype: torch.dtype) -> Closure:
    """A closure that reads an operand, broadcast and converted."""
    if isinstance(x, LazyTensor):
        read = expanded(x, size)
        return lambda at: cast(read(at), dtype)
    return lambda _: number(x, dtype)


def pointwise(
    call: Call,
    operands: Sequence[Operand],
    body: Callable[..., Value],
    *,
    computed: torch.dtype | None = None,
    heavy: bool = False,
) -> LazyTensor:
    """`body` of every element; the operands are broadcast and converted to one type first."""
    meta = call.meta
    dtype = computed or computed_in(meta.dtype)
    readers = [reader(x, meta.size, dtype) for x in operands]

    def closure(at: Position) -> Value:
        return cast(body(*(read(at) for read in readers)), computed_in(meta.dtype))

    return call.tensor(closure, tensors(operands), heavy=heavy)


def tensors(operands: Sequence[Any]) -> list[LazyTensor]:
    """The tensors among operands."""
    return [x for x in operands if isinstance(x, LazyTensor)]


def promoted(a: Operand, b: Operand | None = None) -> torch.dtype:
    """The type in which one or two operands are compared."""
    return torch.result_type(_like(a), _like(a if b is None else b))


def _like(x: Operand) -> Any:
    """A tensor or a number that counts as much when types are promoted."""
    match x:
        case LazyTensor():
            return torch.empty([1] * len(x.size), dtype=x.dtype, device="meta")
        case Index():
            return 1
        case Named():
            return {torch.bool: True, torch.int64: 1}.get(x.dtype or torch.float64, 1.0)
        case _:
            return x
