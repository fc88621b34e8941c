"""Symbols: which sizes are dynamic, which were specialized, and on which line."""

from collections.abc import Iterator

from rich.console import RenderableType

from dynamo_lab.render.terminal.core.parts import Page, grid, heading, indented, line, more, text
from dynamo_lab.view import View
from dynamo_lab.view.core.words import listed, plural
from dynamo_lab.view.guards.symbols import FactView, SymbolView

_BRIEF = 12


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """A table of symbols, below each what specialized it; then sizes that could have a symbol."""
    symbols, others = view.shapes.symbols, view.shapes.others
    if not symbols and not others:
        return
    yield heading("Dynamic shapes", plural(len(symbols), "symbol"))
    shown = symbols if page.everything else symbols[:_BRIEF]
    compiled = ""
    for item in shown:
        if item.compile_id != compiled:
            compiled = item.compile_id
            yield line((item.frame, "bold"), (f"  {compiled}", "dim"))
        yield from _symbol(item, page)
    if len(shown) < len(symbols):
        yield more(len(symbols) - len(shown), "symbols", "dynamo-lab show --section shapes")
    for fact in others:
        yield from _fact(fact, "red" if fact.event == "violation" else "yellow", 0)


def _symbol(item: SymbolView, page: Page) -> Iterator[RenderableType]:
    facts = [f"was {item.hint}" if item.hint else "known at run time", item.range, item.where]
    name = f"{item.name} = {item.value}" if item.value else item.name
    yield indented(
        line(
            (name, "bold yellow" if item.value else "bold cyan"),
            (f"  {listed(item.stands_for)}" if item.stands_for else "", ""),
            (f"  {', '.join(fact for fact in facts if fact)}", "dim"),
        )
    )
    for fact in item.pinned:
        yield from _fact(fact, "yellow", 4)
    if page.everything and item.asked:
        for fact in item.asked:
            words = "checked at run time" if fact.event == "assert" else "guard"
            where = f"  {fact.where}" if fact.where else ""
            yield indented(line((f"{words} ", "dim"), (fact.expression, ""), (where, "dim")), 4)


def _fact(fact: FactView, style: str, by: int) -> Iterator[RenderableType]:
    where = f"{fact.where}: {fact.line}" if fact.line else fact.where
    yield indented(grid(("wrap",), [(text(fact.text.replace("`", ""), style),)]), by)
    asked = f"  evaluated {fact.expression}" if fact.expression else ""
    if where or asked:
        yield indented(line((where or "by the backend", ""), (asked, "dim")), by + 2)
