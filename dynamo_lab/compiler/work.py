"""Buffers, and the two kinds of work on them: loops, and calls of ATen.

Lowering writes them and fusion reads them. In come closures from a position to a value; out comes
the straight-line code of a loop, once for each place that a kernel gives it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import Body, Value, cast, of_node, record
from dynamo_lab.compiler.index import Index, Size
from dynamo_lab.compiler.layout import Position, loops

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import torch
    from torch import fx

    from dynamo_lab.model.lowering import Why

Reduction = str
"""sum, prod, max or min"""


class Unsupported(NotImplementedError):
    """No rule covers this call: ATen computes it. The message is shown as the reason."""


@dataclass(eq=False)
class Buffer:
    """Memory with a layout: where a tensor is stored between kernels."""

    name: str
    size: tuple[Size, ...]
    stride: tuple[Size, ...]
    dtype: torch.dtype
    device: torch.device
    during: str = ""
    """The node that was being lowered when it was made."""
    why: Why | None = None
    """Why a loop's value is in memory."""

    @property
    def elements(self) -> int:
        """How many, for the sizes that it was compiled with."""
        return max(1, ix.hint(ix.product(self.size)))

    @property
    def bytes(self) -> int:
        """How many, for the sizes that it was compiled with."""
        return self.elements * self.dtype.itemsize


@dataclass(frozen=True)
class View:
    """Strided elements of a buffer: what a call of ATen and an output take."""

    buffer: str
    size: tuple[Size, ...]
    stride: tuple[Size, ...]
    offset: Size


@dataclass(frozen=True)
class Named:
    """Something that the wrapper knows by a name: a number of the run time, a graph, a constant."""

    name: str
    dtype: torch.dtype | None = None


def names_in(arg: Any) -> set[str]:
    """The buffers, sizes and numbers that an argument of a call needs."""
    match arg:
        case View(buffer, size, stride, offset):
            parts = [*size, *stride, offset]
            return {buffer} | {atom.name for part in parts for atom in ix.of(part).sizes()}
        case Index():
            return {atom.name for atom in arg.sizes()}
        case Named(name):
            return {name}
        case _:
            return set()


class Loop:
    """For each position in `outer`, and each in `inner` if it reduces: a value into a buffer."""

    keeps_order = False  # its turn among random numbers and checks never matters
    adds = False  # to what is there

    def __init__(
        self,
        buffer: Buffer,
        outer: Sequence[Size],
        inner: Sequence[Size],
        reduction: Reduction | None,
        value: Callable[[Position, Position], Value],
        place: Callable[[Position], Index],
        origin: str,
    ) -> None:
        self.buffer, self.outer, self.inner = buffer, tuple(outer), tuple(inner)
        self.reduction, self.value, self.place, self.origin = reduction, value, place, origin
        self.outer_size, self.inner_size = ix.product(outer), ix.product(inner)
        self._traced: dict[tuple[Position, Position], Body] = {}

    @cached_property
    def body(self) -> Body:
        """Its body over loops of its own.

        Asked for when all is lowered: a tensor that is stored after this loop was made is then
        read, not computed again.
        """
        return self.traced(loops("i", self.outer), loops("r", self.inner))

    @cached_property
    def reads(self) -> set[str]:
        """The buffers and the sizes of the run time that it needs."""
        return {buffer for buffer, _ in self.body.loads()} | _run_time_names(self.body)

    @property
    def writes(self) -> set[str]:
        """The buffer that it fills."""
        return {self.buffer.name}

    def emit(self, outer: Position, inner: Position) -> Value:
        """Record this loop's body with these index expressions for its loop variables."""
        with of_node(self.origin):
            value, at = self.value(outer, inner), self.place(outer)
            if self.reduction:
                name = self.buffer.name
                return record("reduce", self.reduction, value, name, at, dtype=value.dtype)
            value, op = cast(value, self.buffer.dtype), "accumulate" if self.adds else "store"
            return record(op, self.buffer.name, at, value, dtype=self.buffer.dtype)

    def traced(self, outer: Position, inner: Position) -> Body:
        """The body by itself; asked again and again while kernels are formed, so kept."""
        key = (tuple(outer), tuple(inner))
        if key not in self._traced:
            with Body() as body:
                self.emit(*key)
            self._traced[key] = body
        return self._traced[key]

    def __str__(self) -> str:
        loops = " x ".join(map(str, self.outer)) or "one"
        inner = f", {self.reduction} over {' x '.join(map(str, self.inner))}"
        return f"{self.buffer.name}: {loops}{inner if self.reduction else ''}\n{self.body}"


class Scatter(Loop):
    """For each position of a source: its value to where an index says, over or onto what is there.

    Its buffer is `base`'s memory, which nothing else reads.
    """

    def __init__(
        self,
        buffer: Buffer,
        base: Buffer,
        sizes: Sequence[Size],
        value: Callable[[Position], Value],
        place: Callable[[Position], Index],
        origin: str,
        *,
        adds: bool,
    ) -> None:
        super().__init__(buffer, sizes, (), None, lambda at, _: value(at), place, origin)
        self.base, self.adds = base, adds

    @cached_property
    def reads(self) -> set[str]:
        """What it reads, and what it writes over."""
        return super().reads | {self.base.name}


def _run_time_names(body: Body) -> set[str]:
    sizes = {atom.name for at in body.indices() for atom in at.sizes()}
    return sizes | {value.args[0] for value in body.values if value.op == "scalar"}


@dataclass(eq=False)
class Extern:
    """A call of ATen, of another library's operator, or of Python on the sizes."""

    node: str
    target: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    results: list[Buffer | Named | None]
    many: bool
    """Does it return several?"""
    reads: set[str]
    reason: str
    keeps_order: bool = False
    """Does it have an effect beside its results, such as drawing random numbers?"""
    sizes: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    """The sizes that are known by its result only: name -> (buffer, dimension)."""

    @property
    def writes(self) -> set[str]:
        """What is known by it: buffers, numbers and sizes."""
        return {result.name for result in self.results if result} | set(self.sizes)

    def __str__(self) -> str:
        return f"{', '.join(sorted(self.writes)) or '-'}: {self.target}"


@dataclass(frozen=True)
class LoweredNode:
    """A node of the graph, what it became, and how long its rule took, in seconds."""

    node: fx.Node
    result: Any
    seconds: float
