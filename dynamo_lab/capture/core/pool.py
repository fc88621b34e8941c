"""Pools of equal things, held once."""

from typing import Generic, TypeVar

T = TypeVar("T")


class Pool(Generic[T]):
    """Interns values; an index is a value's first appearance."""

    def __init__(self) -> None:
        self._index: dict[T, int] = {}

    def add(self, item: T) -> int:
        """The index of an item."""
        return self._index.setdefault(item, len(self._index))

    def items(self) -> tuple[T, ...]:
        """The items by index."""
        return tuple(self._index)
