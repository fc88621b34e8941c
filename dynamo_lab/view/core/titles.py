"""Titles of graphs: captured ones are numbered from 1, later stages are named after them."""

from collections import Counter
from collections.abc import Sequence

from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.recording import Recording


class GraphTitles:
    """For each graph, by its id: the number of the captured graph it belongs to, and its title.

    A graph that belongs to no captured one has number 0. No two graphs share a title.
    """

    def __init__(self, recording: Recording) -> None:
        self._graphs = recording.graphs
        self.numbers = _numbers(recording.graphs)
        self._bodies: dict[tuple[int | None, int | None], list[int]] = {}
        for graph in recording.graphs:
            self._bodies.setdefault(_place(graph), []).append(graph.id)
        self.titles = _distinct([self._title(graph) for graph in recording.graphs])

    def _title(self, graph: Graph) -> str:
        part = f"part {graph.part}" if graph.part else ""
        parts = [f"graph {self.numbers[graph.id]}", part, _stage(graph), self._body(graph)]
        return " ".join(part for part in parts if part)

    def _body(self, graph: Graph) -> str:
        """'body of map', 'body 2 of cond in body 1 of cond'; empty for a whole graph."""
        if graph.parent is None:
            return ""
        around = self._graphs[graph.parent]
        siblings = self._bodies[_place(graph)]
        order = f" {siblings.index(graph.id) + 1}" if len(siblings) > 1 else ""
        of = "" if graph.parent_node is None else f" of {around.nodes.name[graph.parent_node]}"
        within = self._body(around)
        return f"body{order}{of}{f' in {within}' if within else ''}"


def stage_label(graph: Graph) -> str:
    """'forward', 'post_grad', 'post_grad (backward)'."""
    is_marked = graph.is_backward and graph.stage != "backward"
    return f"{graph.stage} (backward)" if is_marked else graph.stage


def _stage(graph: Graph) -> str:
    return "" if graph.stage == "dynamo" else stage_label(graph)


def _numbers(graphs: Sequence[Graph]) -> tuple[int, ...]:
    captured = [g for g in graphs if g.stage == "dynamo" and g.parent is None]
    own = {graph.id: number for number, graph in enumerate(captured, 1)}
    # The first of a compilation, for stages listed before the graph they were made from.
    latest = {graph.compile_id: own[graph.id] for graph in reversed(captured)}
    found: dict[int, int] = {}
    for graph in graphs:
        if graph.id in own:  # a frame analysed again captures again: what follows is of this
            latest[graph.compile_id] = own[graph.id]
        found[graph.id] = own.get(graph.id, latest.get(graph.compile_id, 0))
    return tuple(found[_root(graph, graphs).id] for graph in graphs)


def _root(graph: Graph, graphs: Sequence[Graph]) -> Graph:
    while graph.parent is not None:
        graph = graphs[graph.parent]
    return graph


def _place(graph: Graph) -> tuple[int | None, int | None]:
    return graph.parent, graph.parent_node


def _distinct(titles: Sequence[str]) -> tuple[str, ...]:
    """Equal titles get an ordinal: a captured graph can be compiled in several parts."""
    counts, seen = Counter(titles), Counter[str]()
    made: list[str] = []
    for title in titles:
        seen[title] += 1
        made.append(f"{title} #{seen[title]}" if counts[title] > 1 else title)
    return tuple(made)
