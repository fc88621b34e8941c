"""What other memory budgets would save, from the partitioner, while the joint graph lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec import Struct

from dynamo_lab.errors import BudgetError
from dynamo_lab.render.tables import table
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.words import flops, plural, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.capture.autograd.joints import Joint
    from dynamo_lab.live.session import Session
    from dynamo_lab.model.autograd import Partition, Repartition
    from dynamo_lab.model.recording import Recording

BUDGETS = (1.0, 0.8, 0.6, 0.4, 0.2, 0.0)
"""The budgets that are tried if none is given: from "the fastest" to "only inputs"."""


class BudgetRow(Struct, frozen=True, kw_only=True):
    """One budget: how much it saves, how many operators are recomputed, and their arithmetic.

    `values` is what `saved` counts, as "41 + 20": computed values, then parameters and inputs
    with views of them.
    `flops` counts only matrix products, convolutions and attention; those of `uncounted` more
    operators are not known, and `arithmetic` says so.
    """

    budget: float
    activation_bytes: int
    size: str
    saved: int
    operators: int
    flops: int
    arithmetic: str
    is_used: bool = False
    uncounted: int = 0
    values: str = ""


HEADINGS = ("budget", "saved", "values + parameters and inputs", "recomputed", "extra in products")


class Budgets(Struct, frozen=True, kw_only=True):
    """What the partitioner would do with one graph under each budget, the largest first."""

    title: str
    rows: tuple[BudgetRow, ...]
    headings: tuple[str, ...] = HEADINGS

    def __str__(self) -> str:
        rows = [
            (
                f"{row.budget:g}",
                row.size,
                row.values,
                f"{row.operators:,}",
                row.arithmetic,
                "as compiled" if row.is_used else "",
            )
            for row in self.rows
        ]
        return "\n".join(
            [
                f"{self.title}: the activation memory budget",
                *table([(*self.headings, ""), *rows], right=(0, 1, 2, 3, 4)),
            ]
        )

    __repr__ = __str__


def ask(
    recording: Recording,
    session: Session,
    budgets: Sequence[float] = (),
    partition: int | None = None,
) -> Budgets:
    """What a partition, by default the first with a backward, would save under each budget.

    Raises:
        BudgetError: there is no such partition or budget, or the joint graph is not available.
    """
    budgets = budgets or BUDGETS
    for budget in budgets:
        if not isinstance(cast("object", budget), int | float) or not 0 <= budget <= 1:
            raise BudgetError(
                f"A budget is the share of activation memory to save, from 0 to 1, not {budget!r}."
            )
    if partition is None:  # the first that has a backward
        cut = (part.id for part in recording.partitions if part.backward is not None)
        partition = next(cut, 0)
    joint = _joint(recording, session, partition)
    part = recording.partitions[partition]
    number = 0 if part.forward is None else GraphTitles(recording).numbers[part.forward]
    return _table(f"graph {number}", part, [joint.cut_again(budget) for budget in budgets])


def _joint(recording: Recording, session: Session, partition: int) -> Joint:
    count = len(recording.partitions)
    if not count:
        raise BudgetError("AOTAutograd saw no graph in this recording: none can be partitioned.")
    if not 0 <= partition < count:
        raise BudgetError(
            f"There is no partition {partition}: ids are from 0, and there are {count}."
        )
    method = recording.partitions[partition].method
    if method != "min-cut":
        why = "no gradient was requested" if method == "none" else "it used another partitioner"
        raise BudgetError(f"Partition {partition} was not made by the min-cut partitioner: {why}.")
    if partition not in session.joints:
        raise BudgetError(
            "The joint graph is not available: only the process that recorded it can partition it "
            "again, so record again here."
        )
    return session.joints[partition]


def _table(title: str, part: Partition, found: Sequence[Repartition]) -> Budgets:
    """The rows of a table, the largest budget first."""
    rows = sorted(found, key=lambda item: -item.budget)
    return Budgets(title=title, rows=tuple(_row(item, part) for item in rows))


def _row(item: Repartition, part: Partition) -> BudgetRow:
    return BudgetRow(
        budget=item.budget,
        activation_bytes=item.activation_bytes,
        size=size(item.activation_bytes),
        saved=len(item.saved),
        operators=item.operators,
        flops=item.flops,
        arithmetic=_arithmetic(item),
        is_used=item.budget == part.budget,
        uncounted=item.uncounted,
        values=f"{len(item.saved) - item.inputs:,} + {item.inputs:,}",
    )


def _arithmetic(item: Repartition) -> str:
    if not item.uncounted:
        return flops(item.flops) if item.flops else "0"
    unknown = f"unknown for {plural(item.uncounted, 'operator')}"
    return f"{flops(item.flops)}, {unknown}" if item.flops else unknown
