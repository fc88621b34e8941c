"""The meshes of a job: a grid of its ranks, their groups, and two ways to make them."""

from collections.abc import Sequence

from msgspec import Struct

from dynamo_lab.model.ranks.meshes import Mesh
from dynamo_lab.view.core.words import plural


class DimensionView(Struct, frozen=True, kw_only=True):
    """A dimension of a mesh: `groups` are the ranks that communicate along it."""

    name: str
    size: int
    groups: tuple[tuple[int, ...], ...]


class MeshView(Struct, frozen=True, kw_only=True):
    """`ranks` are in the mesh's order, the last dimension across, the others down.

    `short` is how a program makes it, `long` makes the same groups without a mesh.
    """

    title: str
    sentence: str
    shape: tuple[int, ...]
    ranks: tuple[int, ...]
    dimensions: tuple[DimensionView, ...]
    short: str
    long: str


def build(meshes: Sequence[Mesh]) -> tuple[MeshView, ...]:
    """The meshes that are no part of another one."""
    own = dict.fromkeys(meshes)
    return tuple(_view(one) for one in own if not any(one.is_in(other) for other in own))


def name_of(mesh: Mesh, dimension: int) -> str:
    """The dimension's name; its number where it has none."""
    return mesh.names[dimension] if mesh.names else f"dimension {dimension}"


def words(mesh: Mesh) -> str:
    """'replicate 2 x shard 4'; '2 x 4' of one without names."""
    named = (f"{name} {size}" for name, size in zip(mesh.names, mesh.shape, strict=True))
    return " x ".join(named if mesh.names else map(str, mesh.shape))


def _view(mesh: Mesh) -> MeshView:
    dimensions = tuple(
        DimensionView(name=name_of(mesh, at), size=size, groups=tuple(mesh.groups(at)))
        for at, size in enumerate(mesh.shape)
    )
    each = ", ".join(
        f"{plural(len(one.groups), 'group')} of {one.size:,} along {one.name}" for one in dimensions
    )
    return MeshView(
        title=words(mesh),
        sentence=f"A mesh of {plural(len(mesh.ranks), 'rank')}: {each}.",
        shape=mesh.shape,
        ranks=mesh.ranks,
        dimensions=dimensions,
        short=_short(mesh),
        long=_long(mesh),
    )


def _is_plain(mesh: Mesh) -> bool:
    """Whether its ranks are 0, 1, 2 and so on."""
    return mesh.ranks == tuple(range(len(mesh.ranks)))


def _short(mesh: Mesh) -> str:
    """`init_device_mesh` makes a mesh of all ranks in order, `DeviceMesh` any other."""
    names = f", mesh_dim_names={mesh.names!r}" if mesh.names else ""
    device = f'"{mesh.device or "cuda"}"'
    if _is_plain(mesh):
        return (
            "from torch.distributed.device_mesh import init_device_mesh\n"
            f"mesh = init_device_mesh({device}, {mesh.shape!r}{names})"
        )
    return (
        "from torch.distributed.device_mesh import DeviceMesh\n"
        f"mesh = DeviceMesh({device}, torch.tensor({list(mesh.ranks)}).view({mesh.shape!r}){names})"
    )


def _long(mesh: Mesh) -> str:
    made = f"arange({len(mesh.ranks)})" if _is_plain(mesh) else f"tensor({list(mesh.ranks)})"
    named = {name_of(mesh, at): at for at in range(len(mesh.shape))}
    return (
        "import torch\n"
        "import torch.distributed as dist\n"
        "\n"
        f"ranks = torch.{made}.view({mesh.shape!r})\n"
        "groups = {}\n"
        f"for name, dimension in {named!r}.items():\n"
        "    for members in ranks.movedim(dimension, -1).flatten(0, -2).tolist():\n"
        "        group = dist.new_group(members)  # each rank makes all groups, in one order\n"
        "        if dist.get_rank() in members:\n"
        "            groups[name] = group"
    )
