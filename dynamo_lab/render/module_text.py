"""The tree of modules as rows of text: of equal blocks the first is shown, for all of them."""

from collections.abc import Iterator
from typing import NamedTuple

from dynamo_lab.render.text import one_line
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.modules.modules import ModuleRow, ModulesView


class ModuleText(NamedTuple):
    """A row as it is printed. `remark` is a sentence in place of one."""

    row: ModuleRow
    depth: int
    remark: str = ""


HEADS = ("", "where", "operators", "kernel calls", "time", "bytes", "FLOP", "compiling", "breaks")
"""Of the cells; a column in which no row has anything is left out."""


def rows(view: ModulesView, deepest: int = 100) -> Iterator[ModuleText]:
    """The rows in their order, folded, down to a depth."""
    for root in view.roots:
        yield from _rows(view, root, 0, deepest)


def _rows(view: ModulesView, at: int, depth: int, deepest: int) -> Iterator[ModuleText]:
    row = view.rows[at]
    yield ModuleText(row, depth)
    if row.alike > 1:
        for sentence in row.differences:
            yield ModuleText(row, depth + 1, sentence.replace("`", ""))
    if depth >= deepest:
        return
    if row.alike == 1:
        for child in row.children:
            yield from _rows(view, child, depth + 1, deepest)
    elif row.usual:
        first = row.children[row.usual[0]]
        yield from _rows(view, first, depth + 1, deepest)


def cells(text: ModuleText) -> tuple[str, ...]:
    """The cells of a row, one for each of HEADS."""
    row = text.row
    kernels = f"{row.calls:,}" if row.calls else ""
    shared = f"+ {row.shared:,} shared" if row.shared else ""
    return (
        one_line(name_of(row)),
        one_line(row.where),
        f"{row.operators:,}" if row.operators else "",
        " ".join(filter(None, (kernels, shared))),
        row.time,
        row.bytes_text,
        row.flops_text,
        row.compile_text,
        plural(row.breaks, "break") if row.breaks else "",
    )


def name_of(row: ModuleRow) -> str:
    """'layers.0 … layers.23 x 24 (Block)'."""
    times = f" x {row.alike:,}" if row.alike > 1 else ""
    return f"{row.name}{times}{f' ({row.type})' if row.type else ''}"
