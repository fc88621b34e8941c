"""The plan of a job: its kinds of ranks, and the collectives that each would call."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.plans import Plan
from dynamo_lab.model.ranks.ranks import Call
from dynamo_lab.view.core.words import first_up, listed, plural, seconds, size, times
from dynamo_lab.view.ranks.collectives import amount, build
from dynamo_lab.view.ranks.known import Known
from dynamo_lab.view.ranks.memory import RankMemoryView
from dynamo_lab.view.ranks.mesh.groups import numbers_of
from dynamo_lab.view.ranks.mesh.meshes import MeshView
from dynamo_lab.view.ranks.reasons import operator_of
from dynamo_lab.view.ranks.sizes import bytes_of

HEAD = ("times", "collective", "bytes", "group", "line", "asked by")
KINDS = ("planned", "stands for", "which", "collectives", "bytes")
_MOST_KINDS = 4
_MOST_NAMES = 8
"""Of so many kinds, and operators of each, the facts tell."""
_NO_MEMORY = (
    "What a rank would keep in memory was not seen: it is looked for in modules with parameters, "
    "once a graph was captured or a backward is over; under FSDP, after a backward alone."
)


class PlannedView(Struct, frozen=True, kw_only=True):
    """Collectives that are alike: `cells` are in the columns of `HEAD`.

    `line` is the entity of the line that asks for them, `node` the node's words, which end the last
    cell, and `node_entity` its entity: empty where that is not known.
    """

    cells: tuple[str, ...]
    line: str
    node: str
    node_entity: str


class KindView(Struct, frozen=True, kw_only=True):
    """A kind of ranks: `cells` are in the columns of `KINDS`.

    `rows` are the collectives that its representative would call. Their entities are those of its
    own recording, whose label is `label`.
    """

    label: str
    cells: tuple[str, ...]
    rows: tuple[PlannedView, ...]


class PlanView(Struct, frozen=True, kw_only=True):
    """`sentence` says that nothing ran, `remarks` what is taken for granted, and is not known.

    `facts` are what it says, in short: the meshes, what a rank would call, what it would hold.
    """

    sentence: str
    facts: tuple[str, ...]
    remarks: tuple[str, ...]
    kinds_head: tuple[str, ...]
    head: tuple[str, ...]
    kinds: tuple[KindView, ...]


def build_plan(
    job: Job, ranks: Sequence[Known], made: Sequence[MeshView], memory: RankMemoryView | None
) -> PlanView | None:
    """What a plan says, with its meshes and the memory of its ranks; None of a job that ran."""
    if job.plan is None:
        return None
    known = {one.rank.number: one for one in ranks}
    is_whole = all(one.rank.ending.kind == "finished" for one in ranks)
    return PlanView(
        sentence=sentence(job.plan),
        facts=(
            *([mesh.sentence for mesh in made] or ["The program makes no mesh."] * is_whole),
            *_called(job.plan, known),
            *(memory.sentences if memory else [_NO_MEMORY] * is_whole),
        ),
        remarks=tuple(_remarks(job.plan, ranks)),
        kinds_head=KINDS,
        head=HEAD,
        kinds=tuple(_kinds(job.plan, known)),
    )


def sentence(plan: Plan) -> str:
    """'A plan of 1,024 ranks, made in 14 s: nothing ran. ...'."""
    kinds = f"one of each of {len(plan.kinds)} kinds" if len(plan.kinds) > 1 else "one kind"
    return (
        f"A plan of {plural(plan.size, 'rank')}, made in {seconds(plan.seconds)} from {kinds}: "
        "nothing ran."
    )


def _called(plan: Plan, known: Mapping[int, Known]) -> Iterator[str]:
    """'Each of ranks 1 to 7 would call 9 collectives and bring 36 kB: 3 `scatter` (0 B), ...'."""
    for kind in plan.kinds[:_MOST_KINDS]:
        if one := known.get(kind.representative):
            who = first_up(one.label)
            if len(one.stands_for) > 1:
                who = f"Each of ranks {numbers_of(one.stands_for)}"
            elif one.rank.ending.kind != "finished":
                who = f"Until it ended, {one.label}"
            yield f"{who} would call {_calls(one)}."
    if (left := len(plan.kinds) - _MOST_KINDS) > 0:
        yield f"What the ranks of {plural(left, 'more kind')} would call is below."


def _calls(one: Known) -> str:
    """'9 collectives and bring 36 kB: 3 `scatter` (0 B) and ...; and send or receive 8 times'."""
    calls = _collectives(one)
    sent = len(one.rank.calls or ()) - len(calls)
    more = f"; and send or receive {times(sent)}" if sent else ""
    if not calls:
        return f"no collective{more}"
    by_name: dict[str, list[Call]] = {}
    for call in calls:
        by_name.setdefault(operator_of(call), []).append(call)
    if len(by_name) == 1:
        [name] = by_name
        return f"{len(calls):,} `{name}` and bring {_bytes(calls)}{more}"
    parts = [f"{len(own):,} `{name}` ({_bytes(own)})" for name, own in by_name.items()]
    whole = f"{plural(len(calls), 'collective')} and bring {_bytes(calls)}"
    return f"{whole}: {listed(parts, _MOST_NAMES)}{more}"


def _collectives(one: Known) -> list[Call]:
    return [call for call in one.rank.calls or () if not call.is_message]


def _bytes(calls: Sequence[Call]) -> str:
    """What a rank brings to them."""
    sizes = [bytes_of(call.sizes, call.dtypes) for call in calls]
    return "? B" if None in sizes else size(sum(filter(None, sizes)))


def _remarks(plan: Plan, ranks: Sequence[Known]) -> Iterator[str]:
    tried = sum(len(kind.planned) for kind in plan.kinds)
    if ranks and ranks[0].rank.ending.kind != "finished":
        yield f"The plan ends where {ranks[0].label} did: no other rank was traced."
    elif tried < plan.size:
        others = "The others are taken to compile and call the same."
        if len(plan.kinds) > 1:
            others = (
                "Each other one is taken to compile and call what the traced rank of its kind "
                "does: its shards have the same sizes and, where that made a difference, it is at "
                "the same edges of the mesh."
            )
        yield f"Traced: {plural(tried, 'rank')} of {plan.size:,}. {others}"
    yield (
        "Not known, as nothing ran: how long anything takes, who waits for whom, what computing "
        "hides, and the numbers in tensors, which have sizes alone. What would go to Inductor is "
        "traced as far as AOTAutograd, so there are no kernels, and nothing of Inductor's passes."
    )


def _kinds(plan: Plan, known: Mapping[int, Known]) -> Iterator[KindView]:
    for kind in plan.kinds:
        one = known.get(kind.representative)
        if one is None:
            continue
        calls = _collectives(one)
        yield KindView(
            label=one.label,
            cells=(
                one.label, plural(len(kind.ranks), "rank"), numbers_of(kind.ranks),
                f"{len(calls):,}", _bytes(calls),
            ),
            rows=tuple(_rows(one)),
        )  # fmt: skip


def _rows(one: Known) -> Iterator[PlannedView]:
    view = build([one])
    if view is None:
        return
    for alike in view.alike:
        first = view.meetings[alike.meetings[0]]
        why = "; ".join(filter(None, (first.why, first.node)))
        yield PlannedView(
            cells=(
                f"{len(alike.meetings):,}", first.operator, amount(first), first.group,
                first.where, why,
            ),
            line=first.lines[0],
            node=first.node,
            node_entity=first.nodes[0],
        )  # fmt: skip
