"""A graph as the tree of its modules, and the results of a search, for `dynamo-lab show`."""

from collections.abc import Collection, Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.graph_text import GraphText
from dynamo_lab.render.terminal.core.parts import Page, grid, heading, indented, line, text
from dynamo_lab.render.terminal.graphs.graphs import node_rows
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.core.words import listed, plural, size
from dynamo_lab.view.graphs.outline import OutlineRow, outline
from dynamo_lab.view.graphs.query import parse, widened
from dynamo_lab.view.search import searched_graphs


def outlines(view: View, graphs: Collection[int]) -> Iterator[RenderableType]:
    """The modules of these graphs: how many operators are in each, and what they do."""
    for graph in view.graphs:
        if graph.id not in graphs:
            continue
        yield heading(one_line(graph.title), one_line(graph.subtitle))
        head = ("module", "operators", "results", "of which")
        rows = [_row(row) for row in outline(graph)]
        lines = ([text(title, "dim") for title in head], *rows)
        yield grid(("left", "right", "right", "wrap"), lines, (0, len(head[1]), len(head[2])))


def _row(row: OutlineRow) -> list[Text]:
    name = one_line(row.name) or ("(the graph)" if row.depth == 0 else "(no name)")
    if row.last:
        name = f"{name} to {one_line(row.last)}"
    made = line(
        ("  " * row.depth + name, ""), (f"  {one_line(row.type)}" if row.type else "", "dim")
    )
    if row.alike > 1:
        made.append(f"  {row.alike} equal ones, each", style="dim italic")
    kinds = listed([f"{count:,} {kind}" for kind, count in row.kinds], limit=3)
    amount = size(row.bytes) if row.bytes else ""
    return [made, text(f"{row.operators:,}"), text(amount, "cyan"), text(kinds, "dim")]


def found(view: View, query: str, graphs: Collection[int], page: Page) -> Iterator[RenderableType]:
    """The nodes of these graphs that match a query, as code.

    Raises:
        QueryError: the query is not valid.
    """
    terms = parse(query)
    texts = GraphText(view)
    searched = [(graph, one.find(terms)) for graph, one in searched_graphs(view)]
    hits = [(graph, nodes) for graph, nodes in searched if nodes and graph.id in graphs]
    count = sum(len(nodes) for _, nodes in hits)
    yield heading(plural(count, "hit"), f"{one_line(query)}, in {plural(len(hits), 'graph')}")
    for graph, nodes in hits:
        yield line((one_line(graph.title), "bold"), (f"  {plural(len(nodes), 'hit')}", "dim"))
        yield from (indented(row) for row in node_rows(texts.some(graph, nodes), page))
    if not hits and (wider := widened(query)):
        yield text(
            f"Did you mean `{one_line(wider)}`? A word in a field has to match as a whole.", "dim"
        )
