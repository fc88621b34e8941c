"""Buffers: why each is in memory, its layout, and the loop that fills it."""

from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.model.graphs import Value
from dynamo_lab.model.lowering import INDUCTOR, Buffer, Cause
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.origins import where_of
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.values import layout_text, value_text
from dynamo_lab.view.core.words import size, unique
from dynamo_lab.view.lowering import causes

LineRow = tuple[str, str, int, int]
"""A line of a loop body: text, operator, node (-1 for none), depth."""
_DEEPEST = 60  # the most that a line is indented: the file may be anyone's


class BufferView(Struct, frozen=True, kw_only=True):
    """A buffer. `nodes` and `during` are nodes of `graph`; `reads` are names, `readers` ids.

    `loops` are pairs of a variable and its range.
    """

    id: int
    name: str
    graph: int
    kind: str
    form: str
    kernel: str
    during: int | None
    nodes: tuple[int, ...]
    why: str
    value: str
    size: str
    layout: str
    loops: tuple[tuple[str, str], ...]
    reduction: str
    reads: tuple[str, ...]
    readers: tuple[int, ...]
    body: tuple[LineRow, ...]
    where: str
    dropped: bool


class CalledView(Struct, frozen=True, kw_only=True):
    """A kernel that is called instead of a generated loop, how often and why. `buffers` are ids."""

    kernel: str
    kind: str
    times: int
    why: str
    buffers: tuple[int, ...]


class Buffers:
    """The buffers of a recording, with their readers and the nodes they compute."""

    def __init__(self, recording: Recording, places: Places) -> None:
        self.all = recording.buffers
        self._recording = recording
        self._places = places
        self._compilers = {item.graph: item.compiler for item in recording.lowerings}
        self._readers: dict[tuple[int, str], list[int]] = defaultdict(list)
        self._ended: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.of_graph: dict[int, list[int]] = defaultdict(list)
        for buffer in self.all:
            self.of_graph[buffer.graph].append(buffer.id)
            for name in () if buffer.dropped else buffer.reads:
                self._readers[buffer.graph, name].append(buffer.id)
            computed = dict.fromkeys(line.node for line in buffer.body) or buffer.nodes
            for node in () if buffer.dropped else computed:
                self._ended[buffer.graph, node].append(buffer.id)

    def computing(self, graph: int, node: int) -> tuple[Buffer, ...]:
        """The buffers whose loops compute a node."""
        return tuple(self.all[at] for at in self._ended.get((graph, node), ()))

    def why(self, buffer: Buffer) -> str:
        """Why it is in memory."""
        nodes = self._recording.graphs[buffer.graph].nodes
        during = "" if buffer.during is None else nodes.name[buffer.during]
        why = causes.stored(buffer, during, self.compiler(buffer))
        if copy := self._copy_of(buffer):
            why = f"`{during}`, an output of the graph, is copied from it into `{copy.name}`."
        return f"{why} Nothing needs it, so the scheduler removes it." if buffer.dropped else why

    def compiler(self, buffer: Buffer) -> str:
        """Who lowered the buffer's graph."""
        return self._compilers.get(buffer.graph, INDUCTOR)

    def _copy_of(self, buffer: Buffer) -> Buffer | None:
        """What an output became in its own strides, where this is the value that it is made of."""
        if buffer.why is None or buffer.why.cause != "output":
            return None
        readers = (self.all[at] for at in self._readers[buffer.graph, buffer.name])
        return next(
            (
                one
                for one in readers
                if one.why and one.why.cause == "output" and one.during == buffer.during
            ),
            None,
        )

    def view(self, buffer: Buffer) -> BufferView:
        """The view of a buffer."""
        value = Value(
            dtype=buffer.dtype,
            shape=buffer.shape,
            stride=buffer.stride,
            device=buffer.device,
            bytes=buffer.bytes,
        )
        return BufferView(
            id=buffer.id,
            name=buffer.name,
            graph=buffer.graph,
            kind=buffer.kind,
            form=buffer.form,
            kernel=buffer.kernel,
            during=buffer.during,
            nodes=buffer.nodes,
            why=self.why(buffer),
            value=value_text(value) if buffer.dtype else "",
            size="" if buffer.bytes is None else size(buffer.bytes),
            layout=_layout(buffer, value, self.compiler(buffer)),
            loops=tuple((loop.variable, loop.size) for loop in buffer.ranges),
            reduction=buffer.reduction,
            reads=buffer.reads,
            readers=tuple(self._readers[buffer.graph, buffer.name]),
            body=tuple((x.text, x.operator, x.node, min(x.depth, _DEEPEST)) for x in buffer.body),
            where=self._where(buffer),
            dropped=buffer.dropped,
        )

    def _where(self, buffer: Buffer) -> str:
        nodes = [(buffer.graph, node) for node in buffer.nodes]
        return where_of(nodes, self._recording, self._places)


def _layout(buffer: Buffer, value: Value, compiler: str) -> str:
    """Its memory layout, and who chose it."""
    if buffer.kind == "part" or not buffer.layout:
        return layout_text(value)
    if buffer.layout.startswith("Mutation"):
        return f"written over `{buffer.of}`"
    if buffer.layout == "NonOwningLayout":
        return f"is part of `{buffer.of}`"
    if not buffer.shape:
        return ""
    how = layout_text(value) or "contiguous"
    is_free = buffer.was_free and (buffer.why is None or buffer.why.cause not in _WITH_STRIDES)
    return f"{how}, chosen by {compiler}" if is_free else f"{how}, as required"


_WITH_STRIDES: frozenset[Cause] = frozenset({"strides", "copy", "output"})


def called(recording: Recording, buffers: Buffers) -> Iterator[CalledView]:
    """The kernels that are called, the most frequent first."""
    found: dict[tuple[str, str], list[Buffer]] = defaultdict(list)
    for buffer in recording.buffers:
        if buffer.kind in ("extern", "fallback", "template"):
            found[buffer.kernel or buffer.form, buffer.kind].append(buffer)
    for (kernel, kind), made in sorted(found.items(), key=lambda item: -len(item[1])):
        yield CalledView(
            kernel=kernel,
            kind=kind,
            times=len(made),
            why=" ".join(
                unique(causes.called_for(buffer, buffers.compiler(buffer)) for buffer in made)
            ),
            buffers=tuple(buffer.id for buffer in made),
        )
