"""Two variants' rounds beside each other."""

from dynamo_lab.measure.statistics import Ratio, ratio
from dynamo_lab.model.benchmarks import Series


def compare(base: Series | None, one: Series) -> Ratio | None:
    """How many times faster than the first; None for that one, and where rounds do not pair."""
    if base is None or base is one:
        return None
    count = min(len(base.seconds), len(one.seconds))  # a stopped one may have fewer
    if not count or min(*base.seconds, *one.seconds) <= 0:  # below the clock's resolution
        return None
    return ratio(base.seconds[:count], one.seconds[:count])
