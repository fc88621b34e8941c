"""A program in several precisions in the script-free HTML: a row each, and bars of the errors."""

from dynamo_lab.render.markup import Markup, details, join, table, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view.precision.trial import TrialView

_HEAD = ("precision", "result", "error", "largest", "eager", "compiled", "written", "")


def trial_html(view: TrialView) -> Markup:
    """A program that was tried."""
    rows = [
        (
            w.name,
            w.dtype,
            w.error,
            w.largest,
            w.eager,
            w.compiled,
            w.written,
            shortened(w.told, 200),
        )
        for w in view.ways
    ]
    changed = [(w.name, one) for w in view.ways for one in w.changed]
    names = tuple(way.name for way in view.ways)
    return join(
        table(_HEAD, rows),
        tag("p", tag("small", "Errors against float64, in units in the last place of float32.")),
        *([details("operators of another type", table(("", ""), changed))] if changed else []),
        table(("median error", *names), [(row.module, *row.errors) for row in view.modules]),
    )
