"""Calls of modules that have a fast path in the script-free HTML, as a table."""

from collections.abc import Iterable, Iterator

from dynamo_lab.render.markup import Markup, join, prose, table, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view import View
from dynamo_lab.view.fast_path.fast_path import FastPathView
from dynamo_lab.view.fast_path.trial import TrialView


def blocks(view: View) -> Iterator[Markup]:
    """One table, and below it what to change."""
    if view.fast_paths:
        yield calls(view.fast_paths)


def calls(of: Iterable[FastPathView]) -> Markup:
    """A row for each kind of call; then what to change."""
    shown = tuple(of)
    rows = [
        (
            "\u00a0" * 2 * min(row.depth, 8)
            + row.name
            + (f" x {row.count:,}" if row.count > 1 else ""),
            row.where,
            shortened(row.modules, 80),
            row.state,
            prose(row.told),
        )
        for row in shown
    ]
    remedies = dict.fromkeys(row.remedy for row in shown if row.remedy)
    return join(
        table(("module", "line", "path", "fast path", ""), rows),
        *[tag("p", prose(remedy)) for remedy in remedies],
    )


def trial_html(view: TrialView) -> Markup:
    """A program that was tried."""
    times = [(row.meaning, row.time, row.difference, row.told) for row in view.times]
    return join(
        tag("p", tag("b", "eagerly")),
        calls(view.eager),
        tag("p", tag("b", "under torch.compile")),
        calls(view.compiled) if view.compiled else tag("p", view.uncompiled),
        *([table((f"timed on {view.device}", "", "difference", ""), times)] if times else []),
    )
