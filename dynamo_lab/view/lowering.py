"""Lowering, operator by operator: what each became, in which buffer it ended, and why."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from dynamo_lab.model.graphs import Graph, Value
from dynamo_lab.model.lowering import Buffer, Cause, Lowered, Lowering, Outcome
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import causes
from dynamo_lab.view.loop_ir import OperatorCount, loop_operators
from dynamo_lab.view.names import operator_name
from dynamo_lab.view.pieces import size_words
from dynamo_lab.view.places import Places, entity
from dynamo_lab.view.titles import GraphTitles
from dynamo_lab.view.values import layout_text, value_text
from dynamo_lab.view.words import listed, plural, unique

LineRow = tuple[str, str, int, int]
"""A line of a loop body: text, operator, node (-1 for none), depth."""


class BufferView(Struct, frozen=True, kw_only=True):
    """A buffer. `nodes` and `during` are nodes of `graph`; `reads` are names, `readers` ids.

    `loops` are pairs of a variable and how often it runs.
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


class StepView(Struct, frozen=True, kw_only=True):
    """A node of the graph being lowered. `rule` and `place` are the function that lowered it.

    `made` are the ids of buffers that were made meanwhile, `ended` of those that compute it.
    """

    node: int
    name: str
    operator: str
    outcome: Outcome
    sentence: str
    rule: str
    place: str
    made: tuple[int, ...]
    ended: tuple[int, ...]
    where: str
    entity: str


class LoweringView(Struct, frozen=True, kw_only=True):
    """A graph's lowering. `counts` are outcomes with how many operators came to each."""

    graph: int
    title: str
    summary: str
    counts: tuple[tuple[str, int], ...]
    steps: tuple[StepView, ...]
    buffers: tuple[int, ...]


class CalledView(Struct, frozen=True, kw_only=True):
    """A kernel that is called instead of a loop, how often, and why. `buffers` are ids."""

    kernel: str
    kind: str
    times: int
    why: str
    buffers: tuple[int, ...]


class LoweringsView(Struct, frozen=True, kw_only=True):
    """All lowerings; `operators` counts the operators of all loop bodies, `empty` says why none."""

    lowerings: tuple[LoweringView, ...] = ()
    buffers: tuple[BufferView, ...] = ()
    operators: tuple[OperatorCount, ...] = ()
    called: tuple[CalledView, ...] = ()
    empty: str = ""


def build(recording: Recording, places: Places) -> LoweringsView:
    """The lowering of each graph, in the order in which Inductor lowered them."""
    if not recording.lowerings:
        return LoweringsView(empty=_why_none(recording))
    titles = GraphTitles(recording).titles
    buffers = _Buffers(recording, places)
    return LoweringsView(
        lowerings=tuple(
            _Graph(recording, places, lowering, buffers).build(titles[lowering.graph])
            for lowering in sorted(recording.lowerings, key=lambda item: item.graph)
        ),
        buffers=tuple(map(buffers.view, recording.buffers)),
        operators=loop_operators(recording.buffers),
        called=tuple(_called(recording, buffers)),
    )


class _Buffers:
    """The buffers of a recording, and who reads and computes what."""

    def __init__(self, recording: Recording, places: Places) -> None:
        self.all = recording.buffers
        self._recording = recording
        self._places = places
        self._readers: dict[tuple[int, str], list[int]] = defaultdict(list)
        self.ended: dict[tuple[int, int], list[int]] = defaultdict(list)
        for buffer in self.all:
            for name in () if buffer.dropped else buffer.reads:
                self._readers[buffer.graph, name].append(buffer.id)
            computed = dict.fromkeys(line.node for line in buffer.body) or buffer.nodes
            for node in () if buffer.dropped else computed:
                self.ended[buffer.graph, node].append(buffer.id)

    def why(self, buffer: Buffer) -> str:
        """Why it is in memory."""
        nodes = self._recording.graphs[buffer.graph].nodes
        during = "" if buffer.during is None else nodes.name[buffer.during]
        why = causes.stored(buffer, during)
        return f"{why} Nothing needs it, so the scheduler drops it." if buffer.dropped else why

    def view(self, buffer: Buffer) -> BufferView:
        """A buffer as it is shown."""
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
            size="" if buffer.bytes is None else size_words(buffer.bytes),
            layout=_layout(buffer, value),
            loops=tuple((loop.variable, loop.size) for loop in buffer.ranges),
            reduction=buffer.reduction,
            reads=buffer.reads,
            readers=tuple(self._readers[buffer.graph, buffer.name]),
            body=tuple((x.text, x.operator, x.node, x.depth) for x in buffer.body),
            where=self._where(buffer),
            dropped=buffer.dropped,
        )

    def _where(self, buffer: Buffer) -> str:
        nodes = self._recording.graphs[buffer.graph].nodes
        stacks = (nodes[index].stack for index in buffer.nodes)
        lines = (self._places.own_line(stack) for stack in stacks)
        return self._places.where_all(line for line in lines if line)


def _layout(buffer: Buffer, value: Value) -> str:
    """How it lies in memory, and who said so."""
    if buffer.kind == "part" or not buffer.layout:
        return layout_text(value)
    if buffer.layout.startswith("Mutation"):
        return f"written over `{buffer.of}`"
    if buffer.layout == "NonOwningLayout":
        return f"lies in `{buffer.of}`"
    if not buffer.shape:
        return ""
    how = layout_text(value) or "row by row"
    is_free = buffer.was_free and (buffer.why is None or buffer.why.cause not in _WITH_STRIDES)
    return f"{how}, chosen by Inductor" if is_free else f"{how}, as required"


