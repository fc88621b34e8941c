"""Graphs as a listing in columns and as a tree of modules for the diagram."""

from collections.abc import Sequence

from msgspec import Struct

from dynamo_lab.model.graphs import Graph, NodeTable
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.sizes import Sizes
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.values import layout_text, value_text
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.graphs.boxes import ModuleView, module_tree
from dynamo_lab.view.graphs.flops import Arithmetic, arithmetic
from dynamo_lab.view.graphs.kinds import by_kind
from dynamo_lab.view.graphs.repeats.repeats import RepeatView, repeats


class GraphView(Struct, frozen=True, kw_only=True):
    """A graph. Columns are parallel, with one entry per node in graph order.

    `op` ("placeholder", "call_function"...), `target` ("aten.add.Tensor") and `module` index
    `strings`; `value` indexes `values` (texts such as "f32[8, 8]"); `stack` indexes
    `LinksView.stacks`, -1 for none. `modules[0]` is the root box. `number` is the number of
    the captured graph that this one belongs to, from 1, or 0 where there is none.

    `bytes` and `layouts` are parallel to `values`: the size of a tensor, None where it is not
    known, and its memory layout where that is not contiguous. `kinds` says of strings that
    are targets what kind of work they do. `parent_node` calls this graph if it is a body.

    `flops` are the floating-point operations of the products that could be counted, None where
    none could; `arithmetic` says it in words, and how much of the graph is counted. `repeats` are
    the blocks of nodes that come several times, to be folded.
    """

    id: int
    number: int = 0
    title: str
    subtitle: str
    stage: str
    frame: int | None
    compile_id: str
    is_backward: bool
    operators: int
    strings: tuple[str, ...]
    values: tuple[str, ...]
    name: tuple[str, ...]
    op: tuple[int, ...]
    target: tuple[int, ...]
    arguments: tuple[str, ...]
    inputs: tuple[tuple[int, ...], ...]
    value: tuple[int, ...]
    stack: tuple[int, ...]
    module: tuple[int, ...]
    subgraphs: dict[int, tuple[int, ...]]
    modules: tuple[ModuleView, ...]
    parent: int | None = None
    parent_node: int | None = None
    bytes: tuple[int | None, ...] = ()
    layouts: tuple[str, ...] = ()
    kinds: dict[str, tuple[int, ...]] = {}
    flops: int | None = None
    arithmetic: str = ""
    repeats: tuple[RepeatView, ...] = ()


def build(recording: Recording) -> tuple[GraphView, ...]:
    """The graphs; their columns are shared with the recording."""
    names, titles = frame_names(recording), GraphTitles(recording)
    return tuple(
        _view(graph, names, titles, arithmetic(graph.nodes, Sizes(recording, graph.compile_id)))
        for graph in recording.graphs
    )


def _view(graph: Graph, names: Sequence[str], titles: GraphTitles, work: Arithmetic) -> GraphView:
    table = graph.nodes
    modules = module_tree(table)
    return GraphView(
        id=graph.id,
        number=titles.numbers[graph.id],
        title=titles.titles[graph.id],
        subtitle=_subtitle(graph, names),
        stage=graph.stage,
        frame=graph.frame,
        compile_id=graph.compile_id,
        is_backward=graph.is_backward,
        operators=graph.operators,
        strings=table.strings,
        values=tuple(value_text(value) for value in table.values),
        name=table.name,
        op=table.op,
        target=table.target,
        arguments=table.arguments,
        inputs=table.inputs,
        value=table.value,
        stack=table.stack,
        module=table.module,
        subgraphs=table.subgraphs,
        modules=modules,
        repeats=repeats(table, modules),
        parent=graph.parent,
        parent_node=graph.parent_node,
        bytes=tuple(value.bytes for value in table.values),
        layouts=tuple(layout_text(value) for value in table.values),
        kinds=by_kind((n, table.strings[n]) for n in _targets(table)),
        flops=work.flops,
        arithmetic=work.text,
    )


def _targets(table: NodeTable) -> list[int]:
    """The strings that are targets of nodes, not their kinds or modules."""
    calls = {n for n, op in enumerate(table.strings) if op.startswith("call_")}
    called = zip(table.op, table.target, strict=True)
    return sorted({target for op, target in called if op in calls})


def stage_word(graph: GraphView) -> str:
    """The graph's stage as one word, as queries name it: 'post_grad', 'post_grad_backward'."""
    is_marked = graph.is_backward and graph.stage != "backward"
    return f"{graph.stage}_backward" if is_marked else graph.stage


def _subtitle(graph: Graph, names: Sequence[str]) -> str:
    """What the title leaves out: titles of later stages name only the captured graph."""
    size = plural(graph.operators, "operator")
    is_captured = graph.stage == "dynamo" and graph.parent is None and graph.frame is not None
    return f"captured from {names[graph.frame or 0]}, {size}" if is_captured else size
