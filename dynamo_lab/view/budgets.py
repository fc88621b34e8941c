"""Memory against arithmetic: what other activation memory budgets would keep and compute again."""

from collections.abc import Sequence

from msgspec import Struct

from dynamo_lab.model.autograd import Partition, Repartition
from dynamo_lab.plain import table
from dynamo_lab.view.pieces import size_words


class BudgetRow(Struct, frozen=True, kw_only=True):
    """One budget: how much it keeps, and how many operators run again, with what arithmetic.

    `flops` counts matrix products, convolutions and attention alone.
    """

    budget: float
    activation_bytes: int
    size: str
    saved: int
    operators: int
    flops: int
    arithmetic: str
    is_used: bool = False


class Budgets(Struct, frozen=True, kw_only=True):
    """What the partitioner would do with one graph under each budget, the largest first."""

    title: str
    rows: tuple[BudgetRow, ...]

    def __str__(self) -> str:
        head = ("budget", "kept", "values", "run again", "arithmetic again", "")
        rows = [
            (
                f"{row.budget:g}",
                row.size,
                f"{row.saved:,}",
                f"{row.operators:,}",
                row.arithmetic,
                "as compiled" if row.is_used else "",
            )
            for row in self.rows
        ]
        return "\n".join(
            [
                f"{self.title}: the activation memory budget",
                *table([head, *rows], right=(0, 1, 2, 3, 4)),
            ]
        )

    __repr__ = __str__


def build(title: str, part: Partition, found: Sequence[Repartition]) -> Budgets:
    """The rows of a table, the largest budget first."""
    rows = sorted(found, key=lambda item: -item.budget)
    return Budgets(title=title, rows=tuple(_row(item, part) for item in rows))


def _row(item: Repartition, part: Partition) -> BudgetRow:
    return BudgetRow(
        budget=item.budget,
        activation_bytes=item.activation_bytes,
        size=size_words(item.activation_bytes),
        saved=len(item.saved),
        operators=item.operators,
        flops=item.flops,
        arithmetic=_flops(item.flops),
        is_used=item.budget == part.budget,
    )


def _flops(count: int) -> str:
    """'0', '12 MFLOP', '1.5 GFLOP'."""
    amount = float(count)
    for unit in ("", "k", "M", "G"):
        if amount < 1000:
            return f"{amount:.3g} {unit}FLOP" if count else "0"
        amount /= 1000
    return f"{amount:.3g} TFLOP"
