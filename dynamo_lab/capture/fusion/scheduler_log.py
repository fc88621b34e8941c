"""The log of one Inductor scheduler: its first groups, each pair it considered, the results."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from dynamo_lab.capture.fusion.operations import Operations
from dynamo_lab.model.fusion.fusion import (
    Check,
    FusionKind,
    Group,
    GroupKind,
    Outcome,
    Placed,
    Ruling,
    Schedule,
    VerdictTable,
)
from dynamo_lab.model.graphs import Graph

MAX_REFUSALS = 50_000
"""The most refusals stored of one schedule: a program of 5,000 operations has some 30,000."""

_KINDS: tuple[tuple[str, GroupKind], ...] = (
    ("OuterLoopFusedSchedulerNode", "outer_loop"),
    ("FusedMixOrderReductions", "mix_order"),
    ("FusedNestedReductions", "nested"),
    ("ForeachKernelSchedulerNode", "foreach"),
    ("GroupedSchedulerNode", "grouped"),
)


class Member:
    """A node of the scheduler as a group: its place, and bit sets of operations."""

    __slots__ = ("ancestors", "index", "name", "node", "operations")

    def __init__(self, node: Any, index: int, operations: int, ancestors: int) -> None:
        self.node = node  # kept alive, so that its id stays its own
        self.index = index
        self.name = str(node.get_name())
        self.operations = operations
        self.ancestors = ancestors


class Attempt:
    """A pair that is being considered."""

    __slots__ = ("consumer", "producer", "reasons", "shared")

    def __init__(self, producer: Member, consumer: Member) -> None:
        self.producer = producer
        self.consumer = consumer
        self.reasons: list[str] = []
        self.shared: int | None = None


class SchedulerLog:
    """Written while a scheduler works; `close` makes it a fact."""

    def __init__(self, scheduler: Any) -> None:
        self._scheduler = scheduler
        self._bits: dict[str, int] = {}
        self._members: dict[int, Member] = {}
        self._named: dict[str, Member] = {}
        self._groups: list[Group] = []
        self._start: tuple[int, ...] = ()
        self.rounds: list[bool] = []
        self._rulings: dict[tuple[int, int], list[Ruling]] = {}
        self._refusals = 0
        self._left_out = 0
        self._known: tuple[Any, ...] = ()

    def begin(self, nodes: Sequence[Any]) -> None:
        """Before the first round: the operations, each a group of its own, then what is grouped."""
        found = [part for node in nodes for part in node.get_nodes()]
        self._known = tuple(sorted(found, key=lambda node: node.min_order))
        self._bits = {node.get_name(): 1 << i for i, node in enumerate(self._known)}
        for node in self._known:
            self.member(node)
        self._start = tuple(self.member(node).index for node in nodes)

    def member(self, node: Any) -> Member:
        """The group that a scheduler node stands for."""
        known = self._members.get(id(node))
        if known is None:
            made = Member(
                node,
                len(self._groups),
                self._mask(part.get_name() for part in node.get_nodes()),
                self._mask(node.ancestors),
            )
            self._groups.append(self._group(node))
            self._members[id(node)] = self._named[made.name] = known = made
        return known

    def _mask(self, names: Iterable[str]) -> int:
        mask = 0
        for name in names:
            mask |= self._bits.get(name, 0)
        return mask

    def _group(self, node: Any) -> Group:
        loops, reduction = _loops(node)
        kind = _group_kind(node)
        return Group(
            operations=self._operations(node),
            kind=kind,
            loops=loops,
            reduction=reduction,
            parts=tuple(map(self._operations, node.snodes)) if kind == "foreach" else (),
        )

    def _operations(self, node: Any) -> tuple[int, ...]:
        return tuple(self._bits[part.get_name()].bit_length() - 1 for part in node.get_nodes())

    def considered(self, attempt: Attempt, verdict: bool) -> None:
        """PyTorch looked at a pair."""
        pair = attempt.producer.index, attempt.consumer.index
        outcome: Outcome = "possible" if verdict else "refused"
        check: Check = ""
        if not verdict and not attempt.reasons:
            check = self._silent_check(attempt)
        made = Ruling(
            first_round=len(self.rounds),
            round=len(self.rounds),
            kind=_fusion_kind(attempt.producer, attempt.consumer),
            outcome=outcome,
            shared=attempt.shared,
            reasons=tuple(dict.fromkeys(attempt.reasons)),
            check=check,
        )
        self._write(pair, made)

    def _silent_check(self, attempt: Attempt) -> Check:
        if attempt.producer.node.is_foreach() or attempt.consumer.node.is_foreach():
            return "parts"
        return "early" if attempt.shared is None else "backend"

    def _write(self, pair: tuple[int, int], made: Ruling) -> None:
        rulings = self._rulings.setdefault(pair, [])
        last = rulings[-1] if rulings else None
        if last is None:
            if made.outcome == "refused":
                if self._refusals >= MAX_REFUSALS:
                    del self._rulings[pair]
                    self._left_out += 1
                    return
                self._refusals += 1
            rulings.append(made)
        elif last.round == made.round and last.outcome != "refused":
            # found possible first, and tried then: what came later counts
            changes = {"shared": made.shared if last.shared is None else last.shared}
            rulings[-1] = replace(made, score=last.score, **changes)
        elif _same(last, made):
            rulings[-1] = replace(last, round=made.round)
        elif last.round == made.round:
            reasons = tuple(dict.fromkeys((*last.reasons, *made.reasons)))
            rulings[-1] = replace(last, reasons=reasons)
        else:
            rulings.append(made)

    def _change(self, producer: Member, consumer: Member, **changes: Any) -> None:
        rulings = self._rulings.get((producer.index, consumer.index))
        if rulings:
            rulings[-1] = replace(rulings[-1], **changes)

    def scored(self, producer: Any, consumer: Any, score: Any) -> None:
        """PyTorch sorts the pairs that are possible."""
        pair = self.member(producer), self.member(consumer)
        self._change(*pair, score=_numbers(score))

    def refused(self, first: str, second: str, reason: str) -> None:
        """A reason was found after the pair, which PyTorch calls so, seemed possible."""
        producer, consumer = self._named.get(first), self._named.get(second)
        if producer is None or consumer is None:
            return
        known = self._rulings.get((producer.index, consumer.index))
        reasons = known[-1].reasons if known else ()
        added = tuple(dict.fromkeys((*reasons, reason)))
        self._change(producer, consumer, outcome="refused", reasons=added, into=None)

    def slower(self, producer: Any, consumer: Any) -> None:
        """A benchmark spoke against fusing a pair."""
        pair = self.member(producer), self.member(consumer)
        self._change(*pair, outcome="refused", check="slower")

    def fused(self, producer: Any, consumer: Any, into: Any) -> None:
        """A pair became one group."""
        pair = self.member(producer), self.member(consumer)
        self._change(*pair, outcome="fused", check="", into=self.member(into).index)

    def close(self, graph: Graph, name: str) -> tuple[Schedule, dict[str, int]]:
        """The schedule, and which of its final groups each operation is in."""
        scheduler = self._scheduler
        final = tuple(self._final(node) for node in scheduler.nodes if self._is_known(node))
        operations = Operations(self._known, graph)
        made = Schedule(
            graph=graph.id,
            name=name,
            operations=operations.all(),
            groups=tuple(self._groups),
            start=self._start,
            rounds=tuple(self.rounds),
            verdicts=self._table(),
            final=tuple(Placed(group=index) for index in final),
            backends={str(k): type(v).__name__ for k, v in scheduler.backends.items()},
            left_out=self._left_out,
        )
        places = {
            self._known[part].get_name(): place
            for place, group in enumerate(final)
            for part in self._groups[group].operations
        }
        self._members.clear()
        return made, places

    def _is_known(self, node: Any) -> bool:
        """Whether it was there before fusion: checks of memory, for one, are put between after."""
        return all(part.get_name() in self._bits for part in node.get_nodes())

    def _final(self, node: Any) -> int:
        member = self.member(node)
        group = self._groups[member.index]
        if group.kind == "foreach" and not self._was_considered(member.index):
            self._groups[member.index] = replace(group, kind="combo", parts=())
        return member.index

    def _was_considered(self, group: int) -> bool:
        if group in self._start:
            return True
        return any(r[-1].into == group for r in self._rulings.values())

    def _table(self) -> VerdictTable:
        pool: dict[Ruling, int] = {}
        rows = [(pair, ruling) for pair, all_of in self._rulings.items() for ruling in all_of]
        rows.sort(key=lambda row: row[1].first_round)
        return VerdictTable(
            pairs=tuple(pair for pair, _ in rows),
            ruling=tuple(pool.setdefault(ruling, len(pool)) for _, ruling in rows),
            rulings=tuple(pool),
        )


def _same(one: Ruling, other: Ruling) -> bool:
    """Whether a later round said the same again."""
    return (
        one.outcome == other.outcome == "refused"
        and one.round + 1 >= other.round
        and (one.reasons, one.check, one.shared) == (other.reasons, other.check, other.shared)
    )


def _fusion_kind(producer: Member, consumer: Member) -> FusionKind:
    if producer.node.is_template():
        return "epilogue"
    if consumer.node.is_template():
        return "prologue"
    if producer.node.is_foreach() or consumer.node.is_foreach():
        return "foreach"
    linked = producer.operations & consumer.ancestors or consumer.operations & producer.ancestors
    return "vertical" if linked else "horizontal"


def _group_kind(node: Any) -> GroupKind:
    names = {base.__name__ for base in type(node).__mro__}
    for name, kind in _KINDS:
        if name in names:
            return kind
    return "fused" if "FusedSchedulerNode" in names else "single"


def _loops(node: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sizes of a node's loops and of its reduction; what runs side by side has none in common.

    The C++ code generator keeps a size a loop, the others all elements of the loops together.
    """
    group = None if node.is_foreach() else getattr(node, "group", None)
    sizes: Any = group[1] if group else ()
    if len(sizes) != 2:
        return (), ()
    loops, reduction = (part if isinstance(part, tuple | list) else (part,) for part in sizes)
    found = tuple(map(str, loops)), tuple(map(str, reduction))
    return found[0], () if found[1] == ("1",) else found[1]


def _numbers(score: Any) -> tuple[int, ...]:
    fields: Any = getattr(score, "__dataclass_fields__", None)
    values = [getattr(score, name) for name in fields] if fields else score
    if not isinstance(values, list | tuple):
        return ()
    return tuple(int(value) for value in values)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
