"""Compile time in the script-free HTML: seconds by line, module, kernel and more, and caches."""

from collections.abc import Iterator
from functools import partial

from dynamo_lab.render.markup import Block, Markup, details, join, table, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view import View
from dynamo_lab.view.core.words import percent, seconds
from dynamo_lab.view.timings.caches import CacheView
from dynamo_lab.view.timings.costs import CostRow, CostTable

_ROWS = 20


def blocks(view: View) -> Iterator[Block]:
    """A collapsible table for each thing that seconds are known by, and what caches said."""
    for one in view.timeline.costs:
        yield partial(_table, one)
    for cache in view.timeline.caches:
        yield partial(_cache, cache)
    warm = view.timeline.warm_start
    memory = view.timeline.memory
    if memory.sentence:
        rows = [(by, shortened(name, 100)) for name, _, by in memory.rows]
        yield partial(_memory, f"{memory.sentence} {memory.note}", rows)
    if warm.sentence:
        yield partial(tag, "p", " ".join((warm.sentence, *warm.details)))


def _table(one: CostTable) -> Markup:
    rows = [_row(row) for row in one.rows[:_ROWS]]
    left = sum(row.seconds for row in one.rows[_ROWS:]) + one.others
    if more := len(one.rows[_ROWS:]) + one.more:
        rows.append((seconds(left), "", f"{more:,} more"))
    if one.rest:
        rows.append((seconds(one.rest), "", "the rest, which is of none"))
    note = [tag("p", one.note)] if one.note else []
    title = f"compile time by {one.by}"
    return details(title, join(*note, table(("seconds", "share", one.by), rows)))


def _row(row: CostRow) -> tuple[str, str, str]:
    return seconds(row.seconds), percent(row.share), shortened(row.name, 160)


def _memory(told: str, rows: list[tuple[str, str]]) -> Markup:
    return join(tag("p", told), *([table(("rose by", "phase"), rows)] if rows else []))


def _cache(cache: CacheView) -> Markup:
    where = [f" · {cache.where}"] if cache.where else []
    reason = [f" · {shortened(cache.reason, 300)}"] if cache.reason else []
    return tag("p", cache.sentence, *where, *reason)
