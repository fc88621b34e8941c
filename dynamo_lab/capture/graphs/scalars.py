"""Scalars: numbers of Python that AOTAutograd makes tensors of, so that a change compiles nothing.

Dynamo traces a float as a symbol; what is computed with it is put in tensors before a backend has
the graph, by nodes that tell nothing of what they are for.
"""

from collections.abc import Generator
from typing import Any

from torch import fx

from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.graphs.hooks import TENSORIFY
from dynamo_lab.capture.graphs.replaced import KEPT, Meta, Replaced


class ScalarProbes:
    """Notes what each tensor that is made of a number stands for."""

    def __init__(self, compilations: Compilations, replaced: Replaced) -> None:
        self._compilations = compilations
        self._replaced = replaced

    def install(self, patches: Patches) -> None:
        """Watch the pass."""
        patches.hook(TENSORIFY, self.tensorified)

    def tensorified(self, module: fx.GraphModule, *_: Any) -> Generator[None, Any, None]:
        """The pass goes from node to node, and puts new ones behind the one that they are for."""
        made: dict[fx.Node, None] = {}
        told: dict[str, tuple[str, Meta]] = {}

        def place(old: fx.Node) -> None:
            node = old.next
            while node in made and node.name not in told:
                told[node.name] = old.name, {key: old.meta.get(key) for key in KEPT}
                node = node.next

        created = made.setdefault
        module._register_create_node_hook(created)
        module._register_erase_node_hook(place)  # what was traced is taken out in the end
        try:
            yield
        finally:
            module._unregister_erase_node_hook(place)
            module._unregister_create_node_hook(created)
        for old in module.graph.nodes:
            if old not in made:
                place(old)
        compile_id = self._compilations.current_id()
        for new, (name, meta) in told.items():
            self._replaced.note("joint", compile_id, new, (name,), is_backward=False)
            self._replaced.note_meta(compile_id, new, meta)
