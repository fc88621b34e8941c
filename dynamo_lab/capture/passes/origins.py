"""Which recorded graph a pipeline of passes begins with, and which one it leaves."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.passes.snapshots import differences
from dynamo_lab.model.graphs import Graph, Stage
from dynamo_lab.model.passes import GraphChange, NodeText, Phase, Pipeline, State, begun

_STAGES: dict[Phase, tuple[Stage, ...]] = {
    "pre_grad": ("dynamo",),
    "joint": ("joint", "forward"),
    "layout": ("forward",),
    "freezing": ("forward",),
    "post_grad": ("forward",),
}
"""The stages whose graph may have gone into a phase."""

Texts = dict[str, tuple[NodeText, ...]]


def placed(
    recorder: Recorder, pipeline: Pipeline, texts: Texts
) -> tuple[Pipeline, tuple[GraphChange, ...]]:
    """The pipeline with what it begins with, and how the graph changed on the way from there.

    Where nothing recorded resembles the graph, that is all of it.
    """
    for origin in _origins(recorder, pipeline, tuple(texts)):
        state = begun(recorder, origin)
        if _resemble(state, texts):
            return origin, differences(state, texts)
    return pipeline, differences({}, texts)


def became(
    recorder: Recorder, pipeline: Pipeline, paths: Sequence[str], since: int
) -> dict[str, int]:
    """The graph that was recorded as what the pipeline left, `since` so many were recorded.

    That is done before and after gradients; what the other phases leave has no stage of its own.
    """
    if pipeline.phase not in ("pre_grad", "post_grad"):
        return {}
    for graph in reversed(recorder.graphs[since:]):
        is_of_it = graph.stage == pipeline.phase and graph.compile_id == pipeline.compile_id
        if is_of_it and graph.parent is None:
            return _members(recorder.graphs, graph, paths)
    return {}


def _origins(recorder: Recorder, pipeline: Pipeline, paths: Sequence[str]) -> Iterator[Pipeline]:
    """The pipeline with each thing that it may begin with, the likeliest first."""
    if pipeline.phase in ("layout", "freezing", "post_grad") and not pipeline.is_backward:
        for earlier in reversed(recorder.pipelines):
            if earlier.compile_id == pipeline.compile_id and _is_of_forward(recorder, earlier):
                yield replace(pipeline, follows=earlier.id)
                break
    stages = ("backward",) if pipeline.is_backward else _STAGES[pipeline.phase]
    for graph in reversed(recorder.graphs):
        is_root = graph.parent is None and graph.compile_id == pipeline.compile_id
        if is_root and graph.stage in stages:
            yield replace(pipeline, graphs=_members(recorder.graphs, graph, paths))
            break


def _is_of_forward(recorder: Recorder, pipeline: Pipeline) -> bool:
    """Whether it is of passes over the graph that is compiled for the forward, and no joint one."""
    if pipeline.phase not in ("joint", "layout", "freezing"):
        return False
    if pipeline.follows is not None:
        return _is_of_forward(recorder, recorder.pipelines[pipeline.follows])
    graph = pipeline.graphs.get("")
    return graph is not None and recorder.graphs[graph].stage == "forward"


def _members(graphs: Sequence[Graph], root: Graph, paths: Sequence[str]) -> dict[str, int]:
    """The graph and the bodies in it, which were recorded in the order that paths are in."""
    family = [root.id]
    for graph in graphs[root.id + 1 :]:
        if graph.parent not in family:
            break
        family.append(graph.id)
    return dict(zip(paths, family, strict=False)) if len(family) == len(paths) else {"": root.id}


def _resemble(state: State, texts: Texts) -> bool:
    before = {node.name for node in state.get("", ())}
    shared = sum(node.name in before for node in texts[""])
    return 2 * shared >= len(texts[""])
