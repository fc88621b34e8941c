"""Fusion and memory in the script-free HTML: groups, reasons against fusion, memory per call."""

from collections import Counter
from collections.abc import Iterator
from functools import partial

from dynamo_lab.render.markup import Block, Markup, details, join, pre, prose, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.fusion.advice import filled
from dynamo_lab.view.fusion.between import without_names
from dynamo_lab.view.fusion.fusion import ScheduleView
from dynamo_lab.view.fusion.memory import MemoryView

_ROWS = 40
_BAR = 24


def blocks(view: View) -> Iterator[Block]:
    """A block for each schedule, and one for its memory."""
    for schedule in view.fusions.schedules:
        if schedule.operations:
            yield partial(_schedule, schedule)
        for plan in schedule.memory:
            if plan.steps:
                yield partial(_memory, plan)


def _schedule(schedule: ScheduleView) -> Markup:
    groups = sorted(schedule.final, key=lambda item: -len(schedule.groups[item.group].operations))
    lines = [
        f"{clipped(item.title, 60)}  {clipped(schedule.groups[item.group].loops, 40)}  "
        f"{clipped(item.name, 60)}\n"
        for item in groups[:_ROWS]
    ]
    if len(groups) > _ROWS:
        lines.append(f"… {len(groups) - _ROWS:,} more\n")
    return join(
        tag("p", tag("b", schedule.title)),
        *(tag("p", prose(shortened(sentence, 400))) for sentence in schedule.sentences),
        details(plural(len(groups), "group"), pre(*lines)),
        *_lists(schedule),
        *_refusals(schedule),
    )


def _lists(schedule: ScheduleView) -> Iterator[Markup]:
    """Lists of tensors: each two that were considered, with the index that decided."""
    if schedule.foreach is None:
        return
    rows = [
        tag("li", tag("b", pair.state), f" {pair.one} with {pair.other}. ", prose(pair.sentence))
        for pair in schedule.foreach.pairs[:_ROWS]
    ]
    told = (tag("p", prose(sentence)) for sentence in schedule.foreach.sentences)
    yield details("lists of tensors", *told, tag("ul", *rows))


def _refusals(schedule: ScheduleView) -> Iterator[Markup]:
    """The reasons, each with how many pairs it prevented and what would change that."""
    counts = Counter(
        without_names(advice)
        for index in schedule.ruling
        if schedule.rulings[index].outcome == "refused"
        for advice in schedule.rulings[index].why
    )
    if counts:
        rows = [
            tag(
                "li",
                tag("b", plural(count, "pair")),
                " ",
                prose(filled(f"{advice.why} {advice.change}", "the first", "the second")),
            )
            for advice, count in counts.most_common(_ROWS)
        ]
        yield details("why pairs were not fused", tag("ul", *rows))


def _memory(plan: MemoryView) -> Markup:
    lines: list[str] = []
    for number, step in list(enumerate(plan.steps, 1))[:_ROWS]:
        filled = round(_BAR * step.bytes / plan.peak_bytes) if plan.peak_bytes else 0
        lines.append(
            f"{number:>4}  {step.size:>8}  {'█' * filled}{' ' * (_BAR - filled)}  "
            f"{clipped(step.name, 60)}\n"
        )
    if len(plan.steps) > _ROWS:
        lines.append(f"… {len(plan.steps) - _ROWS:,} more\n")
    return join(
        *(tag("p", prose(shortened(sentence, 400))) for sentence in plan.sentences),
        details("memory at each call", pre(*lines)),
    )
