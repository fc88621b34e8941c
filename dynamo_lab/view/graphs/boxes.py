"""The modules of a graph as a tree of boxes."""

from collections.abc import Iterable

from msgspec import Struct

from dynamo_lab.model.graphs import NodeTable
from dynamo_lab.view.graphs.paths import Path, module_path
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


def module_tree(table: NodeTable) -> tuple[ModuleView, ...]:
    """The modules as nested boxes, the root first; nodes of no module are in the root.

    Copies that write a buffer's new value back have no module: each is placed with that value.
    """
    boxes: dict[Path, int] = {(): 0}
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


def _classes(table: NodeTable, modules: Iterable[Path], paths: Iterable[Path]) -> dict[Path, str]:
    """The class of each box that is a module, also inside a transform's box."""
    known = {module_path(path): name for path, name in table.module_types.items()}
    found: dict[Path, str] = {}
    for module, path in set(zip(modules, paths, strict=True)):
        inserted = len(path) - len(module)  # the transforms, between parts of the module's path
        for end in range(1, len(path) + 1):
            own = path[:end] if path[:end] == module[:end] else module[: max(0, end - inserted)]
            if own[-1:] == path[end - 1 : end] and own in known:
                found[path[:end]] = known[own]
    return found


def _box(path: Path, boxes: dict[Path, int], children: list[list[int]]) -> int:
    """The index of a path's box; a new one is created with all the boxes around it."""
    if (known := boxes.get(path)) is not None:
        return known
    around = _box(path[:-1], boxes, children)
    boxes[path] = len(children)
    children.append([])
    children[around].append(boxes[path])
    return boxes[path]
