"""Guards in numbers, in full as a list, and the recompilations that their failures caused."""

from collections import Counter
from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.parts import Page, grid, heading, indented, line, text
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.guards import GuardView, RecompileView
from dynamo_lab.view.words import plural


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """Recompilations first: they are what a reader looks for here."""
    guards, recompiles = view.guards.guards, view.guards.recompiles
    if not guards and not recompiles:
        return
    yield heading("Guards", str(len(guards)))
    for item in recompiles:
        yield from _recompile(item)
    if page.everything:
        names = {frame.id: frame.name for frame in view.frames}
        yield from _in_full(guards, names)
    elif guards:
        yield _counts(guards)


def _recompile(item: RecompileView) -> Iterator[RenderableType]:
    colour = "bold red" if item.limit_hit else "bold yellow"
    yield line((one_line(item.title), colour), (f"  {item.compile_id}", "dim"))
    for compile_id, failure in item.failures:
        yield indented(grid(("left", "wrap"), [(text(compile_id, "dim"), text(failure))]), 4)
    if item.advice:
        yield indented(grid(("left", "wrap"), [(text("do", "bold green"), text(item.advice))]), 4)


def _counts(guards: tuple[GuardView, ...]) -> Text:
    counts = Counter(guard.kind for guard in guards).most_common(6)
    shown = ", ".join(f"{count:,} {one_line(kind)}" for kind, count in counts)
    left = len(guards) - sum(count for _, count in counts)
    return text(f"{shown}{f', {left:,} others' if left else ''}")


def _in_full(guards: tuple[GuardView, ...], names: dict[int, str]) -> Iterator[RenderableType]:
    compiled = ""
    for guard in guards:
        if compiled != guard.compile_id:
            compiled = guard.compile_id
            size = plural(sum(g.compile_id == compiled for g in guards), "guard")
            name = one_line(names.get(guard.frame, ""))
            yield line((name, "bold"), (f"  {compiled}, {size}", "dim"))
        yield indented(
            line((guard.kind, "cyan"), (f"  {guard.source}", ""), (f"  {guard.where}", "dim")), 2
        )
        for expression in guard.expressions:
            yield indented(text(expression, "dim"), 4)
