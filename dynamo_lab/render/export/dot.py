# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# The graphviz package annotates only parts of itself.
"""A graph as DOT and as SVG, through the graphviz package: the diagram outside the browser.

The front-end's `export` writes the same DOT; tests/cases/scenes.json holds both to it.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Literal

import graphviz

from dynamo_lab.errors import DrawingError
from dynamo_lab.render.colours import SCHEMES
from dynamo_lab.render.text import one_line
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.graphs.boxes import ModuleView
from dynamo_lab.view.graphs.graphs import GraphView
from dynamo_lab.view.graphs.kinds import KINDS, kind_of
from dynamo_lab.view.graphs.repeats.repeats import RepeatView
from dynamo_lab.view.graphs.scenes import (
    MAX_BOXES,
    Box,
    Cluster,
    Scene,
    Scenes,
    is_input,
    nodes_of,
    nodes_within,
)

_TIMES = "\N{MULTIPLICATION SIGN}"

Collapse = Literal["modules", "none"]

STROKES = tuple(SCHEMES[name][0] for name in ("r0", "r2", "r4", "r3", "r7", "r5", "r1", "r6"))
"""The front-end's colours of KINDS, light."""


def _mixed_with_white(colour: str) -> str:
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{255 - round((255 - part) * 0.215):02x}" for part in parts)


FILLS = tuple(map(_mixed_with_white, STROKES))

_GRAPH = {"rankdir": "TB", "nodesep": "0.22", "ranksep": "0.32", "fontname": "Helvetica"}
_NODE = {
    "shape": "box", "style": "filled", "fillcolor": "#ffffff", "color": "#9aa3ae",
    "fontname": "Helvetica", "fontsize": "11", "fontcolor": "#1c2127",
}  # fmt: skip
_EDGE = {"arrowsize": "0.6", "color": "#7d8794"}
_CLUSTER = {
    "labeljust": "l", "fontsize": "11", "fontcolor": "#5a6472", "color": "#b9c0c9",
    "style": "rounded,filled", "fillcolor": "#f6f7f9",
}  # fmt: skip


def dot(
    graphs: Sequence[GraphView],
    graph: int,
    *,
    around: str | int | None = None,
    up: int = 2,
    down: int = 2,
    collapse: Collapse = "modules",
    inputs: bool | None = None,
) -> str:
    """The DOT of a graph, by its id.

    Raises:
        DrawingError: there is no such graph or node, or too much to collapse.
    """
    return _drawn(graphs, graph, around, up, down, collapse, inputs).source


def svg(
    graphs: Sequence[GraphView],
    graph: int,
    *,
    around: str | int | None = None,
    up: int = 2,
    down: int = 2,
    collapse: Collapse = "modules",
    inputs: bool | None = None,
) -> str:
    """The SVG of a graph, laid out by Graphviz.

    Raises:
        DrawingError: as `dot`, there are too many boxes to lay out, or Graphviz is not installed.
    """
    drawn = _drawn(graphs, graph, around, up, down, collapse, inputs, limit=MAX_BOXES)
    try:
        return drawn.pipe(format="svg", encoding="utf-8")
    except graphviz.ExecutableNotFound:
        raise DrawingError(
            "Graphviz's program `dot` was not found: install it (`apt install graphviz`, `brew "
            "install graphviz`, `conda install graphviz`), or use `to_dot`, which does not need it."
        ) from None
    except graphviz.CalledProcessError as error:
        raise DrawingError(f"Graphviz could not lay out the graph: {error}.") from None


def _drawn(
    graphs: Sequence[GraphView],
    number: int,
    around: str | int | None,
    up: int,
    down: int,
    collapse: Collapse,
    inputs: bool | None,
    limit: int | None = None,
) -> graphviz.Digraph:
    if not 0 <= number < len(graphs):
        raise DrawingError(f"There is no graph {number}: the recording has {len(graphs)}.")
    if collapse not in ("modules", "none"):
        raise DrawingError(f"collapse={collapse!r} is not offered: pass 'modules' or 'none'.")
    if min(up, down) < 0:
        raise DrawingError("Steps up and down cannot be negative: pass 0 or more.")
    by_id = {graph.id: graph for graph in graphs}
    scenes = Scenes(graphs[number], by_id, inputs)
    if around is not None:
        scene = scenes.around(_node(graphs[number], around), up, down)
    elif collapse == "none":
        scene = scenes.modules(scenes.all_open())
    else:
        scene, limit = scenes.modules(scenes.initially_open()), MAX_BOXES
    boxes = sum(1 for _ in scene.boxes())
    if limit is not None and boxes > limit:
        raise DrawingError(
            f"{one_line(graphs[number].title)} would be {plural(boxes, 'box', 'boxes')}, more "
            f"than the {limit} that can be laid out and read: pass around='{_example(scenes)}' "
            "for a part of it, or to_dot(collapse='none') for the DOT of all of it."
        )
    return write(scene, by_id)


def _example(scenes: Scenes) -> str:
    graph = scenes.graph
    operators = (n for n in range(len(graph.name)) if not is_input(graph, n))
    return one_line(graph.name[next(operators, 0)])


