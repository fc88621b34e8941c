"""Autograd in the script-free HTML: what each graph saves for its backward, and why."""

from collections.abc import Iterator, Sequence
from functools import partial

from dynamo_lab.render.markup import Block, Markup, details, join, pre, prose, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view import View
from dynamo_lab.view.autograd.autograd import KeptRow, PartitionView
from dynamo_lab.view.core.words import plural

_ROWS = 60


def blocks(view: View) -> Iterator[Block]:
    """A block for each partition with a backward, or with mutations or views that were handled."""
    for part in view.partitions:
        if part.backward is not None or part.handled:
            yield partial(_partition, part)


def _partition(part: PartitionView) -> Markup:
    sentences = [tag("p", prose(shortened(text, 400))) for text in part.sentences]
    handled = [tag("li", prose(shortened(text, 400))) for text in part.handled[:_ROWS]]
    again = [row for row in part.recomputed if not row.is_free]
    lines = [
        f"{cost.size:>9}  {plural(cost.count, 'value'):>10}  {clipped(cost.where, 60)}  "
        f"{clipped(cost.line, 80)}\n"
        for cost in part.lines[:_ROWS]
    ]
    return join(
        tag("p", tag("b", part.title), f" · {part.method}"),
        *sentences,
        *([pre(*lines)] if lines else []),
        *_values(f"{plural(len(part.saved), 'saved value')}", part.saved),
        *_values(f"{plural(len(again), 'operator')} recomputed in the backward", again),
        *([tag("ul", *handled)] if handled else []),
    )


def _values(title: str, rows: Sequence[KeptRow]) -> Iterator[Markup]:
    if not rows:
        return
    lines = [
        f"{row.size:>9}  {clipped(row.name, 40)}: {clipped(row.value, 40)}  "
        f"{clipped(row.where, 60)}  {clipped(row.why.replace('`', ''), 120)}\n"
        for row in rows[:_ROWS]
    ]
    if len(rows) > _ROWS:
        lines.append(f"… {len(rows) - _ROWS:,} more\n")
    yield details(title, pre(*lines))
