"""Passes: each rewrite of a graph before code is generated for it, as a diff of its nodes.

They are Inductor's, and those of a training step that is planned ahead of time ("training").

The diffs compose: those of a pipeline, applied in order to its first graph, give its last
graph. `apply` does that.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Annotated, Literal, Protocol

from msgspec import Struct

from dynamo_lab.model.core.references import Id, Ref
from dynamo_lab.model.graphs import Graph, Node

Phase = Literal["pre_grad", "joint", "layout", "freezing", "post_grad", "training"]

PassKind = Literal["pass", "step", "between"]
"""A "pass" is what PyTorch calls one, a "step" other code of the phase that changed the graph, and
"between" is a change before, between or after those, by code without a name."""

PatternKind = Literal["replacement", "graph", "lowering", "fusion"]
"""What a match does: replace it by a traced function, call a handler on the graph, pass the
nodes to a handler that generates code later, or fuse several nodes into one."""


HOOKS = ("pre_grad_custom_pass", "joint_custom_", "post_grad_custom_")
"""The prefix of PyTorch's names for passes in its hooks."""


class NodeText(Struct, frozen=True, array_like=True):
    """A node at one moment of its life. `value` is what it produces: "f32[8, 8]".

    The output has none: passes sometimes give it one, but it means nothing.
    """

    name: str
    op: str
    target: str
    arguments: str
    value: str = ""


class Placed(Struct, frozen=True, array_like=True):
    """A node and its position in the graph after the change."""

    position: int
    node: NodeText


class GraphChange(Struct, frozen=True, kw_only=True):
    """One pass's effect on one graph: `body` is "", or the path of a higher-order operator's body.

    `removed` are names. `added` and `moved` give the positions after the change. `changed` are
    nodes that kept their name and now have other arguments, another operator or another value.
    """

    body: str = ""
    removed: tuple[str, ...] = ()
    added: tuple[Placed, ...] = ()
    changed: tuple[NodeText, ...] = ()
    moved: tuple[tuple[int, str], ...] = ()


class Pattern(Struct, frozen=True, kw_only=True):
    """What is searched for in a graph, and what happens where it is found.

    `source` is the function that was traced to find it, or the handler; `replacement` the function
    that replaces it; `expression` the pattern as PyTorch prints it. `place` names the file
    and line of `source`; `span` is set if that is the user's own code.
    """

    name: str
    kind: PatternKind
    description: str = ""
    place: str = ""
    span: Annotated[int | None, Ref("spans")] = None
    source: str = ""
    replacement: str = ""
    expression: str = ""


class Match(Struct, frozen=True, kw_only=True):
    """A pattern that was found: the nodes `before`, and those that replaced them `after`.

    `before` lists the matched nodes as they were; `gone` says which of them were removed.
    """

    pattern: Annotated[int, Ref("patterns")]
    body: str = ""
    before: tuple[NodeText, ...] = ()
    after: tuple[NodeText, ...] = ()
    gone: tuple[str, ...] = ()


class Pass(Struct, frozen=True, kw_only=True):
    """One pass over a graph. `id` is its position in `Recording.passes`, which is their order.

    `name` and `subsystem` are PyTorch's, `function` the name of what ran. A pass in one of
    Inductor's hooks has its function's name, and `hook` is PyTorch's for that place.
    `parent` is the pass that this one ran inside of; `changes` are then its own and not its
    parent's. `body` is the path of the body of a higher-order operator that it ran on. PyTorch's
    own timings list what is `timed`. A handler may examine a match and leave it unchanged:
    `left_alone` says for which pattern, and how often. `origins` has, of nodes that it added, the
    node of the pipeline's first graph that each was made of ("" for none), where that was noted.
    """

    id: Id
    pipeline: Annotated[int, Ref("pipelines")]
    name: str
    kind: PassKind = "pass"
    subsystem: str = ""
    function: str = ""
    hook: str = ""
    description: str = ""
    place: str = ""
    span: Annotated[int | None, Ref("spans")] = None
    parent: Annotated[int | None, Ref("passes")] = None
    body: str = ""
    start: float = 0.0
    seconds: float = 0.0
    timed: bool = False
    disabled: bool = False
    error: str = ""
    changes: tuple[GraphChange, ...] = ()
    matches: tuple[Match, ...] = ()
    left_alone: dict[Annotated[int, Ref("patterns")], int] = {}
    origins: dict[str, str] = {}

    @property
    def timer(self) -> str:
        """Its name in PyTorch's own timings; empty if they omit it."""
        if not self.timed or self.disabled:
            return ""
        return ".".join(part for part in ("pass", self.subsystem, self.hook or self.name) if part)


