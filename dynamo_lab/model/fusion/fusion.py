"""Inductor's schedule: its operations, every pair it considered fusing, and the groups it made."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Parallel, Ref
from dynamo_lab.model.lowering import INDUCTOR, Compiler

OperationKind = Literal["pointwise", "reduction", "scan", "template", "extern", "nop", "other"]
"""What an operation is to the scheduler: a kind of loop, a library call, or no work."""

GroupKind = Literal[
    "single", "fused", "outer_loop", "foreach", "combo", "mix_order", "nested", "grouped"
]
"""How operations were combined. `foreach` and `combo` run side by side in one kernel, loops
that share only their outer part are `outer_loop`; `mix_order` and `nested` are pairs of reductions
over different sizes."""

FusionKind = Literal["vertical", "horizontal", "foreach", "epilogue", "prologue", "combo"]
"""A producer with its consumer, two that only read the same, parts of a list of tensors, work after
or before a matrix product's template, or what a combo kernel runs side by side."""

Outcome = Literal["fused", "possible", "refused"]
"""`possible`: nothing spoke against it, but one of the two was fused with another first."""

Check = Literal["", "backend", "parts", "early", "slower", "peak"]
"""What refused a pair if PyTorch gives no reason: the rules of the device's code generator, the
parts of a foreach, a check before any data is examined, a benchmark, the memory estimate."""


class Operation(Struct, frozen=True, kw_only=True):
    """One operation of the schedule before fusion: `nodes` are those of the post-grad graph.

    `reads` are the buffers and inputs it needs, `after` the operations that must come before
    it; `weak` are those of them that only read what it overwrites. `call` names the library
    function of an extern one.
    """

    name: str
    buffers: tuple[str, ...]
    kind: OperationKind
    device: str = ""
    nodes: Annotated[tuple[int, ...], Ref("graphs[Schedule.graph].nodes")] = ()
    reads: tuple[str, ...] = ()
    after: Annotated[tuple[int, ...], Ref("Schedule.operations")] = ()
    weak: Annotated[tuple[int, ...], Ref("Schedule.operations")] = ()
    call: str = ""


class Group(Struct, frozen=True, kw_only=True):
    """Operations that were in one group at some time. The group of a single one has its index.

    `loops` and `reduction` are the sizes of the loops, symbols included, as the scheduler saw them.
    `parts` are the operations of each element of a foreach, in the list's order.
    """

    operations: Annotated[tuple[int, ...], Ref("Schedule.operations")]
    kind: GroupKind = "single"
    loops: tuple[str, ...] = ()
    reduction: tuple[str, ...] = ()
    parts: Annotated[tuple[tuple[int, ...], ...], Ref("Schedule.operations")] = ()


class Ruling(Struct, frozen=True, kw_only=True):
    """The verdict on a pair that was considered in the rounds `first_round` to `round`.

    `shared` is PyTorch's score of the bytes that fusing saves, None if it was not computed;
    `score` what pairs are sorted by, highest first: template, same kind, bytes saved, overlap,
    nearness (torch 2.11 has no overlap). `reasons` are in PyTorch's words, `into` the resulting
    group.
    """

    first_round: Annotated[int, Ref("Schedule.rounds", or_end=True)]
    round: Annotated[int, Ref("Schedule.rounds", or_end=True)]
    kind: FusionKind
    outcome: Outcome
    shared: int | None = None
    score: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()
    check: Check = ""
    into: Annotated[int | None, Ref("Schedule.groups")] = None


class Verdict(Struct, frozen=True, kw_only=True):
    """A pair of groups that was considered, and the ruling on it."""

    producer: Annotated[int, Ref("Schedule.groups")]
    consumer: Annotated[int, Ref("Schedule.groups")]
    ruling: Ruling


class VerdictTable(Struct, frozen=True, kw_only=True):
    """Verdicts as columns, because there are thousands, and many share a ruling.

    `ruling` indexes the pool of `rulings`, `pairs` the groups of the schedule.
    """

    rulings: tuple[Ruling, ...] = ()
    pairs: Annotated[tuple[tuple[int, int], ...], Ref("Schedule.groups")] = ()
    ruling: Annotated[
        tuple[int, ...], Ref("VerdictTable.rulings"), Parallel("VerdictTable.pairs")
    ] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Verdict]:
        for (producer, consumer), index in zip(self.pairs, self.ruling, strict=True):
            yield Verdict(producer=producer, consumer=consumer, ruling=self.rulings[index])


class Placed(Struct, frozen=True, kw_only=True):
    """A group of the finished schedule, in the order it runs; `kernel` is None for no kernel."""

    group: Annotated[int, Ref("Schedule.groups")]
    kernel: Annotated[int | None, Ref("kernels")] = None


class Schedule(Struct, frozen=True, kw_only=True):
    """The schedule of a lowered graph, or of a body in it, which has a `name`, by a compiler.

    `rounds` says for each round of fusion whether loops could be reordered in it; `start` are the
    groups before the first. `backends` names the code generator of each device. `left_out` counts
    refusals that are not stored because there are too many.
    """

    graph: Annotated[int, Ref("graphs")]
    name: str = ""
    compiler: Compiler = INDUCTOR
    operations: tuple[Operation, ...] = ()
    groups: tuple[Group, ...] = ()
    start: Annotated[tuple[int, ...], Ref("Schedule.groups")] = ()
    rounds: tuple[bool, ...] = ()
    verdicts: VerdictTable = VerdictTable()
    final: tuple[Placed, ...] = ()
    backends: dict[str, str] = {}
    left_out: int = 0

    def name_of(self, group: int) -> str:
        """'op0_op1': what PyTorch calls a group."""
        return "_".join(self.operations[index].name for index in self.groups[group].operations)


class Fusion(Struct, frozen=True, kw_only=True):
    """A verdict by name: `producer` and `consumer` are the operations of the two groups."""

    graph: Annotated[int, Ref("graphs")]
    producer: tuple[str, ...]
    consumer: tuple[str, ...]
    kind: FusionKind
    outcome: Outcome
    first_round: int
    round: int
    shared: int | None
    score: tuple[int, ...]
    reasons: tuple[str, ...]


def fusions(schedule: Schedule) -> Iterator[Fusion]:
    """Every verdict of a schedule, by name."""
    names = [
        tuple(schedule.operations[index].name for index in group.operations)
        for group in schedule.groups
    ]
    for verdict in schedule.verdicts:
        ruling = verdict.ruling
        yield Fusion(
            graph=schedule.graph,
            producer=names[verdict.producer],
            consumer=names[verdict.consumer],
            kind=ruling.kind,
            outcome=ruling.outcome,
            first_round=ruling.first_round,
            round=ruling.round,
            shared=ruling.shared,
            score=ruling.score,
            reasons=ruling.reasons,
        )


def problems(schedules: Sequence[Schedule]) -> Iterator[str]:
    """A sentence for each schedule whose first groups are not its operations, one by one."""
    for position, schedule in enumerate(schedules):
        count = len(schedule.operations)
        alone = [group.operations for group in schedule.groups[:count]]
        if alone != [(index,) for index in range(count)]:
            yield f"schedules[{position}].groups does not begin with each operation by itself"
