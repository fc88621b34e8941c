"""Meshes of ranks, and how a tensor of all ranks is cut into the shards of each."""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Annotated, Literal, NamedTuple

from msgspec import Struct

from dynamo_lab.model.core.references import Plain

_SHARD = re.compile(r"_?S\((\d+)(?:, after (\d+))?\)")


class Mesh(Struct, frozen=True, kw_only=True):
    """A `DeviceMesh`: `ranks` in its order, the last dimension first to change; `names` or ()."""

    shape: tuple[int, ...]
    ranks: tuple[int, ...]
    names: tuple[str, ...] = ()
    device: str = ""

    def coordinates(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Each rank with its place in each dimension."""
        places = product(*(range(size) for size in self.shape))
        return zip(self.ranks, places, strict=False)

    def groups(self, dimension: int) -> Iterator[tuple[int, ...]]:
        """The ranks that differ in one dimension alone, which communicate with each other."""
        found: dict[tuple[int, ...], list[int]] = {}
        for rank, place in self.coordinates():
            found.setdefault(place[:dimension] + place[dimension + 1 :], []).append(rank)
        return map(tuple, found.values())

    def is_in(self, other: "Mesh") -> bool:
        """Whether it is a part of another one, such as a row of it."""
        return self is not other and len(self.shape) <= len(other.shape) and (
            set(self.ranks) < set(other.ranks)
            or (set(self.ranks) == set(other.ranks) and len(self.shape) < len(other.shape))
        )  # fmt: skip


class ShardedTensor(Struct, frozen=True, kw_only=True):
    """A DTensor of a rank: `shape` is of the whole, `local` of what this rank holds of it.

    `placements` has one for each dimension of the mesh: "S(0)", "R", "P(sum)"; "S(0, after 8)" is a
    shard of what a later dimension of the mesh has cut into 8 before, as FSDP makes over tensor
    parallelism. `bytes` are those of the local part. `kind` says what it is to the program: a
    module's parameter, or what a compiled graph got as an input.
    """

    name: str
    kind: Literal["parameter", "input"]
    mesh: Mesh
    placements: tuple[str, ...]
    shape: tuple[int, ...]
    local: tuple[int, ...]
    dtype: str = ""
    bytes: Annotated[int, Plain("a number of bytes")] = 0


class Shard(NamedTuple):
    """A part of a tensor: where it begins in the whole, and its sizes; 0 where nothing is left."""

    offset: tuple[int, ...]
    sizes: tuple[int, ...]


def shard_of(
    shape: Sequence[int], mesh: Sequence[int], placements: Sequence[str], place: Sequence[int]
) -> Shard | None:
    """What the rank at a place of the mesh holds of a tensor of this shape, as `torch.chunk` cuts.

    None where a placement is of a kind that is not known here.
    """
    offset, sizes = [0] * len(shape), list(shape)
    for at in _order(mesh, placements) or ():
        found = _SHARD.fullmatch(placements[at])
        dimension = int(found[1]) if found else 0
        if dimension >= len(shape):
            return None
        each = -(-sizes[dimension] // mesh[at])
        begin = min(each * place[at], sizes[dimension])
        sizes[dimension] = min(each, sizes[dimension] - begin)
        offset[dimension] += begin
        if not sizes[dimension]:
            offset[dimension] = shape[dimension]  # as PyTorch has it for what is empty
    if _order(mesh, placements) is None:
        return None
    return Shard(tuple(offset), tuple(sizes))


def _order(mesh: Sequence[int], placements: Sequence[str]) -> list[int] | None:
    """The dimensions of the mesh that cut, in the order in which they do; None if not known.

    A dimension cuts before those to its right, unless it says that some of them were before it.
    """
    order: list[int] = []
    for at in reversed(range(len(placements))):
        found = _SHARD.fullmatch(placements[at])
        if found is None:
            if not re.match(r"R$|P\(", placements[at]):
                return None
            continue
        before = int(found[2] or 1)
        same = [a for a in order if _SHARD.fullmatch(placements[a])[1] == found[1]]  # pyright: ignore[reportOptionalSubscript]
        cut = [n for n in range(len(same) + 1) if prod(mesh[a] for a in same[:n]) == before]
        if not cut:
            return None
        behind = same[cut[0] :]
        order.insert(order.index(behind[0]) if behind else len(order), at)
    return order
