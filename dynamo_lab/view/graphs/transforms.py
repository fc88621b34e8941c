"""The torch.func transforms that a graph enters and leaves, each a box around what it transforms.

Dynamo inlines vmap, grad and jvp: only calls that change a nesting level remain.
"""

import re
from collections.abc import Iterator, Sequence

from dynamo_lab.model.graphs import NodeTable

Path = tuple[str, ...]

_MARK = re.compile(r"(?:^|\.)_(vmap|grad|jvp|func)_(increment|decrement)_nesting$")
_NAMES = {"func": "functionalize"}


def in_transforms(table: NodeTable, paths: Sequence[Path]) -> tuple[list[Path], dict[Path, str]]:
    """Each node's path of boxes with the transforms in it, and the description of each such box.

    A transform is in the module that calls it; modules called within it are in its box.
    """
    marks = {n: found for n, text in enumerate(table.strings) if (found := _MARK.search(text))}
    if not marks:
        return list(paths), {}
    labels: dict[Path, str] = {}
    return list(_walk(table, paths, marks, labels)), labels


def _walk(
    table: NodeTable,
    paths: Sequence[Path],
    marks: dict[int, re.Match[str]],
    labels: dict[Path, str],
) -> Iterator[Path]:
    open_boxes: list[tuple[Path, Path]] = []  # the module around, and the box
    for node, target in enumerate(table.target):
        mark = marks.get(target)
        if mark and mark[2] == "increment":
            around = _within(open_boxes, paths[node])
            box = _new(around, _NAMES.get(mark[1], mark[1]), labels)
            labels[box] = _said(mark[1], table.arguments[node])
            open_boxes.append((paths[node], box))
        yield _within(open_boxes, paths[node])
        if mark and mark[2] == "decrement" and open_boxes:
            open_boxes.pop()


def _within(open_boxes: Sequence[tuple[Path, Path]], path: Path) -> Path:
    """The node's path, starting at the innermost open box."""
    if not open_boxes:
        return path
    module, box = open_boxes[-1]
    return box + (path[len(module) :] if path[: len(module)] == module else path)


def _new(around: Path, name: str, labels: dict[Path, str]) -> Path:
    """An unused path of a box with this name: a second vmap is 'vmap 2'."""
    path, count = (*around, name), 1
    while path in labels:
        count += 1
        path = (*around, f"{name} {count}")
    return path


def _said(kind: str, arguments: str) -> str:
    """'torch.func, over 4' for a vmap over four, else 'torch.func'."""
    size = arguments.partition(",")[0] if kind == "vmap" else ""
    return f"torch.func, over {size}" if size else "torch.func"