class Pipeline(Struct, frozen=True, kw_only=True):
    """The passes over one graph in one phase, in `Recording.passes` from `first` up to `end`.

    It started with a recorded graph, `graphs`, or with the last graph of the pipeline `follows`;
    with neither its first pass adds every node. `became` is its last graph, if it was recorded.
    Both map the path of each body, "" for the graph itself, to a graph's id.
    """

    id: Id
    phase: Phase
    compile_id: str
    frame: Annotated[int | None, Ref("frames")] = None
    is_backward: bool = False
    follows: Annotated[int | None, Ref("pipelines")] = None
    graphs: dict[str, Annotated[int, Ref("graphs")]] = {}
    became: dict[str, Annotated[int, Ref("graphs")]] = {}
    first: int = 0
    end: int = 0
    start: float = 0.0
    seconds: float = 0.0
    error: str = ""


State = Mapping[str, tuple[NodeText, ...]]
"""A graph and the bodies in it at one moment: the nodes in order, by the path of each body."""


def apply(state: State, changes: Iterable[GraphChange]) -> dict[str, tuple[NodeText, ...]]:
    """A graph after the changes. A body without nodes is omitted."""
    after = dict(state)
    for change in changes:
        after[change.body] = _applied(after.get(change.body, ()), change)
    return {body: nodes for body, nodes in after.items() if nodes or not body}


def _applied(nodes: tuple[NodeText, ...], change: GraphChange) -> tuple[NodeText, ...]:
    now = {node.name: node for node in nodes}
    now.update((node.name, node) for node in change.changed)
    moved = {name for _, name in change.moved}
    left = {*change.removed, *moved}
    made = [now[node.name] for node in nodes if node.name not in left]
    placed = [(item.position, item.node) for item in change.added]
    placed += [(position, now[name]) for position, name in change.moved if name in now]
    for position, node in sorted(placed, key=lambda item: item[0]):
        made.insert(min(position, len(made)), node)  # damaged files have any number
    return tuple(made)


class Tables(Protocol):
    """An owner of graphs and the passes over them: a recording, or what is being recorded."""

    @property
    def graphs(self) -> Sequence[Graph]:
        """The recorded graphs."""
        ...

    @property
    def pipelines(self) -> Sequence[Pipeline]:
        """The phases of passes."""
        ...

    @property
    def passes(self) -> Sequence[Pass]:
        """The passes in them."""
        ...


def state_of(graphs: Sequence[Graph], ids: Mapping[str, int]) -> dict[str, tuple[NodeText, ...]]:
    """Recorded graphs as a state; `ids` says which, by the path of each body."""
    return {body: tuple(map(_text, graphs[at].nodes)) for body, at in ids.items()}


def _text(node: Node) -> NodeText:
    value = "" if node.op == "output" else node.value.text
    return NodeText(node.name, node.op, node.target, node.arguments, value)


def begun(tables: Tables, pipeline: Pipeline) -> dict[str, tuple[NodeText, ...]]:
    """The first graph of a pipeline."""
    if pipeline.follows is None:
        return state_of(tables.graphs, pipeline.graphs)
    return left(tables, tables.pipelines[pipeline.follows])


def left(tables: Tables, pipeline: Pipeline) -> dict[str, tuple[NodeText, ...]]:
    """The last graph of a pipeline."""
    state: State = begun(tables, pipeline)
    for item in tables.passes[pipeline.first : pipeline.end]:
        state = apply(state, item.changes)
    return dict(state)


def problems(tables: Tables) -> Iterator[str]:
    """A sentence for what could not be applied in order: it refers to something later or absent."""
    end = 0
    for pipeline in tables.pipelines:
        place = f"pipelines[{pipeline.id}]"
        if pipeline.follows is not None and pipeline.follows >= pipeline.id:
            yield f"{place} follows {pipeline.follows}, which is none before it"
        if not end <= pipeline.first <= pipeline.end <= len(tables.passes):
            yield f"{place} has the passes {pipeline.first} to {pipeline.end}"
        end = pipeline.end
    for item in tables.passes:
        place = f"passes[{item.id}]"
        if item.parent is not None and item.parent >= item.id:
            yield f"{place} ran inside of {item.parent}, which is none before it"
        lowest = min(map(_lowest, item.changes), default=0)
        if lowest < 0:
            yield f"{place} puts a node at {lowest}"


def _lowest(change: GraphChange) -> int:
    moved = (position for position, _ in change.moved)
    return min(chain(moved, (placed.position for placed in change.added)), default=0)
