"""A program of the backend `lab`, changed from a view: tried, checked, timed, and taken or refused.

The recorded program is compiled once more at the first change, and each of its graphs kept as a
living program. A change that counts becomes the program that the next one is made from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from dynamo_lab.errors import DynamoLabError, LoweringError
from dynamo_lab.view.compiler import compiler as view
from dynamo_lab.view.compiler.change import ChangeView, changed_texts, timed
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.lowering import lowering

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dynamo_lab.compiler.live.program import LiveProgram
    from dynamo_lab.live.session import Session
    from dynamo_lab.measure.rounds import Watch
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.compiler.compiler import StageGraph

TRYING_SECONDS = 20.0
"""How long a change may take before it is ended: compiled, run once and checked."""
TIMING_SECONDS = 0.5

NO_PROGRAM = (
    "There is no program to change: this recording was loaded from a file, or was made with "
    "record() or %%record. Use explore() or %%compile, with the backend lab."
)


class Living:
    """The programs of a recording's graphs as they are now, and what was changed of each."""

    def __init__(self, programs: Mapping[int, LiveProgram]) -> None:
        self._now = dict(programs)
        self._changes: dict[int, list[str]] = {graph: [] for graph in programs}

    def program(self, graph: int) -> LiveProgram:
        """The program of a graph, with the changes that count.

        Raises:
            LoweringError: there is none.
        """
        if graph not in self._now:
            raise LoweringError("This graph was not compiled by the backend lab.")
        return self._now[graph]

    def changes(self, graph: int) -> tuple[str, ...]:
        """What was changed of it, the first one first."""
        return tuple(self._changes[graph])

    def take(self, graph: int, made: LiveProgram, change: str) -> None:
        """From now on the graph's program is this one."""
        self._now[graph] = made
        self._changes[graph].append(change)

    def undo(self, graph: int) -> str:
        """Take the last change back, and say which it was.

        Raises:
            LoweringError: nothing was changed.
        """
        self._now[graph] = self.program(graph).undo()
        return self._changes[graph].pop()


def ask(
    recording: Recording,
    session: Session,
    graph: int,
    change: dict[str, Any],
    watch: Watch | None = None,
) -> ChangeView:
    """What comes of a change that a view asks for; one that is refused leaves all as it was.

    Args:
        recording: whose program it is.
        session: its live parts.
        graph: the id of the graph.
        change: "rule" with the id of a node and a text; "text" with the name of a kernel and a
            text; "undo".
        watch: who holds it can stop the change.

    Raises:
        LoweringError: there is no program, or the change makes no sense.
    """
    living = session.living(recording)
    try:
        match change:
            case {"what": "undo"}:
                return _undone(recording, living, graph)
            case {"what": "rule", "node": int(node), "text": str(text)}:
                name, keywords = _rule(recording, living.program(graph), graph, node, text)
            case {"what": "text", "kernel": str(kernel), "text": str(text)}:
                name, keywords = f"text of {kernel}", lambda: {"sources": {kernel: text}}
            case _:
                raise LoweringError("There is no such change.")
        return _changed(recording, living, graph, name, keywords, watch)
    except DynamoLabError as refusal:
        return ChangeView(
            verdict="refused",
            sentence=str(refusal).partition("\n")[0],
            changes=living.changes(graph),
        )


def _rule(
    recording: Recording, program: LiveProgram, graph: int, node: int, text: str
) -> tuple[str, Callable[[], dict[str, Any]]]:
    from dynamo_lab.compiler.live.rule_text import rule_from

    if not 0 <= node < len(recording.graphs[graph].nodes):
        raise LoweringError("There is no such operator in this graph.")
    name = recording.graphs[graph].nodes.name[node]
    found = next((one for one in program.module.graph.nodes if one.name == name), None)
    if found is None or found.op != "call_function":
        raise LoweringError(f"{name} is no operator that a rule lowers.")
    target = found.target
    original = program.changes.rules.get(target) or program.changes.rules.get(str(target))

    def made() -> dict[str, Any]:
        return {"rules": {target: rule_from(text, original, target)}}

    return f"rule of {target}", made


