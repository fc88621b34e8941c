"""The fast path: each call of a module that has one, whether it took it, and what to change."""

from collections.abc import Iterable, Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import (
    Page,
    grid,
    heading,
    indented,
    line,
    more,
    plain,
    text,
)
from dynamo_lab.render.text import one_line, shortened
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.fast_path.fast_path import FastPathView
from dynamo_lab.view.fast_path.trial import NO_CALL, TrialView

_BRIEF = 4
_STYLES = {"taken": "green", "refused": "yellow", "broken": "magenta"}


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """Each call in brief; in full with what to change."""
    if not view.fast_paths:
        if page.everything:
            yield heading("Fast path", "none")
            yield text("No module of torch.nn that has a fast path was compiled.")
        return
    calls = sum(row.count for row in view.fast_paths)
    yield heading("Fast path", plural(calls, "call"))
    shown = view.fast_paths if page.everything else view.fast_paths[:_BRIEF]
    yield from _rows(shown, everything=page.everything)
    if left := len(view.fast_paths) - len(shown):
        yield more(left, "kinds of calls", "dynamo-lab show --section fast_path")


def _rows(of: Iterable[FastPathView], *, everything: bool) -> Iterator[RenderableType]:
    for row in of:
        yield from (indented(item, 2 * min(row.depth, 8)) for item in _row(row, everything))


def _row(row: FastPathView, everything: bool) -> Iterator[RenderableType]:
    count = f" x {row.count:,}" if row.count > 1 else ""
    where = f"  {one_line(row.where)}" if row.where and not row.depth else ""
    code = f"  {shortened(one_line(row.code), 60)}" if row.code and not row.depth else ""
    modules = f"  {one_line(row.modules)}" if row.modules else ""
    yield line(
        (row.state.ljust(7), _STYLES[row.state]),
        (f"  {row.name}{count}", "bold"),
        (modules, "dim"),
        (where, ""),
        (code, "dim"),
    )
    yield indented(grid(("wrap",), [(text(_unquoted(row.told)),)]))
    if everything and row.remedy:
        told = text("->", "dim"), text(_unquoted(row.remedy))
        yield indented(grid(("left", "wrap"), [told]))


def _unquoted(sentence: str) -> str:
    return sentence.replace("`", "")


COMPILED = "under torch.compile"


def trial_text(view: TrialView, width: int = 100) -> str:
    """A program that was tried, as text."""
    items: list[RenderableType] = []
    for title, rows in (("eagerly", view.eager), (COMPILED, view.compiled)):
        items += [text(title, "bold"), *_rows(rows, everything=True), Text()]
        if not rows:
            why = view.uncompiled if title == COMPILED else NO_CALL
            items[-1:] = [indented(grid(("wrap",), [(text(why),)])), Text()]
    if view.times:
        items.append(text(f"timed on {view.device}; the largest difference from eager's results"))
        times = [
            (text(row.meaning), text(row.time), text(row.difference), text(row.told, "dim"))
            for row in view.times
        ]
        items.append(indented(grid(("left", "right", "right", "wrap"), times)))
    return plain(items, width)
