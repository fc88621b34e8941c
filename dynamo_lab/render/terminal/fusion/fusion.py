"""Scheduling in the terminal: the groups made, and every pair with its verdict and reason."""

from collections.abc import Iterator

from rich.console import RenderableType

from dynamo_lab.render.terminal.core.parts import Page, grid, heading, indented, line, more, text
from dynamo_lab.render.terminal.fusion.foreach import lists
from dynamo_lab.render.text import one_line, shortened
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.fusion.advice import filled
from dynamo_lab.view.fusion.fusion import RulingView, ScheduleView
from dynamo_lab.view.fusion.why_not import short_name

_BRIEF = 6
_BRIEF_SCHEDULES = 3
_COMMAND = "dynamo-lab show --section fusion"
_STYLES = {"fused": "green", "refused": "red", "possible": "dim"}


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """Each schedule: its sentences and groups; in full also every pair that was considered."""
    relevant = [item for item in view.fusions.schedules if item.operations]
    if not relevant:
        return
    yield heading("Fusion", plural(len(relevant), "schedule"))
    shown = relevant if page.everything else relevant[:_BRIEF_SCHEDULES]
    for schedule in shown:
        yield line((schedule.title, "bold"))
        for sentence in schedule.sentences:
            yield _prose(sentence)
        yield from _groups(schedule, page)
        if schedule.foreach is not None:
            yield from lists(schedule.foreach, page, _COMMAND)
        if page.everything:
            yield from _pairs(schedule)
    if len(shown) < len(relevant):
        yield more(len(relevant) - len(shown), "schedules", _COMMAND)


def _prose(sentence: str, by: int = 2) -> RenderableType:
    return indented(grid(("wrap",), [(text(sentence.replace("`", "")),)]), by)


def _groups(schedule: ScheduleView, page: Page) -> Iterator[RenderableType]:
    """Groups of several operations first: those are the result of fusion."""
    groups = sorted(schedule.final, key=lambda item: -len(schedule.groups[item.group].operations))
    shown = groups if page.everything else groups[:_BRIEF]
    for item in shown:
        group = schedule.groups[item.group]
        names = " ".join(schedule.operations[index].name for index in group.operations)
        yield indented(
            line(
                (f"{one_line(item.title)}", "bold"),
                (f"  {group.loops}", ""),
                (f"  {one_line(item.name)}", "cyan"),
                (f"  {group.kind}: {shortened(names, 60)}", "dim"),
            )
        )
    if left := len(groups) - len(shown):
        yield indented(more(left, "groups", _COMMAND))


def _pairs(schedule: ScheduleView) -> Iterator[RenderableType]:
    """One pair per row; below it the reason, unless it repeats the row above's."""
    ends = iter(schedule.pairs)
    above: tuple[str, ...] = ()
    for producer, consumer, index in zip(ends, ends, schedule.ruling, strict=True):
        ruling = schedule.rulings[index]
        yield indented(
            line(
                (f"{_when(ruling):>7}  ", "dim"),
                (f"{ruling.outcome:<8}  ", _STYLES.get(ruling.outcome, "")),
                (f"{ruling.kind:<10}  ", "dim"),
                (f"{short_name(schedule, producer)}  with  {short_name(schedule, consumer)}", ""),
                (f"  saves {ruling.saves}" if ruling.saves else "", "dim"),
            )
        )
        why = tuple(advice.why for advice in ruling.why)
        if why != above and ruling.outcome == "refused":
            names = short_name(schedule, producer), short_name(schedule, consumer)
            for advice in ruling.why:
                yield _prose(filled(advice.why, *names), 11)
                if advice.change:
                    yield _prose(f"→ {filled(advice.change, *names)}", 11)
        above = why


def _when(ruling: RulingView) -> str:
    if ruling.first_round == ruling.round:
        return f"{ruling.round}"
    return f"{ruling.first_round}-{ruling.round}"
