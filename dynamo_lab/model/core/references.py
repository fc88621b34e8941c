"""Whether indices name what there is: what the validation of every noun asks."""

from collections.abc import Iterable, Iterator


def outside(place: str, indices: Iterable[int], size: int, table: str) -> Iterator[str]:
    """A sentence for each of the indices that is not in a table of this size."""
    for index in indices:
        if not 0 <= index < size:
            yield f"{place} is {index}, but there are {size} {table}"
