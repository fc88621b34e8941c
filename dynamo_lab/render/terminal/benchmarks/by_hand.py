"""Generated kernels and hand-written baselines, side by side where there is room."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import text
from dynamo_lab.render.terminal.kernels.kernels import LEXERS
from dynamo_lab.render.text import one_line, visible
from dynamo_lab.view import View
from dynamo_lab.view.benchmarks.benchmarks import WayView

_WIDE = 150


def by_hand(view: View, width: int) -> RenderableType:
    """The kernels of the compiled program and the hand-written variants that ran."""
    kernels = [kernel for kernel in view.kernels.kernels if kernel.code]
    generated = [_code(f"generated: {one_line(k.title)}", k.code, k.language) for k in kernels]
    written = [
        _code(f"by hand, {one_line(way.name)}", way.code, way.language) for way in _ran(view)
    ]
    if width < _WIDE:
        return Group(*generated, *written)
    beside = Table.grid(expand=True, padding=(0, 1))
    for _ in range(2):
        beside.add_column(ratio=1)
    beside.add_row(Group(*generated), Group(*written))
    return beside


def _ran(view: View) -> Iterator[WayView]:
    """The hand-written variants that were timed: others are for another device, or wrong."""
    bench = view.bench
    if bench is not None:
        timed = {row.way for one in bench.sections for row in one.rows}
        yield from (way for at, way in enumerate(bench.ways) if way.code and at in timed)


def _code(title: str, code: str, language: str) -> RenderableType:
    drawn = Syntax(
        visible(code.rstrip("\n")),
        LEXERS.get(language, "text"),
        theme="ansi_dark",
        background_color="default",
        word_wrap=True,
    )
    return Group(text(title, "bold"), drawn, Text())
