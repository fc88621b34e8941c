"""What a test asks of the passes in a recording."""

from dynamo_lab.model.passes import Match, NodeText, Pass, left, state_of
from dynamo_lab.model.recording import Recording


def compose(recording: Recording) -> int:
    """Apply all diffs in order; each graph that was recorded as a result is what comes out."""
    compared = 0
    for pipeline in recording.pipelines:
        made = left(recording, pipeline)
        if pipeline.became:
            assert made == state_of(recording.graphs, pipeline.became), pipeline
            compared += 1
    return compared


def passes_named(recording: Recording, name: str) -> list[Pass]:
    return [p for p in recording.passes if name in (p.name, p.function)]


def matches(recording: Recording, name: str) -> list[Match]:
    """The matches of patterns whose names begin so."""
    return [
        match
        for item in recording.passes
        for match in item.matches
        if recording.patterns[match.pattern].name.startswith(name)
    ]


def targets(nodes: tuple[NodeText, ...]) -> set[str]:
    return {node.target for node in nodes}


def added(item: Pass) -> set[str]:
    return {placed.node.target for change in item.changes for placed in change.added}
