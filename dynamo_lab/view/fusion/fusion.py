"""Scheduling: the operations, every pair considered with its verdict, and the groups made."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from dynamo_lab.model.fusion.fusion import Group, Ruling, Schedule
from dynamo_lab.model.fusion.memory import MemoryPlan
from dynamo_lab.model.lowering import INDUCTOR, Compiler
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.origins import Origin, origin_of
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.words import listed, plural, size, unique
from dynamo_lab.view.fusion import foreach, memory
from dynamo_lab.view.fusion.advice import UNSEEN, Advice, advice, loop_text, of_loops
from dynamo_lab.view.fusion.advice.groups import BETWEEN
from dynamo_lab.view.fusion.between import Between
from dynamo_lab.view.fusion.foreach import ForeachView
from dynamo_lab.view.fusion.memory import MemoryView
from dynamo_lab.view.kernels.titles import QUIET


class OperationView(Struct, frozen=True, kw_only=True):
    """An operation of a schedule. `id` is unique over all schedules, `nodes` are of its graph.

    `title` says what it computes, `loops` over what; `place` is its final group, `uses` the
    buffers and inputs that it reads or writes, `entity` the user's line.
    """

    id: int
    name: str
    buffers: tuple[str, ...]
    kind: str
    title: str
    loops: str
    nodes: tuple[int, ...]
    uses: tuple[str, ...]
    after: tuple[int, ...]
    weak: tuple[int, ...]
    place: int
    kernel: int | None
    call: str = ""
    where: str = ""
    entity: str = ""


class GroupView(Struct, frozen=True, kw_only=True):
    """Operations that were in one group at some time, as indices."""

    operations: tuple[int, ...]
    kind: str
    loops: str


class RulingView(Struct, frozen=True, kw_only=True):
    """The verdict on a pair: `why` says what prevented fusion and what would change it.

    `saves` is the memory traffic that fusing saves, `score` what pairs are sorted by; `reasons` are
    PyTorch's words.
    """

    first_round: int
    round: int
    kind: str
    outcome: str
    saves: str
    score: str
    why: tuple[Advice, ...]
    reasons: tuple[str, ...]
    into: int | None


class PlaceView(Struct, frozen=True, kw_only=True):
    """A group of the finished schedule. `kernel` is its id, `name` the kernel's."""

    group: int
    kernel: int | None
    name: str
    title: str


class ScheduleView(Struct, frozen=True, kw_only=True):
    """A schedule. `pairs` are groups, two per verdict, and `ruling` indexes `rulings`.

    `rounds` names each round of fusion; `start` are the groups before the first round.
    """

    graph: int
    compiler: Compiler
    number: int
    title: str
    sentences: tuple[str, ...]
    operations: tuple[OperationView, ...]
    groups: tuple[GroupView, ...]
    start: tuple[int, ...]
    rounds: tuple[str, ...]
    rulings: tuple[RulingView, ...]
    pairs: tuple[int, ...]
    ruling: tuple[int, ...]
    final: tuple[PlaceView, ...]
    left_out: int
    memory: tuple[MemoryView, ...] = ()
    foreach: ForeachView | None = None


class FusionsView(Struct, frozen=True, kw_only=True):
    """Every schedule; `unseen` says why a pair was never considered, by compiler and case."""

    schedules: tuple[ScheduleView, ...] = ()
    unseen: dict[Compiler, dict[str, Advice]] = {}


def build(recording: Recording, places: Places, ancestry: Ancestry) -> FusionsView:
    """The schedules, in the order in which they were made."""
    titles = GraphTitles(recording)
    made: list[ScheduleView] = []
    first = 0
    for index, schedule in enumerate(recording.schedules):
        made.append(_View(recording, places, ancestry, titles, schedule, first).build(index))
        first += len(schedule.operations)
    unseen: dict[Compiler, dict[str, Advice]] = {x.compiler: UNSEEN[x.compiler] for x in made}
    return FusionsView(schedules=tuple(made), unseen=unseen)


