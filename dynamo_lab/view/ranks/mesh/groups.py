"""What process groups are called: those of a mesh by its dimension, not by PyTorch's numbers."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from dynamo_lab.model.ranks.meshes import Mesh
from dynamo_lab.model.ranks.ranks import Group, Rank
from dynamo_lab.view.core.words import listed, unique, unit

_OF_MESH = re.compile(r"mesh_(.+)")
"""How PyTorch describes a group that a mesh made: by the dimension's name."""
_UNNAMED = re.compile(r"dim_(\d+)")
"""The name that PyTorch gives a dimension of a mesh that has none."""
_FEW = 5
_ALL = "default"
"""That of a second group of all ranks, which a mesh makes where the first has another backend."""


class GroupKey(NamedTuple):
    """A process group: its name, which ranks of it share, and its ranks where they are known."""

    name: str
    ranks: tuple[int, ...]


def group_words(key: GroupKey, rank: Rank) -> str:
    """'all ranks', 'the group `tp` of ranks 0 and 1'; where no mesh made it, by PyTorch's name."""
    if len(key.ranks) == rank.size and key.name == "0":
        return "all ranks"
    named = _title(key, rank)
    if not key.ranks:
        return f"the group {named}"
    return f"the group {named} of {unit(len(key.ranks), 'rank')} {numbers_of(key.ranks)}"


def _title(key: GroupKey, rank: Rank) -> str:
    """'`tp`'; "'3' (dimension 0 of a mesh)" where the mesh has no names; "'3'" of other groups."""
    group = next((one for one in rank.groups if one.name == key.name), Group(key.name))
    found = _OF_MESH.fullmatch(group.description)
    if found is None:
        return repr(key.name)
    name = found[1]
    if name == _ALL:
        names = _along(group.ranks, rank.meshes)
        return f"`{names[0]}`" if len(names) == 1 else repr(key.name)
    number = _UNNAMED.fullmatch(name)
    if number and not any(name in mesh.names for mesh in rank.meshes):
        return f"{key.name!r} (dimension {number[1]} of a mesh)"
    return f"`{name}`"


def _along(ranks: Sequence[int], meshes: Sequence[Mesh]) -> tuple[str, ...]:
    """The names of the dimensions along which these ranks are a group."""
    return unique(
        mesh.names[at]
        for mesh in meshes
        for at in range(len(mesh.names))
        if any(set(group) == set(ranks) for group in mesh.groups(at))
    )


def numbers_of(ranks: Sequence[int]) -> str:
    """'0 to 7 and 16'; '0, 8, 16, ... 1,016' of a series; '0, 1, 8, 11 and 60 more' of others."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    if len(runs) <= _FEW:
        told = [text for run in runs for text in _texts(run)]
        return listed(told, len(told))
    steps = {after[0] - run[0] for run, after in pairwise(runs)}
    if len(steps) == 1 and len({len(run) for run in runs}) == 1:
        first, second, third, *_, last = (", ".join(_texts(run)) for run in runs)
        return f"{first}, {second}, {third}, ... {last}"
    shown, left = runs[: _FEW - 1], runs[_FEW - 1 :]
    told = [text for run in shown for text in _texts(run)]
    return f"{', '.join(told)} and {sum(map(len, left)):,} more"


def _texts(run: Sequence[int]) -> list[str]:
    """What is told of ranks that follow one another: ['0 to 7'], ['0', '1']."""
    return [f"{run[0]:,} to {run[-1]:,}"] if len(run) > 2 else [f"{n:,}" for n in run]
