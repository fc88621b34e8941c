"""Where compile time went: the largest phases, each without what is nested in it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import Page, grid, heading, line, text
from dynamo_lab.render.text import shortened
from dynamo_lab.view import View
from dynamo_lab.view.core.words import listed, seconds
from dynamo_lab.view.timings.timings import explain

_BRIEF = 8
_BAR = 20


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """The phases, longest first."""
    totals = view.timeline.totals
    if not totals:
        return
    yield heading("Compile time", seconds(view.timeline.seconds))
    shown = totals if page.everything else totals[:_BRIEF]
    largest = totals[0][1] or 1.0
    yield grid(
        ("right", "left", "left", "wrap"),
        (_row(name, spent, spent / largest, page) for name, spent, _ in shown),
    )
    if rest := totals[len(shown) :]:
        spent = seconds(sum(item[1] for item in rest))
        left = f"… {len(rest):,} more phases, {spent} in total; "
        yield line((left, "dim"), ("dynamo-lab show --section timeline", "dim italic"))
    if parallel := view.timeline.parallel:
        names = listed([f"{name} {seconds(spent)}" for name, spent in parallel], limit=4)
        yield text(f"in parallel, in other threads: {names}", "dim")


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
