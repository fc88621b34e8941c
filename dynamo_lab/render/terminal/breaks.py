"""Each break: the line and its columns, the reason, what to do."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.excerpt import fault_of, sides_of, times_of
from dynamo_lab.render.terminal.core.parts import (
    OUTCOMES,
    Page,
    caret,
    grid,
    heading,
    indented,
    line,
    separated,
    text,
)
from dynamo_lab.view import View
from dynamo_lab.view.breaks.breaks import BreakView
from dynamo_lab.view.breaks.stories import StoryView, causes_first

_BRIEF = 12
_INDENT = 4


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """The breaks, one below the other."""
    if not view.breaks:
        if page.everything:
            yield heading("Breaks", "none")
        return
    yield heading("Breaks", str(len(view.breaks)))
    limit = len(view.breaks) if page.everything else _BRIEF
    order = causes_first(view.stories)[:limit]
    pairs = ((view.breaks[at], view.stories[at]) for at in order)
    yield from separated(_break(item, story, page) for item, story in pairs)
    if len(view.breaks) > limit:
        left = f"… {len(view.breaks) - limit:,} more breaks; "
        yield line((left, "dim"), ("dynamo-lab show --section breaks", "dim italic"))


def _break(item: BreakView, story: StoryView, page: Page) -> Iterator[RenderableType]:
    yield line(
        (f"{item.id + 1:>2}  ", "bold yellow"),
        (item.heading, "bold"),
        (f"  {item.where}", ""),
        (f"  {item.effect}", OUTCOMES[item.effect]),
        (f"  {times_of(item)}" if item.times > 1 else "", ""),
        (f"  {item.registry_id}" if item.registry_id else "", "dim"),
    )
    yield from (indented(row, _INDENT) for row in _code(item, page))
    yield indented(grid(("left", "wrap"), _facts(item, story, page)), _INDENT)


def _code(item: BreakView, page: Page) -> Iterator[Text]:
    source = item.text.lstrip()
    cut = len(item.text) - len(source)
    yield line((source, ""))
    if item.column >= 0:
        columns = max(0, item.column - cut), item.end_column - cut
        yield from caret(source, *columns, "", "bold yellow", page.width - _INDENT)


def _facts(item: BreakView, story: StoryView, page: Page) -> Iterator[tuple[Text, Text]]:
    """Label and text, for the two columns below the code."""
    if len(item.stack) > 1:
        rows = "\n".join(f"{at.label}  {at.text}" for at in item.stack)
        yield text("from", "dim"), text(rows)
    if story.because:
        yield text("why", "dim"), text(story.because)
    else:
        yield from _why(item, page)
    yield from _story(story, page)
    if item.link and page.everything:
        yield text("more", "dim"), text(item.link, "dim")


def _why(item: BreakView, page: Page) -> Iterator[tuple[Text, Text]]:
    why = (item.explanation or item.reason).strip()
    yield text("why", "dim"), text(why if page.everything else why.split("\n\n")[0])
    if item.context and page.everything:
        yield text("", "dim"), text(item.context, "dim")
    for index, advice in enumerate(item.advice if page.everything else item.advice[:3]):
        yield text("" if index else "do", "bold green"), text(advice)
    if item.fixes:
        names = ", ".join(fix.name for fix in item.fixes)
        tried = f"rec.breaks[{item.id}].try_fix()  ({names})"
        yield (
            text("try" if page.can_try else "fix", "dim"),
            text(tried if page.can_try else names, "dim"),
        )
    if item.example and page.everything:
        yield text("before", "dim"), text(item.example.before, "dim")
        yield text("after", "dim"), text(item.example.after)


def _story(story: StoryView, page: Page) -> Iterator[tuple[Text, Text]]:
    """What the interpreter had captured, did and resumed, and what that costs."""
    if page.everything and (fault := fault_of(story)):
        yield text("at", "dim"), text(fault)
    yield text("then", "dim"), text(story.then)
    if story.after:
        yield text("next", "dim"), text(sides_of(story.after))
    for index, cost in enumerate(story.cost):
        yield text("" if index else "cost", "dim"), text(cost)
