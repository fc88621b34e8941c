"""The diffs of passes: what was removed, what was added, what a pattern matched and inserted."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from dynamo_lab.model.passes import GraphChange, Match, NodeText, Pass, Pipeline
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.words import listed

_CONTEXT = 2  # nodes shown around a change
_NAMED = 4  # nodes named in a sentence


class DiffLine(Struct, frozen=True, array_like=True):
    """A node in a diff. `sign` is "-", "+" or " "; `note` is "moved", "changed" or empty.

    `entity` names the node in a recorded graph, if it is in one. `match` is the index of the
    match that removed or added it, -1 for none.
    """

    sign: str
    name: str
    op: str
    target: str
    arguments: str
    value: str
    entity: str = ""
    note: str = ""
    match: int = -1


class Hunk(Struct, frozen=True, kw_only=True):
    """Lines that belong together, after `skipped` unchanged nodes."""

    body: str = ""
    skipped: int = 0
    lines: tuple[DiffLine, ...] = ()


class MatchView(Struct, frozen=True, kw_only=True):
    """One match of a pattern, as a separate diff."""

    pattern: int
    summary: str
    lines: tuple[DiffLine, ...] = ()


class Names:
    """The nodes of the recorded graphs around a pipeline, by name, as they are at a pass."""

    def __init__(self, recording: Recording, pipeline: Pipeline) -> None:
        first = pipeline
        while first.follows is not None:
            first = recording.pipelines[first.follows]
        self._before = self._index(recording, first.graphs)
        self._after = self._index(recording, pipeline.became)
        self._gone: Mapping[str, str] = {}
        self._origins: Mapping[str, str] = {}

    def _index(self, recording: Recording, ids: Mapping[str, int]) -> dict[tuple[str, str], str]:
        return {
            (body, name): f"node:{graph}:{index}"
            for body, graph in ids.items()
            for index, name in enumerate(recording.graphs[graph].nodes.name)
        }

    def advance(self, item: Pass) -> None:
        """Go to the next pass: a name may stand for another node after it than before."""
        self._gone, self._origins = self._origins, {**self._origins, **item.origins}

    def entity(self, body: str, name: str, sign: str) -> str:
        """The node of this name; a removed one is looked up in the graph before the passes."""
        first, second = (self._before, self._after) if sign == "-" else (self._after, self._before)
        origins = self._gone if sign == "-" else self._origins
        at = body, origins.get(name, name)
        return first.get(at) or second.get(at, "")


def match_view(match: Match, names: Names) -> MatchView:
    """A match: the nodes that it found, and those that replaced them."""
    gone, after = set(match.gone), {node.name for node in match.after}
    lines = [
        _line("-" if n.name in gone or n.name in after else " ", n, match.body, names)
        for n in match.before
    ]
    lines += [_line("+", node, match.body, names) for node in match.after]
    found = listed([node.name for node in match.before], _NAMED)
    made = listed([node.name for node in match.after], _NAMED)
    return MatchView(
        pattern=match.pattern,
        summary=f"{found} → {made}" if made else f"{found}: removed, or bypassed",
        lines=tuple(lines),
    )


def _line(
    sign: str, node: NodeText, body: str, names: Names, note: str = "", match: int = -1
) -> DiffLine:
    return DiffLine(
        sign,
        node.name,
        node.op,
        node.target,
        node.arguments,
        node.value,
        names.entity(body, node.name, sign),
        note,
        match,
    )


def hunks(
    change: GraphChange,
    before: Sequence[NodeText],
    after: Sequence[NodeText],
    names: Names,
    item: Pass,
) -> Iterator[Hunk]:
    """The change as a unified diff: only the differences, with a few nodes around them."""
    lines = list(_unified(change, before, after, names, _by_match(item, change.body)))
    near = [False] * len(lines)
    for at, line in enumerate(lines):
        if line.sign != " ":
            first, last = max(0, at - _CONTEXT), min(len(lines), at + _CONTEXT + 1)
            near[first:last] = [True] * (last - first)
    start = skipped = 0
    while start < len(lines):
        end = start
        while end < len(lines) and near[end] == near[start]:
            end += 1
        if near[start]:
            yield Hunk(body=change.body, skipped=skipped, lines=tuple(lines[start:end]))
        skipped = 0 if near[start] else end - start
        start = end


def _by_match(item: Pass, body: str) -> dict[str, int]:
    """Which match removed or added a node: the last one, if several."""
    return {
        name: index
        for index, match in enumerate(item.matches)
        if match.body == body
        for name in (*match.gone, *(node.name for node in match.after))
    }


def _unified(
    change: GraphChange,
    before: Sequence[NodeText],
    after: Sequence[NodeText],
    names: Names,
    by_match: Mapping[str, int],
) -> Iterator[DiffLine]:
    moved = {name for _, name in change.moved}
    changed = {node.name for node in change.changed}
    leaves = {*change.removed, *moved}
    comes = {*(placed.node.name for placed in change.added), *moved}
    at = 0

    def line(sign: str, node: NodeText) -> DiffLine:
        is_changed = node.name in changed
        note = "moved" if node.name in moved else "changed" if is_changed and sign != " " else ""
        match = by_match.get(node.name, -1) if sign != " " else -1
        return _line(sign, node, change.body, names, note, match)

    for node in after:
        while at < len(before) and before[at].name in leaves:
            yield line("-", before[at])
            at += 1
        if node.name in comes:
            yield line("+", node)
            continue
        if node.name in changed and at < len(before):
            yield line("-", before[at])
        yield line("+" if node.name in changed else " ", node)
        at += 1
    for node in before[at:]:
        yield line("-", node)
