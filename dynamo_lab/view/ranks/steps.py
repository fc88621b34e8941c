"""How long the steps of a training under DDP took: from one backward's first bucket to the next."""

import statistics
from collections.abc import Sequence
from itertools import pairwise

from dynamo_lab.view.ranks.known import Known

_FEWEST = 3


def step_seconds(ranks: Sequence[Known]) -> float | None:
    """The median step of the slowest rank, once it compiled no more; None where that is not known.

    At least three steps are needed after the last compilation, and the one after it does not count.
    """
    known = [_of_rank(one) for one in ranks]
    return max(filter(None, known)) if known and None not in known else None


def _of_rank(one: Known) -> float | None:
    last = max((when[1] for _, when in one.compilations), default=0.0)
    tied = one.buckets.tied
    begun = [
        call.started
        for call in one.rank.calls or ()
        if (found := tied.get((call.group, call.number))) is not None
        and found.number == 0
        and call.started > last
    ]
    steps = [b - a for a, b in pairwise(begun)][1:]
    return statistics.median(steps) if len(steps) >= _FEWEST else None
