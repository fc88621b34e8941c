"""What a pass put one node in place of, by name: FX itself keeps the origin of the last alone."""

from collections.abc import Mapping

from dynamo_lab.model.graphs import Graph, Stage
from dynamo_lab.model.passes import Phase

_BEFORE: dict[Stage, tuple[Phase, ...]] = {
    "pre_grad": ("pre_grad",),
    "forward": ("joint",),
    "backward": ("joint",),
    "post_grad": ("joint", "post_grad"),
}
"""The phases whose names a graph still has."""

_Key = tuple[Phase, str, bool]


class Replaced:
    """By phase, compilation and direction, the nodes that each new node stands for."""

    def __init__(self) -> None:
        self._known: dict[_Key, dict[str, tuple[str, ...]]] = {}

    def note(
        self,
        phase: Phase,
        compile_id: str,
        made: str,
        matched: tuple[str, ...],
        *,
        is_backward: bool,
    ) -> None:
        """A node was made in place of these, which may be gone or not."""
        self._known.setdefault((phase, compile_id, is_backward), {})[made] = matched

    def before(self, graph: Graph) -> Mapping[str, tuple[str, ...]]:
        """What the nodes of a graph stand for, of all that was noted before it was recorded."""
        found: dict[str, tuple[str, ...]] = {}
        for phase in _BEFORE.get(graph.stage, ()):
            is_backward = graph.is_backward and phase == "post_grad"
            found |= self._known.get((phase, graph.compile_id, is_backward), {})
        return found
