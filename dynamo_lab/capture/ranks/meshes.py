"""The meshes of ranks that a program makes, and its DTensors on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from dynamo_lab.capture.ranks import hooks
from dynamo_lab.model.ranks.meshes import Mesh, ShardedTensor

if TYPE_CHECKING:
    from typing import Literal

    from dynamo_lab.capture.core.patches import Patches
    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.model.graphs import Graph

_MOST = 200
"""The most meshes that are kept, the first ones: a program makes parts of one again and again."""


class MeshProbes:
    """Records each mesh that is made, and the DTensors that compiled graphs get."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def install(self, patches: Patches) -> None:
        """Watch meshes, in a rank of a job."""
        if self._recorder.rank is not None:
            patches.hear(hooks.MESH, self.made)

    def made(self, _: None, mesh: Any, *__: Any, **___: Any) -> None:
        """A mesh is made, of all ranks or as a part of another."""
        rank = self._recorder.rank
        if rank is not None and len(rank.model.meshes) < _MOST:
            rank.model.meshes.setdefault(mesh_of(mesh))

    def captured(self, graph: Graph, module: Any) -> None:
        """Dynamo captured a graph: its inputs have example values."""
        rank = self._recorder.rank
        if rank is None:
            return
        try:  # what comes after a graph is recorded does not depend on this
            for node in module.graph.find_nodes(op="placeholder"):
                value = node.meta.get("example_value")
                if is_dtensor(value) and all(isinstance(size, int) for size in value.shape):
                    found = sharded(f"{node.name} of graph {graph.id}", "input", value)
                    rank.model.tensors.setdefault(found.name, found)
        except Exception as error:
            self._recorder.note_failure("inputs of a graph", error)


def mesh_of(mesh: Any) -> Mesh:
    """The facts of a `DeviceMesh`."""
    return Mesh(
        shape=tuple(map(int, mesh.shape)),
        ranks=tuple(_ranks(mesh)),
        names=tuple(map(str, mesh.mesh_dim_names or ())),
        device=str(mesh.device_type),
    )


def _ranks(mesh: Any) -> list[int]:
    """The ranks of a mesh, which are in a real tensor also where others are fakes."""
    with hooks.WITHOUT_MODES.get()():
        return [int(number) for number in mesh.mesh.flatten().tolist()]


def is_dtensor(value: Any) -> bool:
    """Whether it is a DTensor."""
    from torch.distributed.tensor import DTensor

    return isinstance(value, DTensor)


def local_of(tensor: Any) -> Any:
    """What this rank holds of a tensor: of a plain one, all."""
    return hooks.LOCAL.of(tensor) if is_dtensor(tensor) else tensor


def sharded(name: str, kind: Literal["parameter", "input"], tensor: Any) -> ShardedTensor:
    """The facts of a DTensor."""
    local = local_of(tensor)
    return ShardedTensor(
        name=name,
        kind=kind,
        mesh=mesh_of(tensor.device_mesh),
        placements=tuple(map(placement, tensor.placements)),
        shape=tuple(map(int, tensor.shape)),
        local=tuple(map(int, local.shape)),
        dtype=str(tensor.dtype).removeprefix("torch."),
        bytes=int(local.numel()) * int(local.element_size()),
    )


def placement(of: Any) -> str:
    """'S(0)', 'S(0, after 8)' of what others have cut into 8 before, 'R', 'P(sum)'."""
    factor = cast("int | None", getattr(of, "split_factor", None))
    if factor is not None:
        return f"S({of.dim}, after {factor})"
    if of.is_shard():
        return f"S({of.dim})"
    if of.is_replicate():
        return "R"
    return f"P({of.reduce_op})" if of.is_partial() else str(of)[:40]
