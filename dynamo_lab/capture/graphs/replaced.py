"""What a pass put one node in place of, by name: FX itself keeps the origin of the last alone."""

from collections.abc import Iterator, Mapping
from typing import Any

from torch import fx

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
Meta = Mapping[str, Any]
"""What FX keeps on a node of what it is of."""

KEPT = ("stack_trace", "nn_module_stack", "fwd_nn_module_stack", "from_node")


class Replaced:
    """By phase, compilation and direction, the nodes that each new node stands for."""

    def __init__(self) -> None:
        self._known: dict[_Key, dict[str, tuple[str, ...]]] = {}
        self._metas: dict[str, dict[str, Meta]] = {}

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

    def note_meta(self, compile_id: str, made: str, meta: Meta) -> None:
        """What the node was of that another stands for, in a graph that was not recorded."""
        self._metas.setdefault(compile_id, {})[made] = meta

    def metas(self, compile_id: str) -> Mapping[str, Meta]:
        """By name, what nodes of AOTAutograd's graph are of that do not tell it themselves."""
        return self._metas.get(compile_id, {})

    def before(self, graph: Graph) -> Mapping[str, tuple[str, ...]]:
        """What the nodes of a graph stand for, of all that was noted before it was recorded."""
        found: dict[str, tuple[str, ...]] = {}
        for phase in _BEFORE.get(graph.stage, ()):
            is_backward = graph.is_backward and phase == "post_grad"
            found |= self._known.get((phase, graph.compile_id, is_backward), {})
        return found


def meta_of(node: fx.Node, metas: Mapping[str, Meta]) -> Meta:
    """What a node is of: what it tells itself, else what is known of it by its name."""
    tells = node.op == "placeholder" or any(node.meta.get(key) for key in KEPT)
    return node.meta if tells else metas.get(node.name, node.meta)


def sources_of(meta: Meta) -> Iterator[tuple[int, str]]:
    """What a node was made from, the nearest first: FX's number of its graph, its name there."""
    notes: list[Any] = list(meta.get("from_node") or ())
    while notes:
        note = notes.pop(0)
        if (known := note.node_info) is not None:
            yield known.graph_id, known.name
        notes.extend(note.from_node or ())
