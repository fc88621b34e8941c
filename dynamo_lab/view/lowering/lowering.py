"""Lowering, operator by operator: what each became, in which buffer it ended up, and why."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec import Struct, structs

from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.lowering import Buffer, Compiler, Lowered, Lowering, Outcome
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.origins import origin_of
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.words import listed, plural
from dynamo_lab.view.cuda_graphs import trees
from dynamo_lab.view.cuda_graphs.trees import CudaTreesView
from dynamo_lab.view.lowering import autotuning, causes, cudagraphs
from dynamo_lab.view.lowering.autotuning import AutotuningView
from dynamo_lab.view.lowering.buffers import Buffers, BufferView, CalledView, called
from dynamo_lab.view.lowering.cudagraphs import CudaGraphsView
from dynamo_lab.view.lowering.loop_ir import OperatorCount, loop_operators


class LoweringStep(Struct, frozen=True, kw_only=True):
    """A node of the graph being lowered. `rule` and `place` are the function that lowered it.

    `made` are the ids of buffers created meanwhile, `ended` of those that compute it.
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
    """A graph's lowering. `counts` are the outcomes and how many operators had each."""

    graph: int
    compiler: Compiler
    title: str
    summary: str
    counts: tuple[tuple[str, int], ...]
    steps: tuple[LoweringStep, ...]
    buffers: tuple[int, ...]
    cuda_graphs: CudaGraphsView | None = None
    autotunings: tuple[AutotuningView, ...] = ()


class LoweringsView(Struct, frozen=True, kw_only=True):
    """All lowerings; `operators` counts the operators of all loop bodies, `empty` says why none.

    `cuda_trees` are the CUDA graphs of a run; `cuda_unknown` says why there are none, where the
    program asks for them.
    """

    lowerings: tuple[LoweringView, ...] = ()
    buffers: tuple[BufferView, ...] = ()
    operators: tuple[OperatorCount, ...] = ()
    called: tuple[CalledView, ...] = ()
    cuda_trees: tuple[CudaTreesView, ...] = ()
    cuda_unknown: str = ""
    empty: str = ""


def build(recording: Recording, places: Places) -> LoweringsView:
    """The lowering of each graph, in the order in which they were lowered."""
    if not recording.lowerings:
        return LoweringsView(empty=_why_none(recording))
    titles = GraphTitles(recording).titles
    replayed = cudagraphs.build(recording, places)
    timed = autotuning.build(recording, places)
    buffers = Buffers(recording, places)
    return LoweringsView(
        lowerings=tuple(
            structs.replace(
                _Graph(recording, places, lowering, buffers).build(titles[lowering.graph]),
                cuda_graphs=replayed.get(lowering.graph),
                autotunings=timed.get(lowering.graph, ()),
            )
            for lowering in sorted(recording.lowerings, key=lambda item: item.graph)
        ),
        buffers=tuple(map(buffers.view, recording.buffers)),
        operators=loop_operators(recording.buffers),
        called=tuple(called(recording, buffers)),
        cuda_trees=trees.build(recording, places),
        cuda_unknown=trees.unknown(recording),
    )


