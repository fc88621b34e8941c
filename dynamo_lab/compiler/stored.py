"""When a tensor is stored that could be computed again by each reader.

In come a lazy tensor and the number of its readers; out comes why it is stored, if it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.model.lowering import Why

if TYPE_CHECKING:
    from dynamo_lab.compiler.tensors import LazyTensor

MOST_READS = 8
"""A tensor that reads more buffers is stored: a loop has only so many registers."""
MOST_OPERATORS = 60
SHARED_READS, SHARED_OPERATORS = 4, 30
"""The same for a tensor that several read: each of them would compute it again."""


def why_dear(made: LazyTensor, users: int) -> Why | None:
    """Why a tensor that no rule stored is stored, if it is: computing it again costs more."""
    reads, cost = len(made.reads), made.cost
    if users > 1 and made.heavy:
        return Why(cause="heavy reuse", users=users)
    if users > 1 and reads > SHARED_READS:
        return Why(cause="reads reuse", users=users, count=reads, limit=SHARED_READS)
    if users > 1 and cost > SHARED_OPERATORS:
        return Why(cause="large reuse", users=users, count=cost, limit=SHARED_OPERATORS)
    if reads > MOST_READS:
        return Why(cause="many reads", count=reads, limit=MOST_READS)
    return Why(cause="large", count=cost, limit=MOST_OPERATORS) if cost > MOST_OPERATORS else None