def _changed(
    recording: Recording,
    living: Living,
    graph: int,
    name: str,
    keywords: Callable[[], dict[str, Any]],
    watch: Watch | None,
) -> ChangeView:
    from dynamo_lab.compiler.live.apart import try_apart

    before = living.program(graph)

    def stopped() -> bool:
        return watch is not None and watch.stopped

    try_apart(lambda: before.relower(**keywords()), TRYING_SECONDS, stopped)
    after = before.relower(**keywords())
    turns = after.time_beside(before, TIMING_SECONDS, watch)
    said, tone = timed(turns.before, turns.after)
    living.take(graph, after, name)
    same = "" if after.diff(before) else " No kernel became another by it."
    return _shown(
        recording,
        living,
        graph,
        before,
        ChangeView(
            verdict="right",
            sentence=f"It gives what eager gives, so the {name} counts from now on.{same}",
            time=said,
            tone=tone,
        ),
    )


def _undone(recording: Recording, living: Living, graph: int) -> ChangeView:
    before = living.program(graph)
    last = living.undo(graph)
    told = ChangeView(verdict="undone", sentence=f"The {last} is as it was before.")
    return _shown(recording, living, graph, before, told)


def _shown(
    recording: Recording, living: Living, graph: int, before: LiveProgram, told: ChangeView
) -> ChangeView:
    """A change with what differs from the program before, and the stages as they are now."""
    from dynamo_lab.compiler.build import NAME

    now = living.program(graph)
    found = now.diff(before)
    texts = {
        name: (old.replace(NAME, name), new.replace(NAME, name))
        for name, (old, new) in found.texts.items()
    }
    counts = (("kernels", found.kernels), ("calls of ATen", found.calls), ("bytes", found.bytes))
    return structs.replace(
        told,
        changes=living.changes(graph),
        graph=stages_of(recording, now, graph),
        counts=tuple((name, a, b) for name, (a, b) in counts if a != b),
        fusion=found.fusion,
        texts=changed_texts(texts),
    )


def stages_of(recording: Recording, program: LiveProgram, graph: int) -> StageGraph:
    """The stages of a living program, as the view of the recorded graph."""
    from dynamo_lab.capture.kernels.announced import Place
    from dynamo_lab.compiler.recorded.announcement import calls_by_operator, stages

    nodes = {name: at for at, name in enumerate(recording.graphs[graph].nodes.name)}
    made = stages(program, Place(graph, nodes, 0, 0, 0), list(calls_by_operator(program)))
    assert made.lab is not None
    facts = structs.replace(
        recording, lowerings=(made.lowering,), buffers=made.buffers, lab_graphs=(made.lab,)
    )
    places = Places(facts)
    (found,) = view.build(facts, places, lowering.build(facts, places)).graphs
    return found


def living_programs(recording: Recording, session: Session) -> Living:
    """The recorded program compiled once more, each graph of it a living program.

    Raises:
        LoweringError: there is no program, or it is compiled to other graphs now.
    """
    import torch

    from dynamo_lab.capture.core.running import call_once
    from dynamo_lab.compiler.live.making import Collector
    from dynamo_lab.record.replay import without_trace

    program = session.program
    if program is None:
        raise LoweringError(NO_PROGRAM)
    collector = Collector()
    fn, args, kwargs = program.call()
    choice = program.choice
    compiled: Any = torch.compile(  # pyright: ignore[reportUnknownMemberType]
        fn, backend=collector, dynamic=choice.dynamic, fullgraph=choice.fullgraph
    )
    with without_trace([fn, args, kwargs, *program.roots()]):
        call_once(compiled, args, kwargs, grad=choice.grad)
    graphs = [one.graph for one in recording.lab_graphs]
    made = collector.programs
    named = [tuple(node.name for node in one.module.graph.nodes) for one in made]
    if named != [tuple(recording.graphs[graph].nodes.name) for graph in graphs]:
        raise LoweringError(
            "Compiled again, the program has other graphs: settings or its inputs have changed "
            "since. Record it again."
        )
    return Living(dict(zip(graphs, made, strict=True)))
