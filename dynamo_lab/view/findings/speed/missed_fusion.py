"""Loops that go through the same data one after the other, and that Inductor did not fuse."""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from dynamo_lab.model.fusion.fusion import Schedule, Verdict
from dynamo_lab.view.core.inputs import programs_name
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import listed, percent, plural, size
from dynamo_lab.view.findings import ops
from dynamo_lab.view.findings.changes import Setting
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of
from dynamo_lab.view.fusion.advice import Advice, filled
from dynamo_lab.view.fusion.between import Between
from dynamo_lab.view.fusion.fusion import why_of

_WORTH = 0.25
"""The share of the bytes moved from which on it is told."""

_AT_LEAST = 1 << 20
"""Bytes below which it is not told: they stay in the processor's cache."""

_FAR = 64
"""How far apart operations may lie in the schedule to be fused side by side, always."""

_LIMITS = {
    "Raise `torch._inductor.config.max_fusion_size`": "max_fusion_size",
    "Raise `torch._inductor.config.cpp.max_horizontal_fusion_size`": (
        "cpp.max_horizontal_fusion_size"
    ),
}
"""Settings that a refusal is about, by how the advice on it begins."""


class _Missed(NamedTuple):
    """Groups that a reason keeps apart, the data that they share, and the bytes read again."""

    schedule: Schedule
    groups: frozenset[int]
    shared: tuple[str, ...]
    bytes: int
    why: str
    limit: str


def find(facts: Facts) -> Iterator[Found]:
    """What a setting keeps apart in each schedule, and else the most that rests on its loops."""
    missed = [one for schedule in facts.recording.schedules for one in _missed(facts, schedule)]
    yield from (found for one in missed if _setting(one) and (found := _told(facts, one)))
    rest = max(
        (one for one in missed if not _setting(one)), key=lambda one: one.bytes, default=None
    )
    if rest and (found := _told(facts, rest)):
        yield found


def _missed(facts: Facts, schedule: Schedule) -> Iterator[_Missed]:
    """The pairs of finished groups that were refused: by limit together, others one by one."""
    final, sizes = {one.group for one in schedule.final}, _sizes(facts, schedule)
    limited: dict[str, list[Verdict]] = {}
    between = Between(schedule)
    for verdict in schedule.verdicts:
        if verdict.ruling.outcome != "refused" or not {verdict.producer, verdict.consumer} <= final:
            continue
        advice = why_of(schedule, between, verdict.ruling, (verdict.producer, verdict.consumer))
        if limit := _limit(advice):
            limited.setdefault(limit, []).append(verdict)
        elif advice:
            yield _one(schedule, [verdict], sizes, _reason(advice[0]), "")
    for limit, verdicts in limited.items():
        yield _one(schedule, verdicts, sizes, _TOO_MANY, limit)


def _limit(advice: tuple[Advice, ...]) -> str:
    """The setting that alone keeps a pair apart, empty if there is none."""
    changes = advice[0].change if len(advice) == 1 else ""
    return next((name for start, name in _LIMITS.items() if changes.startswith(start)), "")


def _reason(advice: Advice) -> str:
    """Why the loops stay apart; that they share no step says how they use the same data."""
    if advice.why.startswith("In no step of their loops"):
        return "In each step they need other elements of it, so that no step could read for both."
    return filled(advice.why, "the first", "the second")


def _one(
    schedule: Schedule, verdicts: list[Verdict], sizes: dict[str, int], why: str, limit: str
) -> _Missed:
    groups = frozenset(chain.from_iterable((v.producer, v.consumer) for v in verdicts))
    used = [_used(schedule, group) for group in groups]
    times = {name: sum(name in one for one in used) for name in set[str]().union(*used)}
    shared = [name for name, count in times.items() if count > 1 and sizes.get(name)]
    shared.sort(key=lambda name: (-sizes[name], name))
    again = sum((times[name] - 1) * sizes[name] for name in shared)
    return _Missed(schedule, groups, tuple(shared), again, why, limit)


