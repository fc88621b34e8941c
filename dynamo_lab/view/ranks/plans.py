"""The plan of a job: its kinds of ranks, and the collectives that each would call."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.plans import Plan
from dynamo_lab.view.core.words import plural, seconds, size
from dynamo_lab.view.ranks.collectives import amount, build, bytes_of
from dynamo_lab.view.ranks.known import Known, numbers_of

HEAD = ("times", "collective", "bytes", "group", "line", "asked by")
KINDS = ("planned", "stands for", "which", "collectives", "bytes")


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
    """`sentence` says that nothing ran, `remarks` what is taken for granted."""

    sentence: str
    remarks: tuple[str, ...]
    kinds_head: tuple[str, ...]
    head: tuple[str, ...]
    kinds: tuple[KindView, ...]


def build_plan(job: Job, ranks: Sequence[Known]) -> PlanView | None:
    """What a plan says; None of a job that ran."""
    if job.plan is None:
        return None
    known = {one.rank.number: one for one in ranks}
    return PlanView(
        sentence=sentence(job.plan),
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


def _remarks(plan: Plan, ranks: Sequence[Known]) -> Iterator[str]:
    tried = sum(len(kind.planned) for kind in plan.kinds)
    if ranks and ranks[0].rank.ending.kind != "finished":
        yield f"The plan ends where {ranks[0].label} did: no other rank was traced."
    elif tried < plan.size:
        yield (
            f"Traced: {plural(tried, 'rank')} of {plan.size:,}. Each other one is taken to compile "
            "and call what a traced rank does that holds shards of the same sizes, and that lies "
            "at the same edges of the mesh where an edge made a difference."
        )
    yield (
        "Tensors have sizes but no numbers, and process groups are fakes: no time is known. What "
        "would go to Inductor is traced as far as AOTAutograd, so there are no kernels, and "
        "nothing of Inductor's passes."
    )


def _kinds(plan: Plan, known: Mapping[int, Known]) -> Iterator[KindView]:
    for kind in plan.kinds:
        one = known.get(kind.representative)
        if one is None:
            continue
        calls = one.rank.calls or ()
        sizes = [bytes_of(call.sizes, call.dtypes) for call in calls]
        total = None if None in sizes else sum(filter(None, sizes))
        yield KindView(
            label=one.label,
            cells=(
                one.label, plural(len(kind.ranks), "rank"), numbers_of(kind.ranks),
                f"{len(calls):,}", "?" if total is None else size(total),
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
