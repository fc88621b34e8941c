"""The backend `lab`, operator by operator: the node, its rule, its loops, its kernel, its texts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from msgspec import Struct

from dynamo_lab.model.compiler import LabGraph, LabKernel, LabLine, LabText, LabTurns
from dynamo_lab.model.lowering import Buffer, Outcome
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.origins import origin_of
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.lowering.lowering import LoweringStep, LoweringsView, LoweringView

StageLine = tuple[str, tuple[int, ...]]
"""A line of a stage's text, and the nodes of the graph that it computes for."""


class StageText(Struct, frozen=True, kw_only=True):
    """A kernel in a language; `note` says why there is none, or that it does not run here."""

    language: str
    lines: tuple[StageLine, ...]
    note: str = ""


class StageRule(Struct, frozen=True, kw_only=True):
    """The closure that lowers an operator: its function, where it is, and its source."""

    name: str
    place: str
    text: str


class StageLoop(Struct, frozen=True, kw_only=True):
    """The loop of a buffer before it shares a kernel. `head` are the loops around its lines."""

    buffer: str
    head: str
    lines: tuple[StageLine, ...]


class StageTurns(Struct, frozen=True, kw_only=True):
    """A loop of a kernel: its name, how often it turns, and its tile and unrolling, 0 for none."""

    name: str
    size: str
    reduces: bool
    tile: int
    unroll: int


class StageKernel(Struct, frozen=True, kw_only=True):
    """A kernel: the buffers whose loops it joins, as loop IR, and in each language.

    `turns` are the loops that can be ordered, tiled and unrolled, the outermost first; `is_tuned`
    where the reader did.
    """

    id: int
    name: str
    buffers: tuple[str, ...]
    lines: tuple[StageLine, ...]
    texts: tuple[StageText, ...]
    turns: tuple[StageTurns, ...] = ()
    is_tuned: bool = False


class StageOperator(Struct, frozen=True, kw_only=True):
    """An operator on its way: `rule`, `loops` and `kernels` are places in its graph's tables.

    `rule` is -1 where ATen computes it, or where its rule is not recorded. `line` is the text of
    the reader's line, if it has one.
    """

    node: int
    name: str
    operator: str
    outcome: Outcome
    sentence: str
    where: str
    entity: str
    line: str
    rule: int = -1
    loops: tuple[int, ...] = ()
    kernels: tuple[int, ...] = ()


class StageGraph(Struct, frozen=True, kw_only=True):
    """The stages of one graph."""

    graph: int
    title: str
    summary: str
    operators: tuple[StageOperator, ...]
    rules: tuple[StageRule, ...]
    loops: tuple[StageLoop, ...]
    kernels: tuple[StageKernel, ...]


class CompilerView(Struct, frozen=True, kw_only=True):
    """The graphs that the backend `lab` compiled; `empty` says why there are none."""

    graphs: tuple[StageGraph, ...] = ()
    empty: str = ""


def build(recording: Recording, places: Places, lowered: LoweringsView) -> CompilerView:
    """The stages of each graph that this compiler lowered."""
    if not recording.lab_graphs:
        return CompilerView(empty=_why_none(recording))
    found = {one.graph: one for one in lowered.lowerings}
    return CompilerView(
        graphs=tuple(
            _Graph(recording, places, lab, found[lab.graph]).build()
            for lab in recording.lab_graphs
            if lab.graph in found
        )
    )


