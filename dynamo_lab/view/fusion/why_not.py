"""Why two operations are not fused: for any two, considered as a pair or not.

A mirror of the front-end's `why-not`, which answers on the page: tests/cases/fusion.json has both.
"""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.errors import FusionError
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks.work import is_view
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.links import build as links
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import line_range
from dynamo_lab.view.fusion.advice import Advice, filled
from dynamo_lab.view.fusion.fusion import (
    FusionsView,
    OperationView,
    RulingView,
    ScheduleView,
    build,
)


class Answer(Struct, frozen=True, kw_only=True):
    """The answer. `reasons` are PyTorch's words, `changes` say what would change it."""

    title: str
    is_fused: bool
    sentences: tuple[str, ...]
    changes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


def ask(recording: Recording, one: str, other: str, graph: int | None = None) -> Answer:
    """Why two are not fused, given names of operations, buffers or nodes of a post-grad graph.

    Raises:
        FusionError: nothing was scheduled, or there is no such name or graph.
    """
    view = build(recording, Places(recording), Ancestry(links(recording)))
    schedule, first, second = _found(recording, view, (one, other), graph)
    return answer(schedule, first, second, view.unseen[schedule.compiler])


def _found(
    recording: Recording, view: FusionsView, names: tuple[str, str], graph: int | None
) -> tuple[ScheduleView, int, int]:
    if not view.schedules:
        raise FusionError(
            "No verdict was recorded: they are of the backend inductor, which scheduled nothing "
            "here."
        )
    asked = [item for item in view.schedules if graph in (None, item.graph)]
    if not asked:
        known = ", ".join(str(item.graph) for item in view.schedules)
        raise FusionError(f"Graph {graph} has no schedule: pass one of {known}.")
    for item in asked:
        found = [_operation(recording, item, name) for name in names]
        if found[0] is not None and found[1] is not None:
            return item, found[0], found[1]
    missing = next((n for n in names if not _anywhere(recording, asked, n)), " and ".join(names))
    example = asked[0].operations[0] if asked[0].operations else None
    hint = f" such as {example.name}, or a buffer or node" if example else ""
    raise FusionError(f"There is no {missing!r} in one schedule: pass an operation{hint}.")


def _anywhere(recording: Recording, schedules: list[ScheduleView], name: str) -> bool:
    return any(_operation(recording, item, name) is not None for item in schedules)


def _operation(recording: Recording, schedule: ScheduleView, name: str) -> int | None:
    """The operation of this name, or that makes this buffer, or that ends in this node."""
    for index, item in enumerate(schedule.operations):
        if name == item.name or name in item.buffers:
            return index
    names = recording.graphs[schedule.graph].nodes.name
    if name not in names:
        return None
    node = names.index(name)
    holding = [i for i, item in enumerate(schedule.operations) if node in item.nodes]
    ends = [i for i in holding if schedule.operations[i].nodes[-1] == node]
    return next(iter(ends or holding), None)


def answer(schedule: ScheduleView, one: int, other: int, unseen: dict[str, Advice]) -> Answer:
    """Why two operations, as indices, are not fused; or that they are."""
    a, b = schedule.operations[one], schedule.operations[other]
    if one == other:
        return _never(f"{a.name} and {b.name}", a, unseen["same"])
    rows = list(_rows(schedule, one, other))
    if a.place == b.place and a.place >= 0:
        return _are_fused(schedule, a, b, rows)
    title = f"{a.name} and {b.name} are not fused"
    if not rows:
        case, culprit = _case(schedule, a, b)
        return _never(title, culprit, unseen[case])
    producer, consumer, ruling = _last(rows)
    names = _name(schedule, producer), _name(schedule, consumer)
    short = short_name(schedule, producer), short_name(schedule, consumer)
    when = line_range(ruling.first_round, ruling.round).replace("line", "round")
    why = [filled(advice.why, *short) for advice in ruling.why]
    return Answer(
        title=title,
        is_fused=False,
        sentences=(
            f"Considered in {when} as {ruling.kind} fusion: {names[0]} with {names[1]}.",
            *(why or ["Nothing is known of why the pair was refused."]),
            *_shares_kernel(schedule, a, b),
        ),
        changes=tuple(filled(advice.change, *short) for advice in ruling.why if advice.change),
        reasons=ruling.reasons,
    )


_Row = tuple[int, int, RulingView]