def _used(schedule: Schedule, group: int) -> set[str]:
    """The buffers and inputs that a group reads or writes."""
    own = [schedule.operations[at] for at in schedule.groups[group].operations]
    return {name for one in own for name in (*one.buffers, *one.reads)}


def _sizes(facts: Facts, schedule: Schedule) -> dict[str, int]:
    """The bytes of what a graph is given and of its buffers, where they are known."""
    table = facts.recording.graphs[schedule.graph].nodes
    given = {table.name[at]: ops.value(table, at).bytes or 0 for at in range(len(table))}
    own = (one for one in facts.recording.buffers if one.graph == schedule.graph)
    return given | {one.name: one.bytes or 0 for one in own if not one.dropped}


def _told(facts: Facts, missed: _Missed) -> Found | None:
    """The finding, if it is worth one and its lines are known."""
    moved = bytes_through(facts, missed.schedule)
    if missed.bytes < max(_AT_LEAST, _WORTH * moved):
        return None
    own = (_line(facts, missed, group) for group in sorted(missed.groups))
    lines = tuple(dict.fromkeys(line for line in own if line))
    return _found(facts, missed, lines, moved) if lines else None


def bytes_through(facts: Facts, schedule: Schedule) -> int:
    """The bytes that all loops and calls of a schedule go through, each for itself."""
    sizes = _sizes(facts, schedule)
    used = (_used(schedule, one.group) for one in schedule.final)
    return sum(sizes.get(name, 0) for names in used for name in names)


def _line(facts: Facts, missed: _Missed, group: int) -> Line | None:
    schedule = missed.schedule
    members = schedule.groups[group].operations
    nodes = [
        (schedule.graph, node) for at in members for node in schedule.operations[at].nodes[-1:]
    ]
    return line_of(facts, nodes)


def _found(facts: Facts, missed: _Missed, lines: tuple[Line, ...], moved: int) -> Found:
    again = missed.bytes
    where, setting = facts.places.where(lines[0]), _setting(missed)
    several = listed([facts.places.where(line) for line in lines])
    names = listed([_named(facts, missed.schedule, name) for name in missed.shared], limit=3)
    finding = Finding(
        rule="missed-fusion",
        question="speed",
        level="problem" if setting else "note",
        sentence=(
            f"{several}: {plural(len(missed.groups), 'loop')} go through {names} one after the "
            f"other, {size(again)} that are read again, {percent(again / moved)} of all that "
            f"loops go through. {missed.why}"
        ),
        where=where,
        entity=entity(lines[0]),
        evidence=(Evidence(text="the scheduler's refusal of each pair", tab="fusion"),),
        grade="may change meaning" if setting else "none",
        remedy=_REMEDY if setting else "",
        code=setting.code if setting else "",
        gain=Gain(metric="bytes", before=moved, after=moved - again, how=_HOW) if setting else None,
        cost=min(1.0, again / moved),
    )
    about = frozenset({f"fusion:{missed.schedule.graph}"})
    return Found(finding, change=setting, line=lines[0], about=about)


def _named(facts: Facts, schedule: Schedule, name: str) -> str:
    """What the program calls an input; what the compiler made has the compiler's name."""
    if own := programs_name(facts.recording, facts.ancestry, schedule.graph, name):
        return f"`{own}`"
    return "the gradient that comes in" if name.startswith("tangents_") else f"`{name}`"


_TOO_MANY = "Together they are more operations than one loop may have by default."
_REMEDY = (
    "Raise the limit: one loop then reads them once. A larger kernel takes longer to compile and "
    "needs more registers, and rounding may differ."
)
_HOW = "counted: what the loops have in common is read once"


def _setting(missed: _Missed) -> Setting | None:
    """The limit that lets them be one, if nothing else is then in the way."""
    members = [missed.schedule.groups[group].operations for group in missed.groups]
    every = sorted(chain.from_iterable(members))
    if not missed.limit or every[-1] - every[0] > _FAR:
        return None
    value = 1 << (len(every) - 1).bit_length()
    return Setting(option=missed.limit, value=value, of="torch._inductor.config")
