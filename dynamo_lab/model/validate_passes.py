"""Whether passes refer to what there is, so that views can apply one after the other."""

from collections.abc import Iterable, Iterator

from dynamo_lab.model.core.references import outside
from dynamo_lab.model.passes import Pass, Pipeline
from dynamo_lab.model.recording import Recording


def problems(recording: Recording) -> Iterator[str]:
    """Each reference of a pipeline or a pass that does not hold, as a phrase that names it."""
    end = 0
    for pipeline in recording.pipelines:
        yield from _pipeline(recording, pipeline)
        if not end <= pipeline.first <= pipeline.end <= len(recording.passes):
            yield f"pipelines[{pipeline.id}] has the passes {pipeline.first} to {pipeline.end}"
        end = pipeline.end
    for item in recording.passes:
        yield from _pass(recording, item)


def _pipeline(recording: Recording, pipeline: Pipeline) -> Iterator[str]:
    place = f"pipelines[{pipeline.id}]"
    if pipeline.follows is not None and not 0 <= pipeline.follows < pipeline.id:
        yield f"{place} follows {pipeline.follows}, which is none before it"
    for field in ("graphs", "became"):
        ids: Iterable[int] = getattr(pipeline, field).values()
        yield from outside(f"{place}.{field}", ids, len(recording.graphs), "graphs")


def _pass(recording: Recording, item: Pass) -> Iterator[str]:
    place, patterns = f"passes[{item.id}]", len(recording.patterns)
    if item.parent is not None and not 0 <= item.parent < item.id:
        yield f"{place} ran inside of {item.parent}, which is none before it"
    yield from outside(f"{place}.left_alone", item.left_alone, patterns, "patterns")
    matched = (match.pattern for match in item.matches)
    yield from outside(f"{place}.matches", matched, patterns, "patterns")
    for change in item.changes:
        positions = [at for at, _ in change.moved] + [placed.position for placed in change.added]
        if positions and min(positions) < 0:
            yield f"{place} puts a node at {min(positions)}"
