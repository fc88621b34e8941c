"""A quantized model in a terminal: one table of schemes, then each scheme's parts and stages."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import grid, heading, indented, line, plain, text
from dynamo_lab.view.quantization.quantization import QuantizationView, SchemeView

HEADS = ("", "a call", "", "size", "error", "not float")


def quantization_text(view: QuantizationView, width: int = 100) -> str:
    """All of it, as text."""
    return plain(list(_items(view)), width)


def _items(view: QuantizationView) -> Iterator[RenderableType]:
    yield heading("Quantization", view.title)
    yield text(view.where, "dim")
    rows = [_row(one) for one in view.schemes]
    heads = tuple(text(head, "dim") for head in HEADS)
    yield grid(("left", "right", "wrap", "right", "right", "right"), [heads, *rows])
    yield text("error: of the result, root mean square relative to the float model's", "dim")
    for one in view.schemes:
        if one.parts:
            yield Text()
            yield from _scheme(one)


def _row(one: SchemeView) -> tuple[Text, ...]:
    if one.problem:
        return text(one.title), text(""), text(one.problem, "yellow"), text(""), text(""), text("")
    return (
        text(one.title),
        text(one.time),
        text(one.told),
        text(one.size),
        text(one.error),
        text(one.share),
    )


def _scheme(one: SchemeView) -> Iterator[RenderableType]:
    yield line((one.title, "bold"))
    rows = [
        (
            text(part.name),
            text(part.kind, "dim"),
            text(part.scheme, "green" if part.scheme != "float" else "yellow"),
            text(part.error),
            text(part.why, "dim"),
        )
        for part in one.parts
    ]
    yield indented(grid(("left", "left", "left", "right", "wrap"), rows))
    for stage in one.stages:
        yield indented(grid(("left", "wrap"), [(text(stage.name, "dim"), text(stage.operators))]))
    yield indented(grid(("left", "wrap"), [(text("kernels", "dim"), text(one.kernels))]))
