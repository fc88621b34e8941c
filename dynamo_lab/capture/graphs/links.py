"""Links between graphs, from the origins that FX keeps on nodes and from names that survive."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from torch import fx

from dynamo_lab.capture.graphs.families import Families
from dynamo_lab.capture.graphs.replaced import Meta, meta_of, sources_of
from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.graphs import Graph, Stage

Place = tuple[int, int]
"""A node: its graph's id and its index there."""

_MADE_FROM: dict[Stage, tuple[Stage, ...]] = {
    "pre_grad": ("dynamo",),
    "joint": ("pre_grad", "dynamo"),
    "forward": ("joint", "pre_grad", "dynamo"),
    "backward": ("joint",),
    "post_grad": ("forward", "backward"),
}
"""For each stage, the stages that its graph may have been made from, the nearest first."""

_TRACED: tuple[Stage, ...] = ("pre_grad", "dynamo")
"""Graphs that AOTAutograd traces again, so that names change; after that they survive."""


class _Traced(NamedTuple):
    """The nodes that AOTAutograd traced: the bodies of higher-order operators by FX's identity.

    It traces through some of them, whose nodes are then in the graph around them. Bodies have
    names in common, with each other and with that graph.
    """

    names: dict[str, Place]
    bodies: dict[int, dict[str, Place]]
    metas: Mapping[str, Meta]


def link_to_origins(
    families: Families,
    family: Sequence[tuple[Graph, fx.Graph]],
    replaced: Mapping[str, tuple[str, ...]],
    metas: Mapping[str, Meta],
) -> list[LinkTable]:
    """The links into a graph and the bodies of its higher-order operators: its `family`.

    `replaced` has, of nodes that passes made, the names of those that they stand for, `metas`
    what those are of that do not tell it. `families` are the ones recorded before.
    """
    root = family[0][0]
    origin = next(_origins(families, root, _MADE_FROM.get(root.stage, ())), None)
    if origin is None:
        return []
    origin_of = next(_origins(families, root, _TRACED), origin)
    bodies = {id(of): _names(graph) for of, graph in families.living_bodies(origin_of)}
    tables: dict[tuple[int, int, str], list[tuple[int, int]]] = defaultdict(list)
    for graph, fx_graph in family:
        in_body = graph is not root
        before = families.recorded.get(fx_graph) if in_body else None  # changed in place by passes
        names = _names(before) if before else _places(families, origin, in_body=in_body)
        traced = _Traced(_places(families, origin_of, in_body=in_body), bodies, metas)
        inputs = [] if graph is not root else _inputs(origin_of)
        keeps_names = root.stage == "pre_grad" or origin.stage not in _TRACED
        nodes = list(fx_graph.nodes)
        differentiated = _differentiated(nodes, traced) if root.stage == "joint" else {}
        kept = names if keeps_names else {}
        stands_for = _stands_for(replaced, kept) if graph is root else {}
        for index, reason, places in _links(
            nodes, kept, traced, inputs, differentiated, stands_for
        ):
            for upstream, node in places:
                tables[upstream, graph.id, reason].append((node, index))
    return [
        LinkTable(upstream=up, downstream=down, reason=reason, pairs=tuple(pairs))
        for (up, down, reason), pairs in tables.items()
    ]


def _origins(families: Families, graph: Graph, stages: Sequence[Stage]) -> Iterator[Graph]:
    for stage in stages:
        is_backward = graph.is_backward and stage in ("forward", "backward")
        if (found := families.latest(graph, stage, is_backward=is_backward)) is not None:
            yield found


def _places(families: Families, origin: Graph, *, in_body: bool) -> dict[str, Place]:
    """Where each name stands in a graph, or in the bodies of its higher-order operators."""
    members = families.bodies(origin) if in_body else [origin]
    return {name: place for g in reversed(members) for name, place in _names(g).items()}


def _names(graph: Graph) -> dict[str, Place]:
    return {name: (graph.id, index) for index, name in enumerate(graph.nodes.name)}


def _inputs(graph: Graph) -> list[Place]:
    """The inputs of a graph, in order."""
    strings = graph.nodes.strings
    return [(graph.id, i) for i, op in enumerate(graph.nodes.op) if strings[op] == "placeholder"]


