"""What a recording says of layouts: its convolutions, concatenations, and what oneDNN fused."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from dynamo_lab.model.graphs import Value
from dynamo_lab.model.lowering import Buffer, Lowered
from dynamo_lab.model.passes import Match
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.origins import where_of
from dynamo_lab.view.core.places import Places

Order = Literal["channels last", "contiguous", "either", "other", "unknown"]
"""How a value lies in memory; "either" where sizes of 1 make both the same."""

_CAT = "aten.cat.default"
_ONEDNN = "fx_passes/mkldnn_fusion.py"
_FOLDING = "fx_passes/binary_folding.py"
_MOVES = ("load", "store")


class Convolution(NamedTuple):
    """A convolution as it was lowered: the layouts of its input and result.

    `copied` are the bytes that each call writes to bring its input and its weight into a layout.
    """

    graph: int
    node: int
    where: str
    kernel: str
    shape: tuple[str, ...]
    weight: tuple[str, ...]
    given: Order
    order: Order
    copied: int


class Concat(NamedTuple):
    """A concatenation: Inductor's class that makes it, and how many of its parts are copied."""

    graph: int
    node: int
    where: str
    form: str
    outcome: str
    parts: int
    copied: int


class Rewritten(NamedTuple):
    """What freezing made of the graph: lists of the operators that became one."""

    folded: tuple[tuple[str, ...], ...]
    packed: tuple[str, ...]
    fused: tuple[tuple[str, ...], ...]


def order_of(shape: Sequence[str], stride: Sequence[str]) -> Order:
    """The layout of a tensor with its channels in the second dimension."""
    if len(shape) < 3 or not all(size.isdigit() for size in (*shape, *stride)):
        return "unknown"
    sizes, steps = list(map(int, shape)), list(map(int, stride))
    inner = range(2, len(sizes))
    last = _is_dense(sizes, steps, (0, *inner, 1))
    first = _is_dense(sizes, steps, range(len(sizes)))
    if last and first:
        return "either"
    return "channels last" if last else "contiguous" if first else "other"


def _is_dense(sizes: Sequence[int], steps: Sequence[int], order: Sequence[int]) -> bool:
    """Whether the dimensions in this order, outermost first, leave no gap; of size 1 all do."""
    expected = 1
    for at in reversed(order):
        if sizes[at] != 1 and steps[at] != expected:
            return False
        expected *= sizes[at]
    return True


def convolutions(recording: Recording, places: Places | None = None) -> Iterator[Convolution]:
    """Those that were lowered to a kernel, in order."""
    places, memory = places or Places(recording), _Memory(recording)
    for graph, row, buffers in _lowered(recording):
        made = next((one for one in buffers if _convolves(one)), None)
        if made is None:
            continue
        nodes = recording.graphs[graph].nodes
        node = nodes[row.node]
        inputs = [nodes[at] for at in node.inputs[:2]]
        result = next((one for one in buffers if one.of == made.name and one.shape), made)
        shape = inputs[0].value.shape if inputs else ()
        yield Convolution(
            graph=graph,
            node=row.node,
            where=where_of([(graph, row.node)], recording, places) or node.name,
            kernel=made.kernel or made.form,
            shape=shape,
            weight=inputs[1].value.shape if len(inputs) > 1 else (),
            given=memory.given(made, shape),
            order=order_of(result.shape, result.stride),
            copied=sum(one.bytes or 0 for one in buffers if is_copy(one)),
        )


class _Memory:
    """What is in memory under a name: buffers, whose names each graph has anew, and values."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._buffers = {(one.graph, one.name): one for one in recording.buffers}
        self._values: dict[int, dict[str, Value]] = {}

    def read_by(self, buffer: Buffer) -> Iterator[Buffer]:
        """The buffers that one is made of."""
        names = ((buffer.graph, name) for name in buffer.reads)
        return (self._buffers[name] for name in names if name in self._buffers)

    def given(self, made: Buffer, shape: tuple[str, ...]) -> Order:
        """The layout of the input in memory, before a copy that is made for this alone.

        Strides in the graph are those that eager would give: a buffer may have others.
        """
        for read in made.reads:
            held = self._before_copies(made.graph, read)
            if held is not None and held.shape == shape:
                return order_of(held.shape, held.stride)
        return "unknown"

    def _before_copies(self, graph: int, name: str) -> Buffer | Value | None:
        found = self._buffers.get((graph, name))
        while found is not None and is_copy(found) and found.reads:
            (name,) = found.reads
            found = self._buffers.get((graph, name))
        return found or self._values_of(graph).get(name)

    def _values_of(self, graph: int) -> dict[str, Value]:
        if graph not in self._values:
            nodes = self._recording.graphs[graph].nodes
            values = (nodes.values[at] for at in nodes.value)
            self._values[graph] = dict(zip(nodes.name, values, strict=True))
        return self._values[graph]


def concats(recording: Recording, places: Places | None = None) -> Iterator[Concat]:
    """Those of the graphs that were lowered, in order."""
    places, memory = places or Places(recording), _Memory(recording)
    for graph, row, buffers in _lowered(recording):
        nodes = recording.graphs[graph].nodes
        if nodes.strings[nodes.target[row.node]] != _CAT:
            continue
        joined = next((one for one in buffers if one.kind == "joined"), None)
        read = list(memory.read_by(joined)) if joined else []
        yield Concat(
            graph=graph,
            node=row.node,
            where=where_of([(graph, row.node)], recording, places) or nodes.name[row.node],
            form=row.form,
            outcome=row.outcome,
            parts=len(read),
            copied=sum(map(is_copy, read)),
        )


def rewritten(recording: Recording) -> Rewritten:
    """The matches of the patterns that Inductor keeps for frozen graphs."""
    folded: list[tuple[str, ...]] = []
    packed: list[str] = []
    fused: list[tuple[str, ...]] = []
    for match in (match for one in recording.passes for match in one.matches):
        pattern = recording.patterns[match.pattern]
        if _FOLDING in pattern.place:
            folded.append(_operators(match))
        elif _ONEDNN in pattern.place and pattern.kind == "lowering":
            fused.append(_operators(match))
        elif _ONEDNN in pattern.place and any("reorder" in one.target for one in match.after):
            packed.append(_operators(match)[0])
    return Rewritten(tuple(folded), tuple(packed), tuple(fused))


def is_copy(buffer: Buffer) -> bool:
    """Whether its loop does nothing but load and store one value."""
    operators = tuple(line.operator for line in buffer.body if line.operator)
    return buffer.kind == "pointwise" and operators == _MOVES


def _lowered(recording: Recording) -> Iterator[tuple[int, Lowered, list[Buffer]]]:
    for lowering in recording.lowerings:
        for row in lowering.nodes:
            yield lowering.graph, row, [recording.buffers[at] for at in row.buffers]


def _convolves(buffer: Buffer) -> bool:
    return (
        buffer.kind in ("extern", "template") and "conv" in f"{buffer.kernel}{buffer.form}".lower()
    )


def _operators(match: Match) -> tuple[str, ...]:
    """'convolution', 'relu': what was matched, by the names of operators."""
    return tuple(
        node.target.removeprefix("aten.").removeprefix("mkldnn._").rpartition(".")[0].strip("_")
        for node in match.before
        if node.op == "call_function"
    )
