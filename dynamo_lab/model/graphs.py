"""FX graphs at each stage, their nodes held in columns so that large ones stay small."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Id, Parallel, Plain, Ref, circle

Stage = Literal[
    "dynamo",
    "pre_grad",
    "joint",
    "forward",
    "backward",
    "post_grad",
    "lowered",
    "scheduled",
    "code",
    "restarted",
    "unknown",
]
"""A "restarted" graph was captured by an analysis that Dynamo began anew: its code never runs."""


class Value(Struct, frozen=True):
    """What a node produces. `shape` and `stride` hold sizes as text, symbols included ("s0").

    `bytes` is the storage a dense tensor of this shape takes, None if a size is symbolic.
    For tuples and scalars only `text` is set.
    """

    text: str = ""
    dtype: str = ""
    shape: tuple[str, ...] = ()
    stride: tuple[str, ...] = ()
    device: str = ""
    bytes: int | None = None


class Node(Struct, frozen=True, kw_only=True):
    """One node of an FX graph, as read from a NodeTable.

    `inputs` are the indices of the nodes it reads, `stack` an index into `Recording.stacks`,
    `subgraphs` the graphs that a higher-order operator calls. `bucketed` are the stacks of several
    collectives that Inductor put together to this one node. `source` is what an
    input of a captured graph is, as written in code ("net.0.weight"), empty where not known.
    """

    index: int
    name: str
    op: str
    target: str
    arguments: str
    inputs: Annotated[tuple[int, ...], Ref("Graph.nodes")]
    value: Value
    stack: Annotated[int | None, Ref("stacks")]
    module: str
    subgraphs: Annotated[tuple[int, ...], Ref("graphs")]
    bucketed: Annotated[tuple[int, ...], Ref("stacks")] = ()
    source: str = ""


_ALONGSIDE = Parallel("Graph.nodes")


class NodeTable(Struct, frozen=True, kw_only=True):
    """The nodes of a graph as columns; `strings` and `values` are pools that columns index.

    `stack` is -1 if PyTorch kept no stack, `module` indexes `strings`. `module_types` names the
    class of each module path ("encoder.0": "LayerNorm"). `sources` are of inputs.
    """

    strings: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()
    name: tuple[str, ...] = ()
    op: Annotated[tuple[int, ...], Ref("NodeTable.strings"), _ALONGSIDE] = ()
    target: Annotated[tuple[int, ...], Ref("NodeTable.strings"), _ALONGSIDE] = ()
    arguments: Annotated[tuple[str, ...], _ALONGSIDE] = ()
    inputs: Annotated[tuple[tuple[int, ...], ...], Ref("Graph.nodes"), _ALONGSIDE] = ()
    value: Annotated[tuple[int, ...], Ref("NodeTable.values"), _ALONGSIDE] = ()
    stack: Annotated[tuple[int, ...], Ref("stacks", or_none=True), _ALONGSIDE] = ()
    module: Annotated[tuple[int, ...], Ref("NodeTable.strings"), _ALONGSIDE] = ()
    subgraphs: dict[
        Annotated[int, Ref("Graph.nodes")], Annotated[tuple[int, ...], Ref("graphs")]
    ] = {}
    bucketed: dict[
        Annotated[int, Ref("Graph.nodes")], Annotated[tuple[int, ...], Ref("stacks")]
    ] = {}
    sources: dict[Annotated[int, Ref("Graph.nodes")], str] = {}
    module_types: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self.name)

    def __iter__(self) -> Iterator[Node]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int) -> Node:
        stack = self.stack[index]
        return Node(
            index=index,
            name=self.name[index],
            op=self.strings[self.op[index]],
            target=self.strings[self.target[index]],
            arguments=self.arguments[index],
            inputs=self.inputs[index],
            value=self.values[self.value[index]],
            stack=None if stack < 0 else stack,
            module=self.strings[self.module[index]],
            subgraphs=self.subgraphs.get(index, ()),
            bucketed=self.bucketed.get(index, ()),
            source=self.sources.get(index, ""),
        )


class Graph(Struct, frozen=True, kw_only=True):
    """An FX graph at a stage.

    `parent` and `parent_node` locate the body of a higher-order operator. `part` numbers from 1
    the parts into which DDP splits a captured graph, 0 for others. `traced` are the seconds that
    Dynamo took to come to each node, from the node before; of captured graphs alone.

    `expressions` are the stack of each node once more, of captured graphs alone, as spans with
    columns: the call or operator that it was made for, and the calls that led there. -1 where only
    the line is known. It is empty where that is so for all nodes.
    """

    id: Id
    stage: Stage
    name: str
    compile_id: str
    frame: Annotated[int | None, Ref("frames")] = None
    is_backward: bool = False
    nodes: NodeTable
    parent: Annotated[int | None, Ref("graphs")] = None
    parent_node: Annotated[int | None, Ref("graphs[parent].nodes")] = None
    part: Annotated[int, Plain("numbers the parts of an attempt")] = 0
    traced: tuple[float, ...] = ()
    expressions: Annotated[tuple[int, ...], Ref("stacks", or_none=True)] = ()

    @property
    def operators(self) -> int:
        """How many nodes compute something: not inputs, attributes or the output."""
        strings = self.nodes.strings
        return sum(strings[op].startswith("call_") for op in self.nodes.op)


def problems(graphs: Sequence[Graph]) -> Iterator[str]:
    """A sentence if graphs contain or call each other in a circle, or columns are not of nodes."""
    for graph in graphs:
        for name in ("traced", "expressions"):
            column = getattr(graph, name)
            if column and len(column) != len(graph.nodes):
                yield f"graphs[{graph.id}].{name} are not as many as its nodes"
    parents = [() if graph.parent is None else (graph.parent,) for graph in graphs]
    called = [tuple(chain.from_iterable(graph.nodes.subgraphs.values())) for graph in graphs]
    yield from circle("graphs lie in", parents)
    yield from circle("graphs call", called)
