"""The loops that several nodes share: their sizes, and where a node stands in them.

In come loop nodes; out come the loop variables of a kernel and, for each node, its own position as
index expressions of those. Two nodes can only share a kernel if they share such a space.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.layout import Position, flatten, loops, unflatten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.compiler.index import Index, Size
    from dynamo_lab.compiler.work import Loop

Level = Literal["outer", "inner"]


@dataclass(frozen=True)
class Space:
    """Outer loops, and inner ones that a reduction goes over."""

    outer_size: Size
    inner_size: Size
    outer: tuple[Size, ...]
    inner: tuple[Size, ...]

    @property
    def outer_loops(self) -> Position:
        """The outer loop variables."""
        return loops("i", self.outer)

    @property
    def inner_loops(self) -> Position:
        """The loop variables that a reduction goes over."""
        return loops("r", self.inner)

    def place(self, node: Loop) -> tuple[Position, Position, Level]:
        """The node's own loop variables in these loops, and at which level it runs."""
        outer, inner = self.outer_loops, self.inner_loops
        if node.reduction:
            at = _refit(outer, self.outer, node.outer)
            return at, _refit(inner, self.inner, node.inner), "inner"
        if node.outer_size == self.outer_size:
            return _refit(outer, self.outer, node.outer), (), "outer"
        both = _refit((*outer, *inner), (*self.outer, *self.inner), node.outer)
        return both, (), "inner"

    def joined(self, level: Level, at: int) -> Space:
        """Two neighbouring loops as one."""
        sizes = self.outer if level == "outer" else self.inner
        made = (*sizes[:at], ix.product(sizes[at : at + 2]), *sizes[at + 2 :])
        return replace(self, outer=made) if level == "outer" else replace(self, inner=made)


def space_of(nodes: Sequence[Loop]) -> Space:
    """The loops of a kernel of these nodes: the finest division that one of them has."""
    reducing = next((node for node in nodes if node.reduction), None)
    outer_size = reducing.outer_size if reducing else nodes[0].outer_size
    inner_size = reducing.inner_size if reducing else 1
    outer: tuple[Size, ...] = ()
    inner: tuple[Size, ...] = ()
    for node in nodes:
        if node.reduction:
            mine = (node.outer, node.inner)
        elif node.outer_size == outer_size:
            mine = (node.outer, ())
        else:
            mine = _divided(node.outer, outer_size)
        outer = mine[0] if len(mine[0]) > len(outer) else outer
        inner = mine[1] if len(mine[1]) > len(inner) else inner
    return Space(outer_size, inner_size, outer, inner)


def _divided(
    sizes: tuple[Size, ...], outer_size: Size
) -> tuple[tuple[Size, ...], tuple[Size, ...]]:
    """The loops of a node that runs over outer and inner loops, cut between the two."""
    found: Size = 1
    for at, size in enumerate(sizes):
        if found == outer_size:
            return sizes[:at], sizes[at:]
        found = ix.plain(found * size)
    return (), ()


def _refit(loops: Position, sizes: Sequence[Size], wanted: Sequence[Size]) -> Position:
    if tuple(sizes) == tuple(wanted):
        return tuple(loops)
    return unflatten(flatten(loops, sizes), wanted)


def nests(position: Sequence[Index]) -> bool:
    """Is each part a plain sum of loop variables, without quotients and remainders?"""
    return not any(atom.kind in ("div", "mod") for at in position for atom in at.atoms())
