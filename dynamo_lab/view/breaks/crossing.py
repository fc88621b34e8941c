"""What a graph passes on across a break, and what of it the graph has to store for that."""

from typing import NamedTuple

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.flops import is_floating
from dynamo_lab.model.graphs import Graph, Node
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.words import plural, size, unit
from dynamo_lab.view.graphs.kinds import kind_of

_MAY_COPY = frozenset({"reshape", "flatten", "unflatten", "contiguous_view"})
"""They are views where the layout allows it, and copies where it does not."""


class Crossing(NamedTuple):
    """How many tensors a graph passes on, and the values, without their views, that it computes.

    `is_sure` says that no operator between decides by the layout whether it copies.
    """

    tensors: int
    stored: tuple[Node, ...]
    is_sure: bool


def crossing(graph: Graph) -> Crossing:
    """The tensors that a graph returns."""
    outputs = [node for node in graph.nodes if node.op == "output"]
    results = dict.fromkeys(index for node in outputs for index in node.inputs)
    tensors = [index for index in results if graph.nodes[index].value.dtype]
    roots = [_root(graph, index) for index in tensors]
    bases = dict.fromkeys(root for root, _ in roots)
    stored = [graph.nodes[root] for root in bases if graph.nodes[root].op not in _GIVEN]
    return Crossing(len(tensors), tuple(stored), all(sure for _, sure in roots))


def begins_before(item: Break, recording: Recording) -> bool:
    """Whether what is differentiated at a break may begin before the graph that ends there.

    That graph then has no operator, or an earlier break passes on to it what was computed. Of a
    gradient that Dynamo captures, the part from there on is missing, and nothing says so.
    """
    graph = item.graph_before
    if graph is None or not recording.graphs[graph].operators:
        return True
    led_to = {frame: one for one in recording.breaks for frame in (*one.resume_frames, *one.joins)}
    frame, seen = item.frame, set[int]()
    while frame in led_to and frame not in seen:
        seen.add(frame)
        before = led_to[frame].graph_before
        passed = () if before is None else crossing(recording.graphs[before]).stored
        if any(is_floating(node.value.dtype) for node in passed):
            return True
        frame = led_to[frame].frame
    return False


_GIVEN = frozenset({"placeholder", "get_attr"})


def _root(graph: Graph, index: int) -> tuple[int, bool]:
    """What a value is a view of in the end, itself if it is none; and whether that is sure."""
    is_sure = True
    while (node := graph.nodes[index]).inputs and _is_given_back(node):
        parent = node.inputs[0]
        if parent >= index:  # in a damaged file alone
            break
        is_part = not graph.nodes[parent].value.dtype  # of several results
        if is_part and kind_of(graph.nodes[parent].target) != "view":
            return index, is_sure
        is_sure = is_sure and operator_name(node.target) not in _MAY_COPY
        index = parent
    return index, is_sure


def _is_given_back(node: Node) -> bool:
    """Whether a node returns memory that it was given; `as_tensor` does, of one tensor alone."""
    is_same = operator_name(node.target) == "as_tensor" and "," not in node.arguments
    return is_same or kind_of(node.target) == "view"


def in_words(graph: Graph, title: str) -> str:
    """'2 tensors cross the break: graph 1 has to store them (1 kB).'; empty if none crosses."""
    count, stored, is_sure = crossing(graph)
    if not count:
        return ""
    cross = f"{plural(count, 'tensor')} {unit(count, 'crosses', 'cross')} the break"
    if not is_sure:
        return f"{cross}."
    if not stored:
        given = unit(count, "it is an input, or a view of one", "they are inputs, or views of them")
        return f"{cross}: {given}, so {title} stores nothing for that."
    sizes = [node.value.bytes for node in stored]
    known = f" ({size(sum(n for n in sizes if n))})" if None not in sizes else ""
    if len(stored) == count:
        return f"{cross}: {title} has to store {unit(count, 'it', 'them')}{known}."
    return f"{cross}: {title} has to store {plural(len(stored), 'tensor')} for that{known}."
