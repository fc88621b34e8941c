"""A program in several precisions in the script-free HTML: a row each, and bars of the errors."""

from dynamo_lab.render.markup import Markup, details, join, table, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view.precision.trial import TrialView

_HEAD = (
    "precision", "result", "error", "largest", "eager", "compiled", "kernels", "peak", "written",
    "",
)  # fmt: skip
_PICTURE = ("", "wrong bits of float32's 24, by the median error", "time of a call")
_KERNELS = ("", "where", "kernels of highest", "kernels here")


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
            w.kernels,
            w.peak,
            w.written,
            shortened(w.told, 200),
        )
        for w in view.ways
    ]
    changed = [(w.name, one) for w in view.ways for one in w.changed]
    kernels = [
        (w.name, one.where, ", ".join(one.before), ", ".join(one.after))
        for w in view.ways
        for one in w.lines
    ]
    alone = [(w.name, one) for w in view.ways for one in w.alone]
    names = tuple(way.name for way in view.ways)
    return join(
        table(_HEAD, rows),
        tag("p", tag("small", "Errors against float64, in units in the last place of float32.")),
        *([tag("p", tag("b", view.unlike))] if view.unlike else []),
        _picture(view),
        *([details("operators of another type", table(("", ""), changed))] if changed else []),
        *([details("other kernels", table(_KERNELS, kernels))] if kernels else []),
        *([details("PyTorch's own kernels", table(("", ""), alone))] if alone else []),
        table(("median error", *names), [(row.module, *row.errors) for row in view.modules]),
    )


def _picture(view: TrialView) -> Markup:
    """Bars of one table: how many bits are wrong, and how long it takes."""
    rows = [(way.name, _bar(way.lost), _bar(way.slow)) for way in view.ways if way.lost is not None]
    return table(_PICTURE, rows)


def _bar(share: float | None) -> Markup:
    if share is None:
        return Markup("")
    return tag("meter", f"{share:.0%}", value=f"{share:.3f}", max="1")
