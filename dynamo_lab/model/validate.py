"""Whether a recording's facts refer only to facts that exist, so that views need not ask.

What a number refers to is declared in its type. What a type cannot express is checked next to its
struct, by the `problems` of that file.
"""

from collections.abc import Iterator

from dynamo_lab.model import (
    decompositions,
    frames,
    graphs,
    lowering,
    passes,
    steps,
    timings,
)
from dynamo_lab.model.core import walk
from dynamo_lab.model.cuda_graphs import trees
from dynamo_lab.model.fusion import fusion
from dynamo_lab.model.recording import Recording


def validate(recording: Recording) -> str | None:
    """What is wrong with the recording, as a phrase that names its place; None if nothing is."""
    return next(_problems(recording), None)


def _problems(recording: Recording) -> Iterator[str]:
    """Each relies on those before it: rules follow references without checking them."""
    if recording.film is not None:
        yield from steps.misshapen(recording.film)
    yield from walk.problems(recording, Recording)
    yield from _rules(recording)


def _rules(recording: Recording) -> Iterator[str]:
    yield from timings.problems(recording.timings)
    yield from frames.problems(recording.frames)
    yield from graphs.problems(recording.graphs)
    yield from passes.problems(recording)
    yield from decompositions.problems(recording.decompositions)
    yield from lowering.problems(recording.lowerings, recording.buffers)
    yield from fusion.problems(recording.schedules)
    yield from trees.problems(recording.cuda_trees)
    if recording.film is not None:
        yield from steps.problems(recording.film)
