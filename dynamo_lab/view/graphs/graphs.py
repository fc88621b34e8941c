"""Graphs as a listing in columns and as a tree of modules for the diagram."""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from dynamo_lab.model.graphs import Graph, NodeTable
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.sizes import Sizes
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.values import layout_text, value_text
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.graphs.flops import Arithmetic, arithmetic
from dynamo_lab.view.graphs.kinds import by_kind
from dynamo_lab.view.graphs.transforms import in_transforms


class ModuleView(Struct, frozen=True, kw_only=True):
    """A box of the diagram: an nn.Module (or an operator kind group) with nodes and boxes in it.

    `type` is the module's class, empty where it is not known.
    `nodes` are node indices directly inside; `children` are indices into `GraphView.modules`.
    """

    name: str
    path: str
    type: str
    nodes: tuple[int, ...]
    children: tuple[int, ...] = ()


class GraphView(Struct, frozen=True, kw_only=True):
    """A graph. Columns are parallel, with one entry per node in graph order.

    `op` ("placeholder", "call_function"...), `target` ("aten.add.Tensor") and `module` index
    `strings`; `value` indexes `values` (texts such as "f32[8, 8]"); `stack` indexes
    `LinksView.stacks`, -1 for none. `modules[0]` is the root box. `number` is the number of
    the captured graph that this one belongs to, from 1, or 0 where there is none.

    `bytes` and `layouts` are parallel to `values`: the size of a tensor, None where it is not
    known, and its memory layout where that is not contiguous. `kinds` says of strings that
    are targets what kind of work they do. `parent_node` calls this graph if it is a body.

    `flops` are the floating-point operations of the products that could be counted, None where
    none could; `arithmetic` says it in words, and how much of the graph is counted.
    """

    id: int
    number: int = 0
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
    parent_node: int | None = None
    bytes: tuple[int | None, ...] = ()
    layouts: tuple[str, ...] = ()
    kinds: dict[str, tuple[int, ...]] = {}
    flops: int | None = None
    arithmetic: str = ""


def build(recording: Recording) -> tuple[GraphView, ...]:
    """The graphs; their columns are shared with the recording."""
    names, titles = frame_names(recording), GraphTitles(recording)
    return tuple(
        _view(graph, names, titles, arithmetic(graph.nodes, Sizes(recording, graph.compile_id)))
        for graph in recording.graphs
    )


def _view(graph: Graph, names: Sequence[str], titles: GraphTitles, work: Arithmetic) -> GraphView:
    table = graph.nodes
    return GraphView(
        id=graph.id,
        number=titles.numbers[graph.id],
        title=titles.titles[graph.id],
        subtitle=_subtitle(graph, names),
        stage=graph.stage,
        frame=graph.frame,
        compile_id=graph.compile_id,
        is_backward=graph.is_backward,
        operators=graph.operators,
        strings=table.strings,
        values=tuple(value_text(value) for value in table.values),
        name=table.name,
        op=table.op,
        target=table.target,
        arguments=table.arguments,
        inputs=table.inputs,
        value=table.value,
        stack=table.stack,
        module=table.module,
        subgraphs=table.subgraphs,
        modules=module_tree(table),
        parent=graph.parent,
        parent_node=graph.parent_node,
        bytes=tuple(value.bytes for value in table.values),
        layouts=tuple(layout_text(value) for value in table.values),
        kinds=by_kind((n, table.strings[n]) for n in _targets(table)),
        flops=work.flops,
        arithmetic=work.text,
    )


def _targets(table: NodeTable) -> list[int]:
    """The strings that are targets of nodes, not their kinds or modules."""
    calls = {n for n, op in enumerate(table.strings) if op.startswith("call_")}
    called = zip(table.op, table.target, strict=True)
    return sorted({target for op, target in called if op in calls})


def stage_word(graph: GraphView) -> str:
    """The graph's stage as one word, as queries name it: 'post_grad', 'post_grad_backward'."""
    is_marked = graph.is_backward and graph.stage != "backward"
    return f"{graph.stage}_backward" if is_marked else graph.stage


