"""What changed in a graph since the last look, found without copying or printing the graph.

FX replaces the arguments of a node as a whole, so two looks at a graph are compared by identity:
a thousand nodes in a fraction of a millisecond. Only what differs is written out as text.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from torch import fx

from dynamo_lab.capture.graphs.nodes import call_text, describe_value, target_text, traced_value
from dynamo_lab.model.passes import GraphChange, NodeText, Placed


class Seen(NamedTuple):
    """A node as it was when we looked.

    What it holds is compared by identity: sizes can be symbols, and asking whether two of those
    are equal would add a guard.
    """

    node: fx.Node
    name: str
    target: Any
    args: Any
    kwargs: Any
    value: Any

    def text(self) -> NodeText:
        """The node as it was, written out."""
        op = self.node.op
        return NodeText(
            self.name,
            op,
            target_text(self.target),
            "" if op == "placeholder" else call_text(self.args, self.kwargs),
            "" if op == "output" else describe_value(self.value),
        )


def seen(node: fx.Node) -> Seen:
    """A node as it is now."""
    return Seen(node, node.name, node.target, node._args, node._kwargs, traced_value(node))


class Snapshot(NamedTuple):
    """One graph when we looked: its nodes, and the names of the bodies that it calls."""

    nodes: list[Seen]
    bodies: list[str]


class Family:
    """A graph with the bodies of its higher-order operators, and how they were at the last look.

    Paths name the members: "" the graph itself, "body_0.body_1" a body in a body.
    """

    def __init__(self, module: fx.GraphModule) -> None:
        self.modules: dict[str, fx.GraphModule] = {"": module}
        """The member at each path; one that was put here stands for what the graph refers to."""
        self._own: dict[str, fx.GraphModule] = {"": module}
        self._seen: dict[str, Snapshot] = {}
        self.look()

    def path_of(self, module: Any) -> str | None:
        """Where a module stands in the family, None if it is not of it."""
        return next((path for path, member in self.modules.items() if member is module), None)

    def replace(self, path: str, module: fx.GraphModule) -> None:
        """From now on another module stands at this path."""
        self._own[path] = module
        self.modules[path] = module

    def texts(self) -> dict[str, tuple[NodeText, ...]]:
        """The family at the last look, written out."""
        return {path: tuple(s.text() for s in shot.nodes) for path, shot in self._seen.items()}

    def look(self) -> tuple[GraphChange, ...]:
        """What changed since the last look."""
        before, self._seen, self.modules = self._seen, {}, {}
        for path, module in self._walk(self._own[""], ""):
            self.modules[path] = module
            self._seen[path] = _looked_at(module.graph, before.get(path))
        changes: list[GraphChange] = []
        for path in [*before, *(path for path in self._seen if path not in before)]:
            old, new = before.get(path, _NOTHING), self._seen.get(path, _NOTHING)
            if old is not new and (change := _between(path, old.nodes, new.nodes)):
                changes.append(change)
        return tuple(changes)

    def _walk(self, module: fx.GraphModule, path: str) -> Iterator[tuple[str, fx.GraphModule]]:
        yield path, module
        for name in self._seen[path].bodies:
            at = f"{path}.{name}" if path else name
            body = self._own.get(at, getattr(module, name, None))
            if isinstance(body, fx.GraphModule):
                yield from self._walk(body, at)


_NOTHING = Snapshot([], [])


def _looked_at(graph: fx.Graph, before: Snapshot | None) -> Snapshot:
    """The graph as it is now; `before` itself where nothing changed."""
    if before is not None and _is_unchanged(graph, before.nodes):
        return before
    nodes = [seen(node) for node in graph.nodes]
    attributes = dict.fromkeys(s.target for s in nodes if s.node.op == "get_attr")
    return Snapshot(nodes, [name for name in attributes if "." not in name])


def _is_unchanged(graph: fx.Graph, before: list[Seen]) -> bool:
    nodes = graph.nodes
    if len(nodes) != len(before):
        return False
    for now, old in zip(nodes, before, strict=True):
        if not (
            now is old.node
            and now._args is old.args
            and now._kwargs is old.kwargs
            and now.target is old.target
            and traced_value(now) is old.value
            and now.name == old.name
        ):
            return False
    return True


def _between(path: str, before: list[Seen], after: list[Seen]) -> GraphChange | None:
    old = {s.name: s for s in before}
    names = {s.node: s.name for s in before}
    renamed = {s.node for s in after if names.get(s.node, s.name) != s.name}
    changed: list[NodeText] = []
    for now in after:
        was = old.get(now.name)
        if was is None or (_is_same(now, was) and renamed.isdisjoint(now.node.all_input_nodes)):
            continue
        text = now.text()
        if text != was.text() or not renamed.isdisjoint(now.node.all_input_nodes):
            changed.append(text)
    return change(
        path,
        [s.name for s in before],
        [s.name for s in after],
        changed,
        lambda position: after[position].text(),
    )


def _is_same(now: Seen, was: Seen) -> bool:
    return all(a is b for a, b in zip(now[2:], was[2:], strict=True))


def differences(
    before: Mapping[str, Sequence[NodeText]], after: Mapping[str, Sequence[NodeText]]
) -> tuple[GraphChange, ...]:
    """What makes one written-out family of another."""
    found: list[GraphChange] = []
    for path in [*before, *(path for path in after if path not in before)]:
        old, new = before.get(path, ()), after.get(path, ())
        was = {node.name: node for node in old}
        made = change(
            path,
            [node.name for node in old],
            [node.name for node in new],
            [node for node in new if was.get(node.name, node) != node],
            new.__getitem__,
        )
        if made:
            found.append(made)
    return tuple(found)


def change(
    path: str,
    before: Sequence[str],
    after: Sequence[str],
    changed: Sequence[NodeText],
    text: Callable[[int], NodeText],
) -> GraphChange | None:
    """The change from some nodes to others; `text` writes out the node at a position after it."""
    was = {name: position for position, name in enumerate(before)}
    stays = set(after)
    made = GraphChange(
        body=path,
        removed=tuple(name for name in before if name not in stays),
        added=tuple(Placed(i, text(i)) for i, name in enumerate(after) if name not in was),
        changed=tuple(changed),
        moved=tuple(_moved([(i, was[name], name) for i, name in enumerate(after) if name in was])),
    )
    return made if made != GraphChange(body=path) else None


def _moved(stayed: list[tuple[int, int, str]]) -> Iterator[tuple[int, str]]:
    """The fewest nodes to move, given (position now, position before, name) in the order now."""
    tails: list[int] = []  # the last position before, of the best rising run of each length
    lengths: list[int] = []
    for _, before, _ in stayed:
        length = bisect_left(tails, before)
        tails[length : length + 1] = [before]
        lengths.append(length)
    if len(tails) == len(stayed):
        return
    wanted, kept = len(tails) - 1, set[int]()
    for index in range(len(stayed) - 1, -1, -1):
        if lengths[index] == wanted:
            kept.add(index)
            wanted -= 1
    yield from ((now, name) for i, (now, _, name) in enumerate(stayed) if i not in kept)
