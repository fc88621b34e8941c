"""A program of the backend `lab`, changed from a view: tried, checked, timed, and taken or refused.

The recorded program is compiled once more at the first change, and each of its graphs kept as a
living program. A change that counts becomes the program that the next one is made from.
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from dynamo_lab.errors import DynamoLabError, LoweringError
from dynamo_lab.view.compiler import compiler as view
from dynamo_lab.view.compiler.change import ChangeView, changed_texts, timed
from dynamo_lab.view.core import links
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.fusion import fusion
from dynamo_lab.view.lowering import lowering

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.compiler.live.program import LiveProgram
    from dynamo_lab.live.compiler.living import Living
    from dynamo_lab.live.session import Session
    from dynamo_lab.measure.rounds import Watch
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.compiler.compiler import StageGraph
    from dynamo_lab.view.fusion.fusion import ScheduleView

TRYING_SECONDS = 20.0
"""How long a change may take before it is ended: compiled, run once and checked."""
TIMING_SECONDS = 0.5


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
            text; "fuse" or "apart" with the buffers of two groups; "loops" with the name of a
            kernel and its order, tiles and unrolling, or with None for the printer's; "undo".
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
            case {"what": "fuse" | "apart" as what, "first": list(), "second": list()}:
                name, keywords = _pair(what, *(_names(change[one]) for one in ("first", "second")))
            case {"what": "loops", "kernel": str(kernel)}:
                name, keywords = f"tuning of {kernel}", _loops(kernel, change.get("plan"))
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


def _names(asked: list[Any]) -> list[str]:
    if not asked:
        raise LoweringError("A group of loops is named by its buffers.")
    return list(map(str, asked))


def _pair(
    what: str, first: list[str], second: list[str]
) -> tuple[str, Callable[[], dict[str, Any]]]:
    """All loops of two groups into one kernel; or none of the one with any of the other."""
    one, other = (listed(names, limit=4) for names in (first, second))
    if what == "fuse":
        pairs = list(pairwise([*first, *second]))
        return f"fusion of {one} with {other}", lambda: {"fuse": pairs}
    return f"split of {one} from {other}", lambda: {"apart": list(product(first, second))}


def _loops(kernel: str, plan: Any) -> Callable[[], dict[str, Any]]:
    from dynamo_lab.compiler.printers.tuning import Tuning

    if plan is None:
        return lambda: {"loops": {kernel: None}}
    try:
        tuning = msgspec.convert(plan, Tuning)
    except msgspec.ValidationError as error:
        raise LoweringError(f"The plan of {kernel}'s loops is none: {error}.") from None
    return lambda: {"loops": {kernel: tuning}}


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
    now = living.program(graph)
    found = now.diff(before)
    counts = (("kernels", found.kernels), ("calls of ATen", found.calls), ("bytes", found.bytes))
    stages, schedule = stages_of(recording, now, graph)
    return structs.replace(
        told,
        changes=living.changes(graph),
        graph=stages,
        schedule=schedule,
        counts=tuple((name, a, b) for name, (a, b) in counts if a != b),
        fusion=found.fusion,
        texts=changed_texts(found.texts),
    )


def stages_of(
    recording: Recording, program: LiveProgram, graph: int
) -> tuple[StageGraph, ScheduleView]:
    """The stages and the schedule of a living program, as the views of the recorded graph."""
    from dynamo_lab.capture.kernels.announced import Place
    from dynamo_lab.compiler.live.rules import in_effect
    from dynamo_lab.compiler.recorded.announcement import calls_by_operator, stages

    nodes = {name: at for at, name in enumerate(recording.graphs[graph].nodes.name)}
    with in_effect(program.changes.rules):
        made = stages(program, Place(graph, nodes, 0, 0, 0), list(calls_by_operator(program)))
    assert made.lab is not None
    # its kernels are none of the recording's
    final = tuple(structs.replace(one, kernel=None) for one in made.schedule.final)
    facts = structs.replace(
        recording,
        lowerings=(made.lowering,),
        buffers=made.buffers,
        lab_graphs=(made.lab,),
        schedules=(structs.replace(made.schedule, final=final),),
        memory_plans=(),
    )
    places = Places(facts)
    (found,) = view.build(facts, places, lowering.build(facts, places)).graphs
    (schedule,) = fusion.build(facts, places, Ancestry(links.build(facts))).schedules
    return found, schedule