class _Graph:
    """Builds the view of the lowering of one graph."""

    def __init__(
        self, recording: Recording, places: Places, lowering: Lowering, buffers: Buffers
    ) -> None:
        self._graph: Graph = recording.graphs[lowering.graph]
        self._recording = recording
        self._places = places
        self._lowering = lowering
        self._buffers = buffers
        self._has_failed = any(row.outcome == "failed" for row in lowering.nodes)
        self._read = set(chain.from_iterable(self._graph.nodes.inputs))

    def build(self, title: str) -> LoweringView:
        rows = self._lowering.nodes
        own = self._buffers.of_graph.get(self._graph.id, [])
        steps = tuple(map(self._step, rows))
        counts = Counter(step.outcome for step in steps)
        calls = [(outcome, counts[outcome]) for outcome in _SHOWN if counts[outcome]]
        return LoweringView(
            graph=self._graph.id,
            compiler=self._lowering.compiler,
            title=title,
            summary=_summary(calls, len(own)),
            counts=tuple(calls),
            steps=steps,
            buffers=tuple(own),
        )

    def _step(self, row: Lowered) -> LoweringStep:
        node = self._graph.nodes[row.node]
        rule = None if row.rule is None else self._lowering.rules[row.rule]
        origin = origin_of([(self._graph.id, row.node)], self._recording, self._places)
        return LoweringStep(
            node=row.node,
            name=node.name,
            operator=operator_name(node.target) if node.op.startswith("call_") else node.op,
            outcome="realised" if self._later(row) else row.outcome,
            sentence=self._sentence(row),
            rule=rule.name if rule else "",
            place=f"{rule.file}:{rule.line}" if rule and rule.file else "",
            made=row.buffers,
            ended=tuple(b.id for b in self._buffers.computing(self._graph.id, row.node)),
            where=origin.where,
            entity=origin.entity,
        )

    def _sentence(self, row: Lowered) -> str:
        match row.outcome:
            case "inlined":
                return self._inlined(row)
            case "realised" | "extern" | "fallback" | "template":
                return self._stored(row)
            case "failed":
                return f"Its lowering failed: {row.error}"
            case "part" if self._buffers.computing(self._graph.id, row.node):
                return f"One of several results. {self._inlined(row)}"
            case outcome:
                return _SENTENCES[outcome]

    def _stored(self, row: Lowered) -> str:
        made = [self._buffers.all[at] for at in row.buffers]
        called = [buffer for buffer in made if buffer.kind == row.outcome]
        own = called[:1] or made[-1:]
        if not own and row.why:  # a call without a tensor as its result
            return causes.left(row.why, self._lowering.compiler)
        return " ".join(f"`{buffer.name}`: {self._buffers.why(buffer)}" for buffer in own)

    def _later(self, row: Lowered) -> Buffer | None:
        """The buffer that a loop was stored in after its own lowering had finished."""
        if row.outcome not in ("inlined", "part"):
            return None
        ended = self._buffers.computing(self._graph.id, row.node)
        found = (b for b in ended if _stores(b, row.node) and b.id not in row.buffers)
        return next(found, None)

    def _inlined(self, row: Lowered) -> str:
        """Where a loop without its own memory is finally computed."""
        later = self._later(row)
        if later is not None:
            during = "" if later.during is None else self._graph.nodes.name[later.during]
            when = f", when `{during}` was lowered" if during else ""
            return f"Stored only later{when}, as `{later.name}`. {self._buffers.why(later)}"
        ended = self._buffers.computing(self._graph.id, row.node)
        inside = _names(buffer for buffer in ended if buffer.id not in row.buffers)
        on_the_way = _names(buffer for buffer in ended if buffer.id in row.buffers)
        made = f"It stores {on_the_way} on the way. " if on_the_way else ""
        if inside:
            return f"{made}A loop that is not stored: it is computed inside {inside}."
        if self._has_failed:
            return f"{made}A loop that was not stored when lowering failed."
        if row.node in self._read:
            return f"{made}A loop that is not stored: it was folded into indices and numbers."
        return f"{made}A loop that is not stored, and that nothing reads."


def _stores(buffer: Buffer, node: int) -> bool:
    """Whether the buffer holds what the node computes, and not something made from it."""
    return bool(buffer.body) and buffer.body[-1].node == node


def _names(buffers: Iterable[Buffer]) -> str:
    return listed([f"`{buffer.name}`" for buffer in buffers], 6)


_SENTENCES: dict[str, str] = {
    "input": "An input of the graph: it is in memory.",
    "constant": "A constant of the graph.",
    "output": "Outputs have to be in memory now.",
    "view": "Nothing to compute: its readers use other indices into the same memory.",
    "same": "Nothing to do: the result is the input.",
    "in place": "Its input is changed in place.",
    "part": "One of several results.",
    "size": "A number of Python's, such as a size: no kernel computes it.",
    "nothing": "It has no result.",
}

_SHOWN: tuple[Outcome, ...] = (
    "inlined", "realised", "view", "extern", "fallback", "template", "in place", "same", "part",
    "size", "nothing", "failed",
)  # fmt: skip


def _summary(counts: Sequence[tuple[str, int]], buffers: int) -> str:
    operators = plural(sum(count for _, count in counts), "operator")
    return f"{operators} became {plural(buffers, 'buffer')}"


def _why_none(recording: Recording) -> str:
    if recording.state == "recording":
        return "Nothing is lowered yet: compilation is still running."
    if not recording.captured_graphs():
        return "No graph was captured, so there was nothing to lower."
    if any(frame.outcome == "failed" for frame in recording.frames):
        return "Compilation failed before a graph was lowered."
    if recording.kernels:
        return "This recording was made by a version of dynamo_lab that did not record it."
    return "This backend does not lower graphs to loops. The default backend, inductor, does."