class _Graph:
    def __init__(
        self, recording: Recording, places: Places, lab: LabGraph, lowered: LoweringView
    ) -> None:
        self._recording, self._places = recording, places
        self._lab, self._lowered = lab, lowered
        buffers = [recording.buffers[at] for at in lowered.buffers]
        self._loops = [buffer for buffer in buffers if buffer.body]

    def build(self) -> StageGraph:
        rules = {use.node: use.rule for use in self._lab.uses}
        loops = _users([[line.node for line in buffer.body] for buffer in self._loops])
        kernels = _users([list(_nodes_of(kernel)) for kernel in self._lab.kernels])
        steps = [s for s in self._lowered.steps if s.outcome not in ("input", "output", "constant")]
        operators = tuple(
            self._operator(step, rules.get(step.node, -1), loops[step.node], kernels[step.node])
            for step in steps
        )
        called = sum(step.outcome == "fallback" for step in steps)
        by_aten = f", {plural(called, 'call')} of ATen" if called else ""
        return StageGraph(
            graph=self._lab.graph,
            title=self._lowered.title,
            summary=f"{plural(len(operators), 'operator')}, {plural(len(self._loops), 'loop')}, "
            f"{plural(len(self._lab.kernels), 'kernel')}{by_aten}",
            operators=operators,
            rules=tuple(
                StageRule(name=rule.name, place=_place(rule.file, rule.line), text=rule.text)
                for rule in self._lab.rules
            ),
            loops=tuple(map(_loop, self._loops)),
            kernels=tuple(map(_kernel, self._lab.kernels)),
        )

    def _operator(
        self, step: LoweringStep, rule: int, loops: list[int], kernels: list[int]
    ) -> StageOperator:
        origin = origin_of([(self._lab.graph, step.node)], self._recording, self._places)
        return StageOperator(
            node=step.node,
            name=step.name,
            operator=step.operator,
            outcome=step.outcome,
            sentence=step.sentence,
            where=step.where,
            entity=step.entity,
            line=origin.line,
            rule=rule,
            loops=tuple(loops),
            kernels=tuple(kernels),
        )


def _users(nodes: Iterable[Iterable[int]]) -> defaultdict[int, list[int]]:
    """By node: where it is among these."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for at, listed in enumerate(nodes):
        for node in dict.fromkeys(listed):
            found[node].append(at)
    return found


def _nodes_of(kernel: LabKernel) -> Iterator[int]:
    yield from (node for line in kernel.loop_ir for node in line.nodes)
    yield from (node for line in kernel.texts[0].printed for node in line.nodes)


def _loop(buffer: Buffer) -> StageLoop:
    loops = ", ".join(f"for {loop.variable} < {loop.size}" for loop in buffer.ranges)
    reduced = f", {buffer.reduction} over r" if buffer.reduction else ""
    return StageLoop(
        buffer=buffer.name,
        head=f"{buffer.name}: {loops or 'once'}{reduced}",
        lines=tuple((line.text, (line.node,) if line.node >= 0 else ()) for line in buffer.body),
    )


def _kernel(kernel: LabKernel) -> StageKernel:
    own, *others = kernel.texts
    return StageKernel(
        id=kernel.kernel,
        name=kernel.name,
        buffers=kernel.buffers,
        lines=_lines(kernel.loop_ir),
        texts=(_text(own, ""), *(_text(one, "the same kernel; it is not run") for one in others)),
        turns=tuple(map(_turns, kernel.turns)),
        is_tuned=kernel.is_tuned,
    )


def _turns(turns: LabTurns) -> StageTurns:
    return StageTurns(
        name=turns.name,
        size=turns.size,
        reduces=turns.reduces,
        tile=turns.tile,
        unroll=turns.unroll,
    )


def _text(text: LabText, note: str) -> StageText:
    return StageText(
        language=text.language,
        lines=_lines(text.printed),
        note=f"no text in this language: {text.refused}" if text.refused else note,
    )


def _lines(lines: Iterable[LabLine]) -> tuple[StageLine, ...]:
    return tuple((line.text, line.nodes) for line in lines)


def _place(file: str, line: int) -> str:
    return f"{file}:{line}" if file else ""


def _why_none(recording: Recording) -> str:
    if recording.state == "recording":
        return "Nothing is compiled yet: compilation is still running."
    if any(lowering.compiler == "lab" for lowering in recording.lowerings):
        return "This recording was made by a version of dynamo_lab that did not record it."
    return (
        "This shows what the backend `lab` does, a compiler that is read and changed. Record the "
        'program with `backend="lab"`, or `%%compile --backend lab`.'
    )
