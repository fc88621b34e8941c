"""The define-by-run IR that loop bodies are written in: which operators, and how often."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from dynamo_lab.model.lowering import Buffer

_TEXTS = {
    "load": "reads an element of a buffer",
    "store": "writes an element of a buffer",
    "store_reduction": "writes a reduction's result, once its loop has ended",
    "reduction": "combines the values of a loop into one",
    "constant": "a number",
    "index_expr": "a loop's index, as a value to compute with",
    "value_expr": "a size or an index, as a value to compute with",
    "indirect_indexing": "turns a loaded value into an index",
    "masked": "runs a body where a mask holds, and gives a constant elsewhere",
    "where": "selects one of two values by a condition",
    "to_dtype": "converts to another type",
    "to_dtype_bitcast": "the same bits as another type",
    "scan": "combines each value with those before it",
    "sort": "orders the values of a loop",
    "load_seed": "reads a seed for random numbers",
    "rand": "a random number between 0 and 1",
    "randn": "a normally distributed random number",
    "check_bounds": "fails where an index is out of bounds",
    "bucketize": "finds the bucket that a value falls into",
    "reduce": "combines the values of a loop into one, which is stored",
    "const": "a number",
    "index": "a loop's index, as a value to compute with",
    "checked": "turns a loaded value into an index that is within bounds",
    "cast": "converts to another type",
    "scalar": "a number that is known at the call",
}
"""What the operators do that do more than compute with one or two values, as `exp` and `add` do."""


class OperatorCount(Struct, frozen=True, kw_only=True):
    """An operator of the loop IR: how often it occurs in loop bodies, and in how many buffers."""

    name: str
    count: int
    buffers: int
    text: str


def loop_operators(buffers: Iterable[Buffer]) -> tuple[OperatorCount, ...]:
    """The operators of all bodies, the most frequent first."""
    counts, within = Counter[str](), Counter[str]()
    for buffer in buffers:
        found = [line.operator for line in buffer.body if line.operator]
        counts.update(found)
        within.update(set(found))
    return tuple(
        OperatorCount(name=name, count=count, buffers=within[name], text=_TEXTS.get(name, ""))
        for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