_WITH_STRIDES: frozenset[Cause] = frozenset({"strides", "copy", "output"})


class _Graph:
    """Writes the lowering of one graph."""

    def __init__(
        self, recording: Recording, places: Places, lowering: Lowering, buffers: _Buffers
    ) -> None:
        self._graph: Graph = recording.graphs[lowering.graph]
        self._places = places
        self._lowering = lowering
        self._buffers = buffers

    def build(self, title: str) -> LoweringView:
        rows = self._lowering.nodes
        own = [buffer.id for buffer in self._buffers.all if buffer.graph == self._graph.id]
        counts = Counter(row.outcome for row in rows)
        calls = [(outcome, counts[outcome]) for outcome in _SHOWN if counts[outcome]]
        return LoweringView(
            graph=self._graph.id,
            title=title,
            summary=_summary(calls, len(own)),
            counts=tuple(calls),
            steps=tuple(map(self._step, rows)),
            buffers=tuple(own),
        )

    def _step(self, row: Lowered) -> StepView:
        node = self._graph.nodes[row.node]
        rule = None if row.rule is None else self._lowering.rules[row.rule]
        line = self._places.own_line(node.stack)
        return StepView(
            node=row.node,
            name=node.name,
            operator=operator_name(node.target) if node.op.startswith("call_") else node.op,
            outcome=row.outcome,
            sentence=self._sentence(row),
            rule=rule.name if rule else "",
            place=f"{rule.file}:{rule.line}" if rule and rule.file else "",
            made=row.buffers,
            ended=tuple(self._buffers.ended[self._graph.id, row.node]),
            where=self._places.where(line) if line else "",
            entity=entity(line) if line else "",
        )

    def _sentence(self, row: Lowered) -> str:
        match row.outcome:
            case "inlined":
                return self._inlined(row)
            case "realised" | "extern" | "fallback" | "template":
                return self._stored(row)
            case "failed":
                return f"Its lowering failed: {row.error}"
            case "part" if self._held(row):
                return f"One of several results. {self._inlined(row)}"
            case outcome:
                return _SENTENCES[outcome]

    def _stored(self, row: Lowered) -> str:
        kinds = {"extern", "fallback", "template"}
        made = [self._buffers.all[at] for at in row.buffers]
        wanted = [b for b in made if b.kind in kinds] if row.outcome in kinds else made
        own = wanted[-1:] or made[-1:]
        return " ".join(f"`{buffer.name}`: {self._buffers.why(buffer)}" for buffer in own)

    def _held(self, row: Lowered) -> bool:
        return (self._graph.id, row.node) in self._buffers.ended

    def _inlined(self, row: Lowered) -> str:
        """It is a loop without memory: where it is computed in the end."""
        ended = [self._buffers.all[at] for at in self._buffers.ended[self._graph.id, row.node]]
        later = [b for b in ended if _stores(b, row.node) and b.id not in row.buffers]
        if later:
            return f"Stored later, as `{later[0].name}`. {self._buffers.why(later[0])}"
        inside = _names(buffer for buffer in ended if buffer.id not in row.buffers)
        on_the_way = _names(buffer for buffer in ended if buffer.id in row.buffers)
        made = f"It stores {on_the_way} on the way. " if on_the_way else ""
        if not inside:
            return f"{made}A loop that is not stored, and that nothing computes in the end."
        return f"{made}A loop that is not stored: it is computed inside of {inside}."


def _stores(buffer: Buffer, node: int) -> bool:
    """Whether the buffer holds what the node computes, and not something made from it."""
    return bool(buffer.body) and buffer.body[-1].node == node


def _names(buffers: Iterable[Buffer]) -> str:
    return listed([f"`{buffer.name}`" for buffer in buffers], 6)


_SENTENCES: dict[str, str] = {
    "input": "An input of the graph: it is in memory.",
    "constant": "A constant of the graph.",
    "output": "What is handed out has to be in memory now.",
    "view": "Nothing to compute: its readers use other indices into the same memory.",
    "same": "Nothing to do: it is what it was given.",
    "in place": "What it was given is changed in place.",
    "part": "One of several results.",
    "size": "A number that is known while compiling.",
    "nothing": "It has no result.",
}

_SHOWN: tuple[Outcome, ...] = (
    "inlined", "realised", "view", "extern", "fallback", "template", "in place", "same", "part",
    "size", "nothing", "failed",
)  # fmt: skip


def _summary(counts: Sequence[tuple[str, int]], buffers: int) -> str:
    operators = plural(sum(count for _, count in counts), "operator")
    return f"{operators} became {plural(buffers, 'buffer')}"


def _called(recording: Recording, buffers: _Buffers) -> Iterator[CalledView]:
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
            why=" ".join(unique(causes.called_for(buffer) for buffer in made)),
            buffers=tuple(buffer.id for buffer in made),
        )


def _why_none(recording: Recording) -> str:
    if recording.state == "recording":
        return "Nothing is lowered yet: compilation is still going on."
    if not recording.captured_graphs():
        return "No graph was captured, so there was nothing to lower."
    if any(frame.outcome == "failed" for frame in recording.frames):
        return "Compilation failed before a graph was lowered."
    if recording.kernels:
        return "This recording was made by a dynamo_lab that did not keep it."
    return "This backend lowers no graph to loops. The default backend, inductor, does."
