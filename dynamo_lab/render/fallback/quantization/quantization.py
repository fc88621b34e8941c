"""A quantized model in the script-free HTML."""

from collections.abc import Iterator

from dynamo_lab.render.markup import Markup, details, join, table, tag
from dynamo_lab.view.quantization.quantization import QuantizationView, SchemeView

_HEADS = ("scheme", "a call", "against float", "size", "error", "not float")


def quantization_html(view: QuantizationView) -> Markup:
    """One table of schemes; below it each scheme's parts and stages, to unfold."""
    rows = [
        (one.title, one.time, one.problem or one.told, one.size, one.error, one.share)
        for one in view.schemes
    ]
    return join(
        tag("p", tag("b", view.title), " ", tag("small", view.where)),
        table(_HEADS, rows),
        *(details(one.title, *_scheme(one)) for one in view.schemes if one.parts),
    )


def _scheme(one: SchemeView) -> Iterator[Markup]:
    rows = [(part.name, part.kind, part.scheme, part.error, part.why) for part in one.parts]
    yield table(("where", "what", "computes in", "error", "why float"), rows)
    stages = [(stage.name, stage.operators) for stage in one.stages]
    yield table(("stage", "operators"), [*stages, ("kernels", one.kernels)])
