"""Lazy tensors, and the graph of loops and calls that they are stored by.

In come the closures that rules make; out comes a `LoweredGraph`, the work that fusion reads. A
lazy tensor is a closure from a position to a value. Lowering an operator wraps closures in closures
and computes nothing; `realize()` makes a loop that stores into a buffer, and from then on the
closure is a load of it, also for whoever captured the tensor before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import Body, Value, const, load, of_node
from dynamo_lab.compiler.layout import (
    Position,
    contiguous,
    dot,
    flatten,
    is_dense,
    loops,
    same_strides,
    spread,
)
from dynamo_lab.compiler.operators import TYPES
from dynamo_lab.compiler.parts import in_parts
from dynamo_lab.compiler.work import Buffer, Extern, Loop, Reduction, Unsupported, View
from dynamo_lab.model.lowering import Why

if TYPE_CHECKING:
    import torch

    from dynamo_lab.compiler.index import Size
    from dynamo_lab.compiler.work import LoweredNode

Closure = Callable[[Position], Value]


class LazyTensor:
    """A tensor that is not computed yet: a size, a type and a closure."""

    def __init__(
        self,
        graph: LoweredGraph,
        size: Sequence[Size],
        dtype: torch.dtype,
        closure: Closure,
        parents: Sequence[LazyTensor] = (),
        *,
        cost: int = 1,
        heavy: bool = False,
        stride: Sequence[Size] | None = None,
        owns: bool = True,
    ) -> None:
        self.graph, self.size, self.dtype, self.closure = graph, tuple(size), dtype, closure
        self.stride = tuple(stride) if stride is not None else None
        self.origin = graph.current
        self.buffer: Buffer | None = None
        self.device = parents[0].device if parents else graph.device
        self.cost = cost + sum(parent.cost for parent in parents)
        self.reads = frozenset[str]().union(*(parent.reads for parent in parents))
        self.heavy = heavy or any(parent.heavy for parent in parents)
        self._parents, self._owns = tuple(parents), owns

    def __call__(self, position: Sequence[Size]) -> Value:
        """Its value at a position, recorded into the current body."""
        place = tuple(ix.of(at) for at in position)
        if self.buffer:  # a load is the reader's work
            return self.closure(place)
        with of_node(self.origin):
            return self.closure(place)

    @property
    def is_new(self) -> bool:
        """Is it computed and not stored yet?

        As an output it then needs memory of its own, even if each element is a copy; a view of what
        is stored does not.
        """
        if self.buffer:
            return False
        return self._owns or any(parent.is_new for parent in self._parents)

    def become(self, buffer: Buffer) -> LazyTensor:
        """From now on it is what this buffer holds."""
        self.buffer, self.cost, self.heavy = buffer, 0, False
        self.reads, self.device, self._parents = frozenset([buffer.name]), buffer.device, ()
        self.closure = lambda at: load(buffer.name, dot(at, buffer.stride), buffer.dtype)
        return self

    def realize(
        self, stride: Sequence[Size] | None = None, why: Why | None = None, *, exactly: bool = False
    ) -> LazyTensor:
        """Store it, if it is not stored yet; a rule needs it in memory, unless said."""
        if self.buffer:
            return self
        return self.graph.store(self, stride or self.stride, why=why, exactly=exactly)

    def as_view(self) -> View | None:
        """The strided view of a buffer that it is, if it is no more than that."""
        at = loops("q", self.size)
        with Body() as body:
            value = self(at)
        loads = [v for v in body.values if v.op == "load"]
        plain = {"load", "cast"} if len(body.values) == 2 else {"load"}
        if len(loads) != 1 or {v.op for v in body.values} != plain or self.dtype != loads[0].dtype:
            return None
        name, place, mask = loads[0].args
        if mask is not None or value is not body.values[-1]:
            return None
        strides = [place.factor_of(f"q{k}") if n != 1 else 0 for k, n in enumerate(self.size)]
        if any(stride is None for stride in strides):
            return None
        known = tuple(stride for stride in strides if stride is not None)
        offset = ix.plain(place - dot(at, known))
        if not isinstance(offset, int) and any(atom.kind != "size" for atom in offset.atoms()):
            return None
        return View(name, self.size, known, offset)


class LoweredGraph:
    """What lowering writes into: loops and calls in order, buffers, inputs and outputs."""

    def __init__(
        self, device: torch.device, rows: int = 0, adds: Collection[torch.dtype] = TYPES
    ) -> None:
        self.device, self.rows, self.adds = device, rows, adds
        self.current = ""
        self.work: list[Loop | Extern] = []
        self.lowered: list[LoweredNode] = []
        """The nodes in the order in which they were lowered."""
        self.buffers: dict[str, Buffer] = {}
        self.inputs: dict[str, Buffer] = {}
        self.parameters: list[str] = []
        """The names of all that the graph is called with, in order."""
        self.constants: dict[str, Any] = {}
        self.outputs: list[Any] = []
        self.mutated: set[str] = set()
        self.shown_sizes: set[str] = set()
        """The sizes that the wrapper learns from results."""
        self.given_sizes: dict[str, str] = {}
        """Those of what it is given, by name: the Python expression that finds it."""

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.work))

    def define_size(self, size: Size, found: str) -> None:
        """A size that the graph is given, and the Python expression that finds it."""
        if name := ix.of(size).symbol():
            self.given_sizes.setdefault(name, found)

    def derive_size(self, name: str, found: str, of: Sequence[Size]) -> bool:
        """A size that the wrapper computes of others, if it knows them before all else."""
        needed = [atom.name for size in of for atom in ix.of(size).sizes()]
        if all(one in self.given_sizes for one in needed):
            self.given_sizes[name] = found
            return True
        return False

    def find_sizes(self, given: Buffer) -> None:
        """The sizes that a tensor shows which the graph is given."""
        for d, size in enumerate(given.size):
            self.define_size(size, f"{given.name}.size({d})")
        for d, stride in enumerate(given.stride):
            self.define_size(stride, f"{given.name}.stride({d})")

    def buffer(
        self,
        size: Sequence[Size],
        stride: Sequence[Size],
        dtype: torch.dtype,
        device: torch.device | None = None,
        name: str = "",
    ) -> Buffer:
        """New memory, or memory that is given under a name."""
        name = name or f"buf{len(self.buffers) - len(self.inputs)}"
        made = Buffer(name, tuple(size), tuple(stride), dtype, device or self.device, self.current)
        self.buffers[name] = made
        return made

    def tensor_in(self, buffer: Buffer) -> LazyTensor:
        """A tensor that lies in a buffer."""
        made = LazyTensor(self, buffer.size, buffer.dtype, _nothing, stride=buffer.stride)
        return made.become(buffer)

    def store(
        self,
        tensor: LazyTensor,
        stride: Sequence[Size] | None = None,
        into: Buffer | None = None,
        *,
        why: Why | None = None,
        exactly: bool = False,
    ) -> LazyTensor:
        """A loop that computes the tensor, in the order in which its memory lies.

        Args:
            tensor: what is computed.
            stride: its memory's strides, in elements; those with gaps or overlaps only if
                `exactly` these are needed. Along a stride of 0 its elements are one.
            into: memory that is there already.
            why: it is stored.
            exactly: whoever reads it knows no other strides.
        """
        if not into:
            kept = stride is not None and (exactly or is_dense(tensor.size, stride))
            layout = tuple(stride) if kept and stride else contiguous(tensor.size)
            into = self.buffer(tensor.size, layout, tensor.dtype, tensor.device)
        into.why = why or Why(cause="rule")
        strides, closure = into.stride, tensor.closure
        dims = [d for d, n in enumerate(tensor.size) if n != 1 and strides[d] != 0]
        dims.sort(key=lambda d: -ix.hint(strides[d]))
        if 0 in tensor.size:
            return tensor.become(into)

        position = spread(dims, len(tensor.size))
        self.work.append(
            Loop(
                into,
                [tensor.size[d] for d in dims],
                (),
                None,
                lambda outer, _: closure(position(outer)),
                lambda outer: dot(position(outer), strides),
                tensor.origin,
            )
        )
        return tensor.become(into)

    def reduce(
        self, how: Reduction, x: LazyTensor, dims: Sequence[int], keep: bool, dtype: torch.dtype
    ) -> LazyTensor:
        """A loop that joins the values along `dims`; its result is stored at once."""
        rank = len(x.size)
        reduced = sorted({d % rank for d in dims}) if rank else []
        if parts := in_parts(x.size, reduced, self.rows):
            x = self._in_parts(how, x, reduced, *parts)
        kept = [d for d in range(rank) if d not in reduced]
        size = [1 if d in reduced else n for d, n in enumerate(x.size) if keep or d not in reduced]
        if 0 in x.size and 0 not in size:
            if how not in ("sum", "prod"):
                raise Unsupported(f"{how} over no elements")
            nothing = LazyTensor(self, size, dtype, lambda _: const(how == "prod", dtype))
            return nothing.realize()
        buffer = self.buffer(size, contiguous(size), dtype, x.device)
        buffer.why = Why(cause="reduction")
        result = self.tensor_in(buffer)
        outer = [d for d in kept if x.size[d] != 1]
        inner = [d for d in reduced if x.size[d] != 1]
        if 0 in size:
            return result

        position = spread([*outer, *inner], rank)

        def value(at_outer: Position, at_inner: Position) -> Value:
            return x(position((*at_outer, *(at_inner if inner else ()))))

        sizes = [x.size[d] for d in outer]
        self.work.append(
            Loop(
                buffer,
                sizes,
                [x.size[d] for d in inner],
                how if inner else None,
                value,
                lambda at: flatten(at, sizes),
                self.current,
            )
        )
        return result

    def _in_parts(
        self, how: Reduction, x: LazyTensor, reduced: Sequence[int], at: int, count: int
    ) -> LazyTensor:
        """What is left to join: `count` results along dimension `at`, one along the others."""
        whole = self.cut(x, at, count)
        found = self.reduce(how, whole, [1 + d for d in reduced], False, x.dtype)
        kept = [d for d in range(len(x.size)) if d not in reduced]
        left = [count if d == at else 1 if d in reduced else n for d, n in enumerate(x.size)]
        return LazyTensor(
            self,
            left,
            x.dtype,
            lambda place: found((place[at], *(place[d] for d in kept))),
            [found],
            cost=0,
        )

    def cut(self, x: LazyTensor, at: int, count: int) -> LazyTensor:
        """The same elements with a dimension before the others: the parts of dimension `at`."""
        each = ix.of(x.size[at]) // count
        size = [count, *x.size]
        size[1 + at] = ix.plain(each)

        def part(place: Position) -> Value:
            first, *rest = place
            rest[at] = first * each + rest[at]
            return x(rest)

        return LazyTensor(self, size, x.dtype, part, [x], cost=0)

    def view(self, tensor: LazyTensor, stride: Sequence[Size] | None, *, own: bool) -> View:
        """The tensor as strided memory with these strides; copied where it is not that already.

        Args:
            tensor: what is needed.
            stride: the strides that its reader expects, in elements; any if None.
            own: must it be memory that nothing else is called by? Then a copy is one.
        """
        found = None if own and tensor.is_new else tensor.as_view()
        if found is None or not same_strides(found.size, found.stride, stride):
            if tensor.buffer:
                copy = LazyTensor(self, tensor.size, tensor.dtype, tensor.closure, [tensor])
                why = Why(cause="output" if own else "copy")
                tensor = self.store(copy, stride, why=why, exactly=True)
            else:
                why = Why(cause="output" if own else "needed")
                tensor = tensor.realize(stride, why, exactly=True)
            found = tensor.as_view()
            assert found is not None, "what is stored is a view of its buffer"
        if stride is not None and same_strides(found.size, found.stride, stride):
            return View(found.buffer, found.size, tuple(stride), found.offset)
        return found

    def mutate(self, target: LazyTensor, source: LazyTensor) -> None:
        """Write into memory that the graph was given: the end of functionalisation."""
        view = target.as_view()
        if view is None or target.buffer is None:
            raise Unsupported("a write into what is no plain input")
        if source.buffer is None or source.buffer.name in self.inputs:
            # it may read what is written, elsewhere: computed apart, and joined if that is legal
            copy = LazyTensor(self, source.size, source.dtype, source.closure, [source])
            why = Why(cause="mutated", by=target.buffer.name)
            source = self.store(copy, target.buffer.stride, why=why)
        self.mutated.add(target.buffer.name)
        value = LazyTensor(self, target.size, target.dtype, source.closure, [source])
        self.store(value, into=target.buffer, why=Why(cause="in place"))


def _nothing(_: Position) -> Value:
    raise AssertionError("a tensor without a buffer was read")
