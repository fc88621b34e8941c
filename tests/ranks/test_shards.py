"""Which part of a DTensor a rank holds, against PyTorch's own word; nothing communicates."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import pytest
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor._utils import compute_local_shape_and_global_offset
from torch.testing._internal.distributed.fake_pg import FakeStore

from dynamo_lab.capture.ranks.meshes import mesh_of, placement
from dynamo_lab.model.ranks.meshes import Mesh, shard_of

SIZES = (2, 3, 2)
SHAPES = ((7, 5), (12, 12), (1, 3), (13, 2))


@contextmanager
def _as_rank(rank: int) -> Iterator[Any]:
    """A mesh of 12 ranks, of which this process pretends to be one."""
    dist.init_process_group("fake", rank=rank, world_size=12, store=FakeStore())
    try:
        yield init_device_mesh("cpu", SIZES, mesh_dim_names=("a", "b", "c"))
    finally:
        dist.destroy_process_group()


@pytest.mark.parametrize("rank", [0, 4, 7, 11])
def test_each_shard_is_where_pytorch_says(rank: int) -> None:
    kinds = (Replicate(), Shard(0), Shard(1))
    with _as_rank(rank) as mesh:
        place = dict(mesh_of(mesh).coordinates())[rank]
        assert list(place) == list(mesh.get_coordinate())
        for shape, placements in product(SHAPES, product(kinds, repeat=3)):
            sizes, offset = compute_local_shape_and_global_offset(shape, mesh, list(placements))
            words = [placement(one) for one in placements]
            found = shard_of(shape, SIZES, words, place)
            assert found == (tuple(offset), tuple(sizes)), (shape, words)


def test_what_fsdp_cuts_of_a_shard_is_a_part_of_that_shard() -> None:
    places = list(product(range(2), range(3), range(2)))
    held = [shard_of((7, 5), SIZES, ("R", "S(0, after 2)", "S(0)"), at) for at in places]
    rows = [(one.offset[0], one.sizes[0]) for one in held if one is not None]
    # tensor parallelism cuts 7 into 4 and 3, then FSDP cuts 4 into 2, 2, 0 and 3 into 1, 1, 1
    assert rows[:6] == [(0, 2), (4, 1), (2, 2), (5, 1), (7, 0), (6, 1)]
    assert rows[6:] == rows[:6]


def test_a_placement_that_is_not_known_gives_no_shard() -> None:
    assert shard_of((8,), (2,), ("M(x)",), (0,)) is None
    assert shard_of((8,), (2,), ("S(3)",), (0,)) is None
    assert shard_of((8, 8), (2, 2), ("S(0, after 3)", "S(0)"), (0, 0)) is None


def test_groups_are_those_of_the_mesh() -> None:
    with _as_rank(5) as made:
        mesh = mesh_of(made)
        for at, name in enumerate(mesh.names):
            own = dist.get_process_group_ranks(made.get_group(name))
            assert tuple(own) in set(mesh.groups(at))
    assert mesh == Mesh(shape=SIZES, ranks=tuple(range(12)), names=("a", "b", "c"), device="cpu")
