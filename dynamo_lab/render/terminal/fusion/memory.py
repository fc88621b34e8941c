"""Memory in the terminal: what is allocated at each call as bars, and buffer lifetimes."""

from collections.abc import Iterator

from rich.console import RenderableType

from dynamo_lab.render.terminal import tiny
from dynamo_lab.render.terminal.core.parts import Page, grid, heading, indented, line, more, text
from dynamo_lab.render.text import one_line, shortened
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.fusion.memory import LifeView, MemoryView

_BRIEF = 8
_BRIEF_PLANS = 3
_BAR = 24
_COMMAND = "dynamo-lab show --section memory"


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """Each schedule's memory: its peak, the calls around it; in full every call and buffer."""
    if view.training:
        yield from tiny.section(view.training, page)
    relevant = [
        (schedule.title, plan)
        for schedule in view.fusions.schedules
        for plan in schedule.memory
        if plan.steps
    ]
    if not relevant:
        return
    yield heading("Memory", plural(len(relevant), "plan"))
    shown = relevant if page.everything else relevant[:_BRIEF_PLANS]
    for title, plan in shown:
        yield line((title, "bold"))
        for sentence in plan.sentences:
            yield indented(grid(("wrap",), [(text(sentence.replace("`", "")),)]))
        yield from _steps(plan, page)
        if page.everything:
            yield from _lives(plan)
    if len(shown) < len(relevant):
        yield more(len(relevant) - len(shown), "plans", _COMMAND)


def _steps(plan: MemoryView, page: Page) -> Iterator[RenderableType]:
    first = 0 if page.everything else max(0, min(plan.peak - _BRIEF // 2, len(plan.steps) - _BRIEF))
    last = len(plan.steps) if page.everything else first + _BRIEF
    for number, step in list(enumerate(plan.steps))[first:last]:
        filled = round(_BAR * step.bytes / plan.peak_bytes) if plan.peak_bytes else 0
        style = "bold magenta" if number == plan.peak else "cyan"
        yield indented(
            line(
                (f"{number + 1:>4}  ", "dim"),
                (f"{step.size:>8}  ", "bold" if number == plan.peak else ""),
                ("█" * filled + " " * (_BAR - filled), style),
                (f"  {one_line(step.name)}", ""),
            )
        )
    if left := len(plan.steps) - (min(last, len(plan.steps)) - first):
        yield indented(more(left, "calls", _COMMAND))


def _lives(plan: MemoryView) -> Iterator[RenderableType]:
    """The buffers, with the calls during which each holds memory."""
    for life in (*plan.lives, *plan.kernel_internal):
        yield indented(
            line(
                (f"{_calls(life):>9}  ", "dim"),
                (f"{life.size:>8}  ", ""),
                (one_line(life.name), "cyan"),
                (f"  {life.value}", ""),
                (f"  {shortened(life.note, 70)}", "dim"),
            )
        )


def _calls(life: LifeView) -> str:
    if life.start < 0:
        return "-"
    return f"{life.start + 1}-{life.end + 1}" if life.end > life.start else f"{life.start + 1}"
