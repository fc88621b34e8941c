"""Expressions: the calls and operators in the reader's lines that captured nodes were made for."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from dynamo_lab.model.core.sources import Span
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import span_text

LINES_ALONE = (
    "the recording tells the line of an operation and not its columns, as Python 3.10, "
    "`torch.export`, PyTorch's own logs and older recordings do"
)


class ExpressionView(Struct, frozen=True, array_like=True):
    """A part of a source: lines from 1, columns from 0 in characters, the end exclusive.

    `text` is all of it on one line.
    """

    source: int
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class ExpressionsView(Struct, frozen=True, kw_only=True):
    """The expressions of a recording, "expression:<index>", in the order of the text.

    A node is of an expression and of the calls that led there: `stacks` are indices in `shown`, the
    outermost call first. `nodes` names a graph, and of each of its nodes the stack, -1 for none.
    """

    shown: tuple[ExpressionView, ...] = ()
    stacks: tuple[tuple[int, ...], ...] = ()
    nodes: tuple[tuple[int, tuple[int, ...]], ...] = ()


def build(recording: Recording) -> ExpressionsView:
    """The expressions of the captured graphs; none where only lines are known."""
    graphs = [graph for graph in recording.graphs if graph.expressions]
    used = dict.fromkeys(stack for graph in graphs for stack in graph.expressions if stack >= 0)
    spans = {span for stack in used for span in recording.stacks[stack]}
    shown = {span: view for span in spans if (view := _shown(recording, recording.spans[span]))}
    order = sorted(set(shown.values()), key=_place)
    at = {view: index for index, view in enumerate(order)}
    stacks = {
        stack: tuple(at[shown[span]] for span in recording.stacks[stack] if span in shown)
        for stack in used
    }
    known = {stack: found for stack, found in stacks.items() if found}
    number = {stack: index for index, stack in enumerate(known)}
    return ExpressionsView(
        shown=tuple(order),
        stacks=tuple(known.values()),
        nodes=tuple(
            (graph.id, tuple(number.get(stack, -1) for stack in graph.expressions))
            for graph in graphs
        ),
    )


def on_line(view: ExpressionsView, source: int, line: int) -> Iterator[int]:
    """The expressions that start on a line, as they stand there."""
    for index, one in enumerate(view.shown):
        if (one.source, one.line) == (source, line):
            yield index


def shortest(view: ExpressionsView, among: Iterable[int], text: str) -> int | None:
    """The one that a text is all of, else the shortest that holds it; spaces do not count."""
    asked = _bare(text)
    texts = {index: _bare(view.shown[index].text) for index in among}
    holding = [index for index, whole in texts.items() if asked and asked in whole]
    return min(holding, key=lambda index: len(texts[index]), default=None)


def _bare(text: str) -> str:
    return "".join(text.split())


def _place(one: ExpressionView) -> tuple[int, int, int, int, int]:
    """As they stand in the text; of two that start at one place, the one around the other first."""
    return one.source, one.line, one.column, -one.end_line, -one.end_column


def _shown(recording: Recording, span: Span) -> ExpressionView | None:
    text = span_text(recording.sources[span.source], span)
    if not text:
        return None
    return ExpressionView(span.source, span.line, span.column, span.end_line, span.end_column, text)