class _View:
    """Builds the view of one schedule; `first` is the id of its first operation."""

    def __init__(
        self,
        recording: Recording,
        places: Places,
        ancestry: Ancestry,
        titles: GraphTitles,
        schedule: Schedule,
        first: int,
    ) -> None:
        self._recording = recording
        self._places = places
        self._ancestry = ancestry
        self._titles = titles
        self._schedule = schedule
        self._first = first
        self._between = Between(schedule)
        self._place = {
            operation: place
            for place, item in enumerate(schedule.final)
            for operation in schedule.groups[item.group].operations
        }

    def build(self, index: int) -> ScheduleView:
        schedule = self._schedule
        operations = tuple(map(self._operation, range(len(schedule.operations))))
        rulings, numbers = self._rulings()
        title = self._titles.titles[schedule.graph]
        plans = [plan for plan in self._recording.memory_plans if plan.schedule == index]
        return ScheduleView(
            graph=schedule.graph,
            compiler=schedule.compiler,
            number=self._titles.numbers[schedule.graph],
            title=f"{title} ({schedule.name})" if schedule.name else title,
            sentences=tuple(_sentences(schedule, shares=any(map(self._shares, plans)))),
            operations=operations,
            groups=tuple(_group(schedule, group) for group in schedule.groups),
            start=schedule.start,
            rounds=tuple(_rounds(schedule)),
            rulings=rulings,
            pairs=tuple(end for pair in schedule.verdicts.pairs for end in pair),
            ruling=numbers,
            final=tuple(self._final(place, operations) for place in range(len(schedule.final))),
            left_out=schedule.left_out,
            memory=tuple(memory.build(plan, self._recording, self._first) for plan in plans),
            foreach=foreach.build(schedule, [(one.where, one.entity) for one in operations]),
        )

    def _operation(self, index: int) -> OperationView:
        schedule = self._schedule
        item = schedule.operations[index]
        place = self._place.get(index, -1)
        origin = self._origin(item.nodes)
        return OperationView(
            id=self._first + index,
            name=item.name,
            buffers=item.buffers,
            kind=item.kind,
            title=item.call or self._operators(item.nodes) or item.kind,
            loops=_loops(schedule, schedule.groups[index]),
            nodes=item.nodes,
            uses=(*item.buffers, *item.reads),
            after=item.after,
            weak=item.weak,
            place=place,
            kernel=schedule.final[place].kernel if place >= 0 else None,
            call=item.call,
            where=origin.where,
            entity=origin.entity,
        )

    def _operators(self, nodes: Iterable[int]) -> str:
        table = self._recording.graphs[self._schedule.graph].nodes
        names = unique(
            operator_name(table.strings[table.target[node]])
            for node in nodes
            if table.strings[table.op[node]].startswith("call_")
        )
        visible = [name for name in names if name not in QUIET] or list(names)
        # the last are its results: it repeats what it is made of
        return ("… " if len(visible) > 3 else "") + " + ".join(visible[-3:])

    def _origin(self, nodes: Sequence[int]) -> Origin:
        """Where the last node comes from, which is the operation's result."""
        above = self._ancestry.above((self._schedule.graph, node) for node in nodes[-1:])
        return origin_of(sorted(above), self._recording, self._places)

    def _rulings(self) -> tuple[tuple[RulingView, ...], tuple[int, ...]]:
        """The distinct rulings with what they mean for their pairs, and the ruling of each pair."""
        pool: dict[tuple[int, tuple[Advice, ...]], int] = {}
        numbers: list[int] = []
        table = self._schedule.verdicts
        for pair, index in zip(table.pairs, table.ruling, strict=True):
            why = why_of(self._schedule, self._between, table.rulings[index], pair)
            numbers.append(pool.setdefault((index, why), len(pool)))
        views = (_ruling(table.rulings[index], why, self._schedule) for index, why in pool)
        return tuple(views), tuple(numbers)

    def _shares(self, plan: MemoryPlan) -> bool:
        """Whether a call does the work of several groups."""
        places = ({self._place.get(at) for at in step.operations} for step in plan.steps)
        return any(len(groups) > 1 for groups in places)

    def _final(self, place: int, operations: Sequence[OperationView]) -> PlaceView:
        item = self._schedule.final[place]
        members = self._schedule.groups[item.group].operations
        kernel = None if item.kernel is None else self._recording.kernels[item.kernel]
        titles = unique(operations[index].title for index in members)
        return PlaceView(
            group=item.group,
            kernel=item.kernel,
            name=kernel.name if kernel else "",
            title=listed(titles),
        )