def _links(
    nodes: list[fx.Node],
    names: dict[str, Place],
    traced: _Traced,
    inputs: list[Place],
    differentiated: dict[fx.Node, list[Place]],
    stands_for: Mapping[str, list[Place]],
) -> Iterator[tuple[int, str, list[Place]]]:
    """For each node its best known origin.

    That is itself under the same name, else the input that it stands for, else what a pass put it
    in place of, else what it was traced from, else the forward operator that it is the gradient
    of, else what it was rewritten for.
    """
    found: dict[fx.Node, list[Place]] = {}
    for index, node in reversed(list(enumerate(nodes))):
        if node.name in names:
            yield index, "same node", [names[node.name]]
            continue
        if (number := _input_number(node)) is not None and number < len(inputs):
            yield index, "same input", [inputs[number]]
            continue
        places, reason = stands_for.get(node.name, []), "in place of"
        if not places:
            places, reason = _traced_from(node, traced), "traced from"
        if not places and node in differentiated:
            places, reason = differentiated[node], "gradient of"
        elif not places and node.op.startswith("call"):
            # a pass put it there without a word on its origin: it serves what reads it
            places = list(dict.fromkeys(p for user in node.users for p in found.get(user, ())))[:4]
            reason = "rewritten for"
        found[node] = places
        if places:
            yield index, reason, places


def _stands_for(
    replaced: Mapping[str, tuple[str, ...]], names: Mapping[str, Place]
) -> dict[str, list[Place]]:
    """Where the nodes are that each was put in place of; some of those were made so themselves."""

    def places(name: str, seen: set[str]) -> Iterator[Place]:
        if name in names:
            yield names[name]
        elif name not in seen:
            seen.add(name)
            for one in replaced.get(name, ()):
                yield from places(one, seen)

    return {made: list(dict.fromkeys(places(made, set()))) for made in replaced}


def _traced_from(node: fx.Node, traced: _Traced) -> list[Place]:
    sources = sources_of(meta_of(node, traced.metas))
    known = ((traced.bodies.get(graph, traced.names), name) for graph, name in sources)
    return [names[name] for names, name in known if name in names]


def _input_number(node: fx.Node) -> int | None:
    """Which of the traced function's inputs a placeholder stands for, from AOTAutograd's note."""
    about: Any = node.meta.get("desc") if node.op == "placeholder" else None
    return about.idx if type(about).__name__ == "PlainAOTInput" else None


def _differentiated(nodes: list[fx.Node], traced: _Traced) -> dict[fx.Node, list[Place]]:
    """For each node of a joint graph's backward what it is the gradient of, if that is known.

    Autograd numbers operators as it meets them, and their gradients carry the same number. An
    operator without a gradient has the number of the one before it: only the first is meant.
    https://github.com/pytorch/pytorch/blob/v2.13.0/torch/_functorch/_aot_autograd/utils.py#L584
    """
    calls = [node for node in nodes if node.op == "call_function"]
    first: dict[Any, fx.Node] = {}
    after = of_backward(nodes)
    for node in calls:
        if node not in after:
            first.setdefault(node.meta.get("seq_nr"), node)
    first.pop(None, None)  # what AOTAutograd itself creates has no number

    def meant(node: fx.Node) -> list[Place]:
        operator = None if is_sum_of_gradients(node) else first.get(node.meta.get("seq_nr"))
        return [] if operator is None else _traced_from(operator, traced)

    return {node: meant(node) for node in calls if is_backward(node)}


def of_backward(nodes: Iterable[fx.Node]) -> set[fx.Node]:
    """The nodes of a joint graph that compute gradients, or with them.

    What a `torch.autograd.Function` computes in its backward has no mark, and reads gradients.
    """
    found: set[fx.Node] = set()
    for node in nodes:
        is_given = node.op == "placeholder" and node.name.startswith("tangents")
        if is_given or is_backward(node) or not found.isdisjoint(node.all_input_nodes):
            found.add(node)
    return {node for node in found if node.op == "call_function"}


def is_backward(node: fx.Node) -> bool:
    """Whether autograd marked a node of a joint graph as one of an operator's gradient."""
    return node.meta.get("partitioner_tag") == "is_backward"


def is_sum_of_gradients(node: fx.Node) -> bool:
    """Whether autograd adds up what comes back from several users: its number is a neighbour's."""
    return bool(node.meta.get("is_gradient_acc"))


def origin_names(node: fx.Node) -> Iterator[str]:
    """The names of the nodes that this one was made from, the nearest first."""
    return (name for _, name in sources_of(node.meta))