def _node(graph: GraphView, around: str | int) -> int:
    if isinstance(around, int):
        if 0 <= around < len(graph.name):
            return around
        raise DrawingError(f"There is no node {around}: pass 0 to {len(graph.name) - 1}.")
    if around in graph.name:
        return graph.name.index(around)
    near = get_close_matches(around, graph.name, 3)
    hint = (
        f"is it {' or '.join(map(one_line, near))}?"
        if near
        else "`rec.find` and `dynamo-lab show --find` list names."
    )
    raise DrawingError(f"{one_line(graph.title)} has no node {around!r}: {hint}")


def write(scene: Scene, graphs: Mapping[int, GraphView]) -> graphviz.Digraph:
    """The scene as a graph of Graphviz; every text of the program is escaped."""
    root = graphs[scene.root.graph]
    made = graphviz.Digraph(
        _text(one_line(root.title)), graph_attr=_GRAPH, node_attr=_NODE, edge_attr=_EDGE
    )
    _fill(made, scene.root, graphs)
    for edge in scene.edges:
        weight = {"weight": str(min(edge.weight, 8))} if edge.weight > 1 else {}
        made.edge(edge.source, edge.target, **({"style": "dashed"} if edge.is_call else weight))
    return made


def _fill(made: graphviz.Digraph, cluster: Cluster, graphs: Mapping[int, GraphView]) -> None:
    for box in cluster.boxes:
        graph = graphs[box.graph]
        made.node(box.id, label=_label(*label_of(graph, box)), **_looks(graph, box))
    for inner in cluster.clusters:
        graph = graphs[inner.graph]
        is_body = inner.id.startswith("b")
        if inner.repeat >= 0:
            name = repeat_label(graph.repeats[inner.repeat])
        else:
            name = body_name(graph) if is_body else module_label(graph.modules[inner.module])
        frame = graphviz.Digraph(
            f"cluster_{inner.id}", graph_attr={**_CLUSTER, "label": _label(name)}
        )
        _fill(frame, inner, graphs)
        made.subgraph(frame)


def label_of(graph: GraphView, box: Box) -> tuple[str, str]:
    """The two lines of a box: its operator, then its name and value or the size of its contents."""
    if box.repeat >= 0:
        repeat = graph.repeats[box.repeat]
        title = f"{_TIMES} {len(box.parts):,} more" if box.is_rest else repeat_label(repeat)
        count = sum(1 for _ in nodes_of(graph, box)) // len(box.parts)
        return _cut(title, 34), f"{plural(count, 'node')} each"
    if box.node < 0:
        count = sum(1 for _ in nodes_within(graph, box.module))
        return _cut(module_label(graph.modules[box.module]), 34), plural(count, "node")
    op, name = graph.strings[graph.op[box.node]], graph.name[box.node]
    value = graph.values[graph.value[box.node]]
    if op.startswith("call_"):
        title = _cut(short_target(graph.strings[graph.target[box.node]]), 30)
    else:
        title = "input" if op == "placeholder" else op
    if op == "placeholder" and len(name) > 18:
        name = f"…{name[-17:]}"  # parameters start alike: the end distinguishes them
    detail = "" if op == "output" else _cut(": ".join(part for part in (name, value) if part), 36)
    return title, detail


def body_name(graph: GraphView) -> str:
    """'body 1 of cond': the title without its graph."""
    return graph.title[max(0, graph.title.find("body ")) :]


def repeat_label(repeat: RepeatView) -> str:
    """'24 times h.0 … h.23', with a sign, or what the blocks hold where they have no name."""
    return f"{_TIMES} {repeat.times:,} {repeat.name or repeat.holds}"


def module_label(module: ModuleView) -> str:
    """'h.0 GPT2Block': a bare number means nothing without its container."""
    name = module.name or module.path
    place = ".".join(module.path.split(".")[-2:]) if re.fullmatch("[0-9]+", name) else name
    return " ".join(filter(None, (place, module.type if module.type != module.name else "")))


_OVERLOADED = re.compile(
    r"(?:torch\.ops\.)?(?:aten|prims|inductor\w*|quantized\w*|higher_order|_c10d_functional"
    r"|rng_prims)\.",
    re.ASCII,
)


def short_target(target: str) -> str:
    """'add' for "aten.add.Tensor", as the front-end's target.ts shortens it."""
    if space := _OVERLOADED.match(target):
        return target[space.end() :].partition(".")[0]
    return target.rpartition(".")[2]


def _looks(graph: GraphView, box: Box) -> dict[str, str]:
    if box.node < 0:
        return {"style": "filled,rounded", "fillcolor": "#f1f4f8", "color": "#4477aa"}
    op = graph.strings[graph.op[box.node]]
    if not op.startswith("call_"):
        return {"style": "filled,dashed", "fillcolor": "#f6f7f9"}
    kind = kind_of(graph.strings[graph.target[box.node]])
    if kind not in KINDS:
        return {}
    at = KINDS.index(kind)
    return {"fillcolor": FILLS[at], "color": STROKES[at]}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _text(text: str) -> str:
    """Text that Graphviz takes literally: neither markup nor an escape."""
    return graphviz.nohtml(text.replace("\\", "\\\\"))


def _label(*lines: str) -> str:
    return graphviz.nohtml("\\n".join(_text(one_line(line)) for line in lines if line))
