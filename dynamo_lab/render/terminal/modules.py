"""The reader's modules, a row each, in as many columns as there is room for."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from dynamo_lab.render.module_text import HEADS, ModuleText, cells, rows
from dynamo_lab.render.terminal.core.parts import Page, grid, heading, indented, line, text
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.modules.modules import ModulesView

_BRIEF = 8
_DEPTH = 2
_LEAST_WANTED = (1, 5, 7, 6, 2, 8, 3, 4)
"""The columns to leave out where space is short, the first of these first."""


def renderable(found: ModulesView, width: int) -> RenderableType:
    """All of the tree, as an answer; why there is none."""
    told = [
        text(sentence.replace("`", ""), "dim") for sentence in found.sentences or (found.empty,)
    ]
    return Group(*_table(list(rows(found)), width), *told)


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """The tree; in brief, its first rows."""
    found = view.modules
    if not found.rows:
        if page.everything and found.empty:
            yield heading("Model")
            yield text(found.empty.replace("`", ""), "dim")
        return
    yield heading("Model", plural(sum(bool(row.path) for row in found.rows), "module"))
    shown = list(rows(found) if page.everything else rows(found, _DEPTH))
    cut = shown if page.everything else shown[:_BRIEF]
    yield from _table(cut, page.width)
    if left := len(shown) - len(cut):
        command = "dynamo-lab show --section modules"
        yield line((f"… {plural(left, 'more row')}; ", "dim"), (command, "dim italic"))
    for sentence in found.sentences if page.everything else ():
        yield text(sentence.replace("`", ""), "dim")


def _table(shown: Sequence[ModuleText], width: int) -> Iterator[RenderableType]:
    """The rows in columns; remarks stand below the row that they are about, in its width."""
    if not shown:
        return
    made = [() if one.remark else cells(one) for one in shown]
    used = [at for at in range(len(HEADS)) if any(one and one[at] for one in made)]
    widths = {at: max(cell_len(one[at]) for one in (HEADS, *made) if one) for at in used}
    widths[0] = max(
        2 * one.depth + cell_len(row[0]) for one, row in zip(shown, made, strict=True) if row
    )
    for at in _LEAST_WANTED:
        if sum(widths.values()) + 2 * (len(widths) - 1) > width:
            widths.pop(at, None)
    kinds = ["left" if at < 2 else "right" for at in widths]
    yield grid(kinds, [[text(HEADS[at], "dim") for at in widths]], widths.values())
    for one, row in zip(shown, made, strict=True):
        if one.remark:
            yield indented(text(one.remark, "yellow"), 2 * one.depth)
        else:
            yield grid(kinds, [[_cell(one, row, at) for at in widths]], widths.values())


def _cell(one: ModuleText, row: Sequence[str], at: int) -> Text:
    if at == 0:
        return text(" " * (2 * one.depth) + row[0], "bold" if one.row.alike > 1 else "")
    return text(row[at], {1: "dim", 8: "yellow"}.get(at, ""))
