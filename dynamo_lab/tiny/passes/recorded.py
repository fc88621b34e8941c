"""The passes of a plan as a recording has them: a pipeline, and each pass with its diff."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec import structs

from dynamo_lab.capture.passes.snapshots import change, seen
from dynamo_lab.model.passes import NodeText, Pass, Pipeline
from dynamo_lab.view.core.words import first_up

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dynamo_lab.model.passes import GraphChange
    from dynamo_lab.tiny.arena import Arena
    from dynamo_lab.tiny.graph import Node, StepGraph
    from dynamo_lab.tiny.passes.pipeline import Applied
    from dynamo_lab.tiny.work import Work


def recorded(ran: Sequence[Applied], work: Work, place: Arena) -> tuple[Pipeline, tuple[Pass, ...]]:
    """Passes over the joint graph, which is a recording's first graph, as its first pipeline.

    Args:
        ran: The passes in their order.
        work: The operations and storages of the last graph.
        place: Where the storages are; the last pass writes it beside each value.
    """
    pipeline = Pipeline(
        id=0,
        phase="training",
        compile_id="",
        graphs={"": 0},
        end=len(ran),
        seconds=sum(one.seconds for one in ran),
    )
    return pipeline, tuple(_passes(ran, _places(work, place)))


def _passes(ran: Sequence[Applied], places: Mapping[str, Sequence[int]]) -> Iterator[Pass]:
    start = 0.0
    for number, one in enumerate(ran):
        added = _added(one.before, one.after)
        diff = _change(one, added, places if one is ran[-1] else {})
        yield Pass(
            id=number,
            pipeline=0,
            name=one.name,
            description=f"{first_up(one.sentence)}.",
            start=start,
            seconds=one.seconds,
            changes=() if diff is None else (diff,),
            left_alone={},
            origins={node.name: node.meta.get("joint", "") for node in added},
        )
        start += one.seconds


def _added(before: StepGraph, after: StepGraph) -> list[Node]:
    """The nodes that were not there before.

    A pass that writes a graph of its own may give a new node the name of another that is gone:
    what it was made of tells them apart.
    """
    return [
        node
        for node in after.graph.nodes
        if node.name not in before.nodes or _origin(node) != _origin(before.nodes[node.name])
    ]


def _origin(node: Node) -> str:
    """The joint graph's node that it was made of; a placeholder that came later is its own."""
    return node.meta.get("joint", node.name)


def _change(
    one: Applied, added: Sequence[Node], places: Mapping[str, Sequence[int]]
) -> GraphChange | None:
    new = {node.name for node in added}
    old = {node.name: _text(node, {}) for node in one.before.graph.nodes}
    texts = [_text(node, places) for node in one.after.graph.nodes]
    return change(
        "",
        list(old),
        # `change` takes nodes of one name for one node: an addition is none that was there.
        [f"{text.name}'" if text.name in new else text.name for text in texts],
        [text for text in texts if text.name not in new and text != old[text.name]],
        texts.__getitem__,
    )


def _text(node: Node, places: Mapping[str, Sequence[int]]) -> NodeText:
    text = seen(node).text()
    at = ", ".join(f"{offset:,}" for offset in places.get(node.name, ()))
    return structs.replace(text, value=f"{text.value} at {at}".lstrip()) if at else text


def _places(work: Work, place: Arena) -> Mapping[str, Sequence[int]]:
    """By node the offsets of what it makes, in bytes."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for storage, offset in sorted(place.offsets.items()):
        found[work.storages[storage].name.partition(".")[0]].append(offset)
    return found