def _subtitle(graph: Graph, names: Sequence[str]) -> str:
    """What the title leaves out: titles of later stages name only the captured graph."""
    size = plural(graph.operators, "operator")
    is_captured = graph.stage == "dynamo" and graph.parent is None and graph.frame is not None
    return f"captured from {names[graph.frame or 0]}, {size}" if is_captured else size


_STEP = re.compile(r"\[['\"]([^'\"]+)['\"]\]|\[(\d+)\]|([^.\[\]]+)")
_PLUMBING = {"_modules", "_parameters", "_buffers"}
_DEEPEST = 100
"""Boxes are drawn one within the other: what lies deeper than any model is one box."""


def module_path(text: str) -> tuple[str, ...]:
    """The parts of a module path: ('layers', '0') for "L['self'].layers.0" and "layers.0" alike."""
    steps = [a or b or c for a, b, c in _STEP.findall(text)]
    if steps[:1] in (["L"], ["G"]) and text[1:2] == "[":
        steps = steps[2:]
    path = tuple(step for step in steps if step not in _PLUMBING)
    return (
        path if len(path) <= _DEEPEST else (*path[: _DEEPEST - 1], ".".join(path[_DEEPEST - 1 :]))
    )


def module_tree(table: NodeTable) -> tuple[ModuleView, ...]:
    """The modules as nested boxes, the root first; nodes of no module are in the root.

    Copies that write a buffer's new value back have no module: each is placed with that value.
    """
    boxes: dict[tuple[str, ...], int] = {(): 0}
    children: list[list[int]] = [[]]
    of_string = {string: module_path(table.strings[string]) for string in set(table.module)}
    modules = [of_string[string] for string in table.module]
    paths, types = in_transforms(table, modules)
    homes = _with_what_they_write(table, [_box(path, boxes, children) for path in paths])
    nodes: list[list[int]] = [[] for _ in children]
    for index, home in enumerate(homes):
        nodes[home].append(index)
    types |= _classes(table, modules, paths)
    return tuple(
        ModuleView(
            name=path[-1] if path else "",
            path=".".join(path),
            type=types.get(path, ""),
            nodes=tuple(nodes[box]),
            children=tuple(children[box]),
        )
        for path, box in boxes.items()
    )


_WRITES_BACK = "aten.copy_."


def _with_what_they_write(table: NodeTable, homes: list[int]) -> list[int]:
    """The modules, with copies that write a box's value to an input moved out of the root."""
    writes = [target.startswith(_WRITES_BACK) for target in table.strings]
    if not any(writes):
        return homes
    for node, home in enumerate(homes):
        if home == 0 and writes[table.target[node]] and len(table.inputs[node]) == 2:
            to, value = table.inputs[node]
            if table.strings[table.op[to]] == "placeholder":
                homes[node] = homes[value]
    return homes


def _classes(
    table: NodeTable, modules: Iterable[tuple[str, ...]], paths: Iterable[tuple[str, ...]]
) -> dict[tuple[str, ...], str]:
    """The class of each box that is a module, also inside a transform's box."""
    known = {module_path(path): name for path, name in table.module_types.items()}
    found: dict[tuple[str, ...], str] = {}
    for module, path in set(zip(modules, paths, strict=True)):
        inserted = len(path) - len(module)  # the transforms, between parts of the module's path
        for end in range(1, len(path) + 1):
            own = path[:end] if path[:end] == module[:end] else module[: max(0, end - inserted)]
            if own[-1:] == path[end - 1 : end] and own in known:
                found[path[:end]] = known[own]
    return found


def _box(
    path: tuple[str, ...], boxes: dict[tuple[str, ...], int], children: list[list[int]]
) -> int:
    """The index of a path's box; a new one is created with all the boxes around it."""
    if (known := boxes.get(path)) is not None:
        return known
    around = _box(path[:-1], boxes, children)
    boxes[path] = len(children)
    children.append([])
    children[around].append(boxes[path])
    return boxes[path]
