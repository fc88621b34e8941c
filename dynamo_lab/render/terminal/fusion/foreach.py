"""Lists of tensors in the terminal: each two that were considered, index by index."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import Page, grid, indented, line, more, text
from dynamo_lab.render.text import one_line, shortened
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.fusion.foreach import ForeachView, IndexView

_BRIEF = 3
_STYLES = {"fused": "green", "refused": "red", "possible": "dim", "not asked": "dim"}


def lists(view: ForeachView, page: Page, command: str) -> Iterator[RenderableType]:
    """What became of the lists; of each pair its sentence, in full its indices."""
    for sentence in view.sentences:
        yield indented(grid(("wrap",), [(text(sentence),)]))
    shown = view.pairs if page.everything else view.pairs[:_BRIEF]
    for pair in shown:
        yield indented(
            line(
                (f"{pair.state:<9}  ", _STYLES[pair.state]),
                (f"{one_line(pair.one)}  with  {one_line(pair.other)}", ""),
            )
        )
        yield indented(grid(("wrap",), [(text(pair.sentence, "dim"),)]), 13)
        if page.everything:
            rows = [_row(item) for item in pair.indices]
            yield indented(grid(("right", "left", "left", "wrap"), rows), 13)
            if pair.left:
                yield indented(text(f"… {plural(pair.left, 'more index', 'more indices')}"), 13)
    if left := len(view.pairs) - len(shown):
        yield indented(more(left, "pairs of lists", command))


def _row(item: IndexView) -> tuple[Text, ...]:
    return (
        text(str(item.index), "dim"),
        text(item.state, _STYLES[item.state]),
        text(shortened(f"{item.one}, {item.other}", 40)),
        text(item.reads, "dim"),
    )
