"""Where compile time went: the largest phases, each without what is nested in it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import Page, grid, heading, line, text
from dynamo_lab.render.text import shortened
from dynamo_lab.view import View
from dynamo_lab.view.core.words import listed, percent, plural, seconds
from dynamo_lab.view.timings.costs import CostRow, CostTable
from dynamo_lab.view.timings.timings import explain

_BRIEF = 8
_MOST = 12
_BAR = 20


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """The phases, longest first."""
    totals = view.timeline.totals
    if not totals:
        return
    whole = seconds(view.timeline.seconds)
    yield heading("Compile time", f"{whole}, each phase without those in it")
    shown = totals if page.everything else totals[:_BRIEF]
    largest = totals[0][1] or 1.0
    yield grid(
        ("right", "left", "left", "wrap"),
        (_row(name, spent, spent / largest, page) for name, spent, _ in shown),
    )
    if rest := totals[len(shown) :]:
        spent = seconds(sum(item[1] for item in rest))
        left = f"… {plural(len(rest), 'more phase')}, {spent} in total; "
        yield line((left, "dim"), ("dynamo-lab show --section timeline", "dim italic"))
    if parallel := view.timeline.parallel:
        names = listed([f"{name} {seconds(spent)}" for name, spent in parallel], limit=4)
        yield text(f"in parallel, in other threads: {names}", "dim")
    for table in view.timeline.costs if page.everything else ():
        yield from _costs(table, page)
    if page.everything:
        yield from _caches(view)
        yield from _memory(view)


def _costs(table: CostTable, page: Page) -> Iterator[RenderableType]:
    """The costliest rows, and what belongs to none of them."""
    yield heading(f"Compile time by {table.by}", table.note)
    yield grid(("right", "right", "wrap"), (_cost(row, page) for row in table.rows[:_MOST]))
    left = sum(row.seconds for row in table.rows[_MOST:]) + table.others
    if more := len(table.rows[_MOST:]) + table.more:
        yield text(f"… {more:,} more, {seconds(left)} in total", "dim")
    if table.rest:
        yield text(f"the rest, which is of none: {seconds(table.rest)}", "dim")


def _cost(row: CostRow, page: Page) -> tuple[Text, ...]:
    name = shortened(row.name, max(40, page.width - 24))
    return text(seconds(row.seconds), "bold"), text(percent(row.share), "cyan"), text(name)


def _caches(view: View) -> Iterator[RenderableType]:
    """What the compile caches would keep."""
    if caches := view.timeline.caches:
        yield heading("Caches", "recording looks past them")
    for cache in caches:
        about = " · ".join(filter(None, (cache.compile_id, cache.where, cache.reason)))
        yield line((cache.sentence, ""), (f" {about}" if about else "", "dim"))
    warm = view.timeline.warm_start
    for sentence in filter(None, (warm.sentence, *warm.details)):
        yield text(sentence)


def _memory(view: View) -> Iterator[RenderableType]:
    """What compiling did to the process's peak."""
    memory = view.timeline.memory
    if not memory.sentence:
        return
    yield heading("Peak memory of compiling")
    yield text(memory.sentence)
    if memory.rows:
        yield grid(
            ("right", "wrap"), ((text(by, "bold"), text(name)) for name, _, by in memory.rows)
        )
    yield text(memory.note, "dim")


def _row(name: str, spent: float, share: float, page: Page) -> tuple[Text, ...]:
    width = _BAR if page.width >= 100 else _BAR // 2
    return (
        text(seconds(spent), "bold"),
        text(_bar(share, width), "cyan"),
        text(shortened(name, max(24, page.width // 3))),
        text(explain(name), "dim"),
    )


def _bar(share: float, width: int) -> str:
    """A bar in eighths of a character."""
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + ("", *"▏▎▍▌▋▊▉")[eighths % 8]
