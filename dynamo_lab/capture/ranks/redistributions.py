"""The changes of placement of DTensors, as PyTorch makes them: in eager code, and as it traces."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dynamo_lab.capture.ranks import hooks
from dynamo_lab.capture.ranks.meshes import placement
from dynamo_lab.model.ranks.redistributions import Redistribution

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from dynamo_lab.capture.core.compilations import Compilations
    from dynamo_lab.capture.core.patches import Patches
    from dynamo_lab.capture.core.recorder import Recorder

_MOST = 5000
"""The most that are kept, the first ones: those of a compilation come once, those of eager code
with each step."""


class RedistributionProbes:
    """Records each change of placement, and the operator whose rule wanted it."""

    def __init__(self, recorder: Recorder, compilations: Compilations) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._operator = ""

    def install(self, patches: Patches) -> None:
        """Watch DTensors, in a rank of a job: elsewhere nothing is redistributed."""
        if self._recorder.rank is None:
            return
        for row in hooks.REDISTRIBUTES:
            patches.hook(row, self.redistributed)
        patches.hook(hooks.REDISTRIBUTE_ARGUMENTS, self.arguments)

    def arguments(self, info: Any, schema: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """An operator gets arguments with the placements that its rule wants."""
        outer, self._operator = self._operator, str(getattr(schema, "op", ""))
        try:
            yield
        finally:
            self._operator = outer

    def redistributed(
        self, local: Any, before: Any, after: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """A DTensor's local part, and where the whole is to lie."""
        graph = _traced_graph()
        last = None if graph is None else next(reversed(graph.nodes), None)
        kept = self._recorder.redistributions
        if len(kept) >= _MOST or before.placements == after.placements:
            yield
            return
        made = Redistribution(
            mesh=tuple(map(int, before.mesh.shape)),
            before=tuple(map(placement, before.placements)),
            after=tuple(map(placement, after.placements)),
            shape=tuple(map(str, before.shape)),
            dimensions=tuple(map(str, before.mesh.mesh_dim_names or ())),
            operator=self._operator,
            compile_id="" if graph is None else self._compilations.current_id(),
            started=time.time() if graph is None else 0.0,
        )
        at = len(kept)
        kept.append(made)  # before it is done: a rank may wait in it until it is cut off
        try:
            yield
        finally:
            nodes = () if graph is None else tuple(_since(graph, last))
            kept[at] = replace(made, nodes=nodes, ended=time.time() if graph is None else 0.0)


def _traced_graph() -> Any:
    """The graph that is being traced now; None in eager code."""
    mode = hooks.PROXY_MODE.get()()
    return None if mode is None else mode.tracer.graph


def _since(graph: Any, last: Any) -> Iterator[str]:
    """The nodes that came into a graph after one."""
    node = next(iter(graph.nodes), None) if last is None else last.next
    while node is not None and node.op != "root":
        yield str(node.name)
        node = node.next
