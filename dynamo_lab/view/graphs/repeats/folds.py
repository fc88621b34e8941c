"""Repeats folded: in a listing, and in a diagram a part of each block within a module."""

from collections.abc import Iterator
from typing import NamedTuple

from dynamo_lab.view.graphs.graphs import GraphView
from dynamo_lab.view.graphs.repeats.repeats import INPUTS, RepeatView


class Items(NamedTuple):
    """Nodes and modules that lie directly in a module."""

    nodes: tuple[int, ...]
    children: tuple[int, ...]


class Fold(NamedTuple):
    """What a repeat has in a module, block by block."""

    repeat: int
    blocks: tuple[Items, ...]


def listed_nodes(graph: GraphView, inputs: bool = True) -> Iterator[int | RepeatView]:
    """The nodes of a listing in order: of repeated blocks the first, then what stands for them.

    Without `inputs`, blocks of inputs are not folded.
    """
    starts = {
        (one.parent, one.first): number
        for number, one in enumerate(graph.repeats)
        if inputs or one.holds != INPUTS
    }

    def rows(start: int, end: int, within: int) -> Iterator[int | RepeatView]:
        at = start
        while at < end:
            number = starts.get((within, at))
            if number is None:
                yield at
                at += 1
                continue
            one = graph.repeats[number]
            yield from rows(at, at + one.size, number)
            yield one
            at += one.size * one.times

    return rows(0, len(graph.name), -1)


class Folds:
    """Folds what lies in the modules of one graph."""

    def __init__(self, graph: GraphView) -> None:
        self._repeats = graph.repeats
        self._innermost = [-1] * len(graph.name)
        for number, one in enumerate(graph.repeats):  # outer before inner
            end = one.first + one.size * one.times
            self._innermost[one.first : end] = [number] * (end - one.first)
        self._spans = _spans(graph) if graph.repeats else []

    def folded(self, items: Items, within: int = -1) -> tuple[list[Fold], Items]:
        """The folds of these items, and the items in none; `within` is a repeat that is open.

        A repeat is folded where each of its blocks has a part here: a module that all blocks share
        stays, and the repeat is folded in it.
        """
        parts: dict[int, dict[int, tuple[list[int], list[int]]]] = {}
        for kind, of_kind in enumerate(items):
            for item in of_kind if self._repeats else ():
                first, last = (item, item) if kind == 0 else self._spans[item]
                for repeat, block in self._around(first, last, within):
                    parts.setdefault(repeat, {}).setdefault(block, ([], []))[kind].append(item)
        taken: tuple[set[int], set[int]] = (set(), set())
        folds: list[Fold] = []
        for repeat in sorted(parts):
            blocks = [parts[repeat][block] for block in sorted(parts[repeat])]
            is_whole = len(blocks) == self._repeats[repeat].times
            if is_whole and not any(taken[kind] & set(blocks[0][kind]) for kind in (0, 1)):
                made = tuple(Items(tuple(nodes), tuple(children)) for nodes, children in blocks)
                folds.append(Fold(repeat, made))
                for block in blocks:
                    taken[0].update(block[0])
                    taken[1].update(block[1])
        nodes, children = (
            tuple(item for item in of_kind if item not in taken[kind])
            for kind, of_kind in enumerate(items)
        )
        return folds, Items(nodes, children)

    def _around(self, first: int, last: int, within: int) -> Iterator[tuple[int, int]]:
        """The repeats of which one block holds all from the first node to the last, inner first."""
        at = self._innermost[first] if first <= last else -1
        while at >= 0 and at != within:
            one = self._repeats[at]
            block = (first - one.first) // one.size
            if block == (last - one.first) // one.size and last < one.first + one.size * one.times:
                yield at, block
            at = one.parent


def _spans(graph: GraphView) -> list[tuple[int, int]]:
    """The first and the last node that computes in each module, of inputs alone where none does.

    Parameters come first in a graph, far from the module that they are of.
    """
    inputs = {n for n, op in enumerate(graph.strings) if op in ("placeholder", "get_attr")}
    found: list[tuple[bool, int, int]] = [(False, 1, 0)] * len(graph.modules)
    for number in range(len(graph.modules) - 1, -1, -1):  # a module comes after the one it lies in
        box = graph.modules[number]
        held = [(graph.op[node] not in inputs, node, node) for node in box.nodes]
        held += [found[child] for child in box.children]
        computes = any(one[0] for one in held)
        spans = [one for one in held if one[0] == computes and one[1] <= one[2]]
        if spans:
            found[number] = computes, min(one[1] for one in spans), max(one[2] for one in spans)
    return [(first, last) for _, first, last in found]
