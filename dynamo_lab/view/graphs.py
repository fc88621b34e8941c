"""Graphs as a listing in columns and as a tree of modules for the diagram."""

from msgspec import Struct


class ModuleView(Struct, frozen=True, kw_only=True):
    """A box of the diagram: an nn.Module (or an operator kind group) holding nodes and boxes.

    `nodes` are node indices directly inside; `children` are indices into `GraphView.modules`.
    """

    name: str
    path: str
    type: str
    nodes: tuple[int, ...]
    children: tuple[int, ...] = ()


class GraphView(Struct, frozen=True, kw_only=True):
    """A graph. Columns run in parallel, one entry a node, in graph order.

    `op` ("placeholder", "call_function"...), `target` ("aten.add.Tensor") and `module` index
    `strings`; `value` indexes `values` (texts such as "f32[8, 8]"); `stack` indexes
    `LinksView.stacks`, -1 for none. `modules[0]` is the root box.
    """

    id: int
    title: str
    subtitle: str
    stage: str
    frame: int | None
    compile_id: str
    is_backward: bool
    operators: int
    strings: tuple[str, ...]
    values: tuple[str, ...]
    name: tuple[str, ...]
    op: tuple[int, ...]
    target: tuple[int, ...]
    arguments: tuple[str, ...]
    inputs: tuple[tuple[int, ...], ...]
    value: tuple[int, ...]
    stack: tuple[int, ...]
    module: tuple[int, ...]
    subgraphs: dict[int, tuple[int, ...]]
    modules: tuple[ModuleView, ...]
    parent: int | None = None
