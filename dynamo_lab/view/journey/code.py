"""The reader's lines on a way, and the expressions in them."""

from collections.abc import Iterator, Set

from dynamo_lab.view.code.expressions import on_line
from dynamo_lab.view.graphs.graphs import GraphView
from dynamo_lab.view.search import files_of, home_of
from dynamo_lab.view.view import View

Line = tuple[int, int]

_CUT = 60


def calls(graph: GraphView, node: int) -> bool:
    """Whether a node computes something: no input, attribute or output."""
    return graph.strings[graph.op[node]].startswith("call_")


def code_stops(view: View, entity: str, found: Set[str]) -> Iterator[tuple[str, str]]:
    """Entities and their texts: the line with its expressions, or what leads to the things found.

    An expression stands behind its line. Of other things it does if all that is captured of them
    was asked for by the same.
    """
    code = _Code(view, found)
    kind, first, *rest = entity.split(":")
    if kind == "line":
        line = int(first), int(rest[0])
        yield code.line(line)
        yield from map(code.expression, on_line(view.expressions, *line))
    elif kind == "expression":
        one = view.expressions.shown[int(first)]
        yield code.line((one.source, one.line))
        yield code.expression(int(first))
    else:
        yield from map(code.line, code.homes())
        yield from map(code.expression, code.only_expression())


class _Code:
    """The lines of a view, and which of them lead to what was found."""

    def __init__(self, view: View, found: Set[str]) -> None:
        self._view = view
        self._found = found
        self._sources = {source.id: source for source in view.sources}
        self._files = files_of(view)
        self._asked = list(self._captured())

    def _captured(self) -> Iterator[tuple[Line, int]]:
        """Of each captured node that was found, its line and its expression there, -1 for none."""
        expressions = self._view.expressions
        columns = dict(expressions.nodes)
        for graph in self._view.graphs:
            stacks = columns.get(graph.id)
            for node, stack in enumerate(graph.stack) if graph.stage == "dynamo" else ():
                if f"node:{graph.id}:{node}" not in self._found or not calls(graph, node):
                    continue
                home = home_of(self._view.links.stacks[stack], self._files) if stack >= 0 else None
                if home is None or home[0] not in self._sources:
                    continue
                at = stacks[node] if stacks else -1
                written = expressions.stacks[at] if at >= 0 else ()
                own = [one for one in written if self._is_on(one, home)]
                yield home, own[-1] if own else -1

    def _is_on(self, expression: int, line: Line) -> bool:
        """A call over several lines is at one of them, which need not be its first."""
        one = self._view.expressions.shown[expression]
        return one.source == line[0] and one.line <= line[1] <= one.end_line

    def homes(self) -> list[Line]:
        """The line of each captured node, if a source that is shown has it."""
        order = list(self._sources)
        lines = {line for line, _ in self._asked}
        return sorted(lines, key=lambda at: (order.index(at[0]), at[1])) or self._own_lines()

    def only_expression(self) -> list[int]:
        """The expression of all captured nodes, if they have the same."""
        found = {expression for _, expression in self._asked}
        return list(found) if len(found) == 1 and found != {-1} else []

    def _own_lines(self) -> list[Line]:
        return [
            (source.id, line.number)
            for source in self._view.sources
            if source.kind != "library"
            for line in source.lines
            if f"line:{source.id}:{line.number}" in self._found
        ]

    def line(self, at: Line) -> tuple[str, str]:
        """The entity of a line and its text, with its number."""
        return f"line:{at[0]}:{at[1]}", self._line_text(*at)

    def expression(self, index: int) -> tuple[str, str]:
        """The entity of an expression and its text."""
        return f"expression:{index}", _cut(self._view.expressions.shown[index].text)

    def _line_text(self, source: int, number: int) -> str:
        shown = self._sources.get(source)
        if shown is None:
            return f"line {number}"
        text = next((line.text.strip() for line in shown.lines if line.number == number), "")
        main = self._view.sources[self._view.main_source].id
        name = shown.label.rsplit("/", 1)[-1]
        where = f"line {number}" if source == main else f"{name}:{number}"
        return f"{where}  {_cut(text)}".strip()


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else f"{text[: _CUT - 1]}…"