def why_of(
    schedule: Schedule, between: Between, ruling: Ruling, pair: tuple[int, int]
) -> tuple[Advice, ...]:
    """What prevents a pair of groups from being fused, the first before the second."""
    producer, consumer = pair
    if ruling.outcome == "refused" and ruling.check == "backend":
        one, other = schedule.groups[producer], schedule.groups[consumer]
        device = schedule.operations[one.operations[0]].device if one.operations else ""
        backend = schedule.backends.get(device, "unknown")
        return (of_loops(one, other, backend, is_vertical=ruling.kind == "vertical"),)
    if schedule.compiler != INDUCTOR:  # it says so itself
        said = "Refused, as" if ruling.outcome == "refused" else "Forced, although"
        return tuple(Advice(f"{said} {reason}.") for reason in ruling.reasons)
    return tuple(between.told(ruling, *pair) if one is BETWEEN else one for one in advice(ruling))


def _group(schedule: Schedule, group: Group) -> GroupView:
    loops = _loops(schedule, group)
    return GroupView(operations=group.operations, kind=group.kind, loops=loops)


def _loops(schedule: Schedule, group: Group) -> str:
    """The loops of a group, empty where it has none, or several side by side."""
    if group.kind in ("foreach", "combo", "grouped"):
        return ""
    kinds = {schedule.operations[index].kind for index in group.operations}
    return "" if kinds <= {"extern", "nop"} else loop_text(group)


_SCORE = ("template", "same kind", "bytes saved", "overlap", "distance")


def _ruling(ruling: Ruling, why: tuple[Advice, ...], schedule: Schedule) -> RulingView:
    score = ruling.score
    labels = _SCORE if len(score) == len(_SCORE) else (*_SCORE[:3], _SCORE[4])
    return RulingView(
        first_round=ruling.first_round,
        round=ruling.round,
        kind=ruling.kind,
        outcome=ruling.outcome,
        saves="" if ruling.shared is None else size(max(0, ruling.shared)),
        score=", ".join(f"{label} {abs(n):,}" for label, n in zip(labels, score, strict=False)),
        why=why,
        reasons=ruling.reasons if schedule.compiler == INDUCTOR else (),
        into=ruling.into,
    )


def _sentences(schedule: Schedule, *, shares: bool) -> Iterable[str]:
    kernels = len({item.kernel for item in schedule.final if item.kernel is not None})
    groups = len(schedule.final)
    operations = plural(len(schedule.operations), "operation")
    yield f"{operations} became {plural(groups, 'group')}, and {plural(kernels, 'kernel')}."
    outcomes = Counter(verdict.ruling.outcome for verdict in schedule.verdicts)
    if outcomes:
        parts = [f"{outcomes['fused']:,} fused", f"{outcomes['refused']:,} refused"]
        if outcomes["possible"]:
            parts.append(f"{outcomes['possible']:,} possible, but fused with others first")
        pairs = plural(len(schedule.verdicts), "pair")
        rounds = plural(len(schedule.rounds), "round")
        yield f"{pairs} considered in {rounds}: {listed(parts)}."
    if schedule.left_out:
        yield f"{schedule.left_out:,} more refusals were not recorded."
    if shares and "CppScheduling" in schedule.backends.values():
        yield (
            "The C++ code generator also puts neighbouring groups into one function, each with "
            "its own loop: they share a kernel without being fused."
        )


def _rounds(schedule: Schedule) -> Iterable[str]:
    for number, reorders in enumerate(schedule.rounds, 1):
        yield f"round {number}, which may reorder loops" if reorders else f"round {number}"