def _rows(schedule: ScheduleView, one: int, other: int) -> Iterator[_Row]:
    """The verdicts on pairs of groups that contain one of the operations each."""
    has = [(one in group.operations, other in group.operations) for group in schedule.groups]
    ends = iter(schedule.pairs)
    for producer, consumer, ruling in zip(ends, ends, schedule.ruling, strict=True):
        first, second = has[producer], has[consumer]
        if (first == (True, False) and second == (False, True)) or (
            first == (False, True) and second == (True, False)
        ):
            yield producer, consumer, schedule.rulings[ruling]


def _last(rows: list[_Row]) -> _Row:
    """The final verdict: of the last round, a refusal rather than a "possible"."""
    return max(rows, key=lambda row: (row[2].round, row[2].outcome == "refused"))


def _are_fused(
    schedule: ScheduleView, a: OperationView, b: OperationView, rows: list[_Row]
) -> Answer:
    fused = next((row for row in rows if row[2].outcome == "fused"), None)
    place = schedule.final[a.place]
    if fused is None:
        kind = schedule.groups[place.group].kind
        how = f"They run side by side in one kernel: a {kind} group."
    else:
        producer, consumer, ruling = fused
        names = f"{_name(schedule, producer)} with {_name(schedule, consumer)}"
        how = f"In round {ruling.round}, {ruling.kind} fusion: {names}."
    kernel = [f"The kernel is `{place.name}`."] if place.name else []
    return Answer(title=f"{a.name} and {b.name} are fused", is_fused=True, sentences=(how, *kernel))


_PRODUCTS = ("mm", "convolution")
"""Suffixes of the operators that Inductor has templates for."""


def _case(schedule: ScheduleView, a: OperationView, b: OperationView) -> tuple[str, OperationView]:
    """Why there is no verdict on a pair, as a key of the advice, and the operation it is about."""
    for item in (a, b):
        if item.kind == "nop" or item.call.startswith("a result of "):
            return "nothing", item
        if item.kind == "extern" and item.kernel is None and "." not in item.call:
            return "wrapper", item  # named by its class: no function has it
        if item.kind == "extern" and is_view(item.call):
            return "view", item
        if item.kind == "extern":
            return ("product" if item.call.endswith(_PRODUCTS) else "library"), item
    for part, reader in ((a, b), (b, a)):
        if _is_part(schedule, part, reader):
            return "part", part
    if not set(_uses(schedule, a)) & set(_uses(schedule, b)):
        return "apart", a
    return ("unkept" if schedule.left_out else "crowded"), a


def _is_part(schedule: ScheduleView, part: OperationView, reader: OperationView) -> bool:
    """Whether the one reads a buffer that the other writes a part of, under a name of its own."""
    whole = (item for item in schedule.operations if item.kind == "nop")
    return any(
        not set(part.buffers).isdisjoint(item.uses)
        and not set(reader.uses).isdisjoint(item.buffers)
        for item in whole
    )


def _uses(schedule: ScheduleView, item: OperationView) -> Iterator[str]:
    """What the whole group of an operation reads or writes."""
    if item.place < 0:
        yield from item.uses
        return
    for index in schedule.groups[schedule.final[item.place].group].operations:
        yield from schedule.operations[index].uses


def _never(title: str, culprit: OperationView, advice: Advice) -> Answer:
    why = advice.why.replace("{a}", culprit.name).replace("{call}", culprit.call)
    changes = (advice.change,) if advice.change else ()
    return Answer(title=title, is_fused=False, sentences=(why,), changes=changes)


def _shares_kernel(schedule: ScheduleView, a: OperationView, b: OperationView) -> list[str]:
    """One call does both: two that only need the same code are two calls of one kernel."""
    steps = (set(step.operations) for plan in schedule.memory for step in plan.steps)
    if not any({a.id, b.id} <= operations for operations in steps):
        return []
    return ["Yet they share a kernel: each has a loop of its own in it."]


def _name(schedule: ScheduleView, group: int) -> str:
    members = schedule.groups[group].operations
    return " + ".join(schedule.operations[index].name for index in members)


_FEW = 3


def short_name(schedule: ScheduleView, group: int) -> str:
    """'op0 + op1 + op2', 'op0 + op1 + op2 and 4 more'."""
    names = [schedule.operations[index].name for index in schedule.groups[group].operations]
    left = len(names) - _FEW
    return " + ".join(names[:_FEW]) + (f" and {left} more" if left > 0 else "")
