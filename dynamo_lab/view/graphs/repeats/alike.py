"""Whether two nodes of a graph are equal but for their names, and what they read."""

import re
from collections.abc import Iterator, Mapping, Sequence

from dynamo_lab.model.graphs import NodeTable
from dynamo_lab.view.graphs.paths import Path

_DIGITS = re.compile(r"\d+")
_PARTS = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?![\w=])|(?<![\w.+-])-?\d+(?![\w.])")
_SOURCES = ("placeholder", "get_attr")


class Alike:
    """Compares nodes of one graph; `paths` and `types` are those of the module of each node."""

    def __init__(self, table: NodeTable, paths: Sequence[Path], types: Mapping[Path, str]) -> None:
        self._table = table
        self._texts: dict[int, tuple[str, tuple[int, ...]]] = {}
        pool: dict[object, int] = {}
        masked = {string: _DIGITS.sub("#", table.strings[string]) for string in set(table.target)}
        sources = {n for n, string in enumerate(table.strings) if string in _SOURCES}
        places = {
            path: (tuple(_DIGITS.sub("#", part) for part in path), types.get(path, ""))
            for path in set(paths)
        }
        self.keys: list[int] = []
        for node, op in enumerate(table.op):
            target = table.target[node]
            key = (
                op,
                masked[target] if op in sources else target,
                table.value[node],
                table.stack[node],
                len(table.inputs[node]),
                places[paths[node]],
                table.subgraphs.get(node, ()),
            )
            self.keys.append(pool.setdefault(key, len(pool)))

    def may_be(self, one: int, other: int) -> bool:
        """Whether they do the same, `other` in the block after that of `one`.

        What they read may be of the same origin; `read` decides whether it is.
        """
        if self.keys[one] != self.keys[other] or self.text(one) != self.text(other):
            return False
        by, value, keys = other - one, self._table.value, self.keys
        return all(
            b in (a, a + by) or keys[a] == keys[b] or (b > a and value[a] == value[b])
            for a, b in self.inputs(one, other)
        )

    def inputs(self, one: int, other: int) -> Iterator[tuple[int, int]]:
        """What the nodes read, in pairs."""
        return zip(self._table.inputs[one], self._table.inputs[other], strict=True)

    def text(self, node: int) -> str:
        """The arguments without names of nodes and whole numbers."""
        return self._masked(node)[0]

    def numbers(self, node: int) -> tuple[int, ...]:
        """The whole numbers among the arguments, in order."""
        return self._masked(node)[1]

    def read(self, one: int, other: int, start: int, is_first: bool) -> str:
        """How what `other` reads goes with what `one` reads, for blocks that begin at `start`.

        Of all inputs the least alike: "same", or "own" where each reads a value from before the
        blocks that is made alike; "" where they are not the same work. The first block may begin
        with any value where the next reads what the block before it made.
        """
        found = "same"
        by, value = other - one, self._table.value
        for a, b in self.inputs(one, other):
            if b == a + by or (b == a and a < start):
                continue
            if is_first and a < start <= b and value[a] == value[b]:
                continue
            if max(a, b) >= start or self.keys[a] != self.keys[b]:
                return ""
            found = "own"
        return found

    def _masked(self, node: int) -> tuple[str, tuple[int, ...]]:
        if (known := self._texts.get(node)) is not None:
            return known
        names = {self._table.name[at] for at in self._table.inputs[node]}
        numbers: list[int] = []

        def mask(match: re.Match[str]) -> str:
            text = match[0]
            if text in names:
                return "%"
            if text[-1].isdecimal() and text.lstrip("-").isdecimal():
                numbers.append(int(text))
                return "#"
            return text

        masked = _PARTS.sub(mask, self._table.arguments[node])
        self._texts[node] = masked, tuple(numbers)
        return self._texts[node]
