"""What a living program can be asked beyond its recording, as far as the recording tells."""

import re
from collections.abc import Iterator
from typing import Literal

from dynamo_lab.model.recording import Recording

Offer = Literal["lower", "bench"]

_RAISED_AT = re.compile(r'^ +File "(.+)", line (\d+)', re.MULTILINE)


def offers(recording: Recording) -> Iterator[Offer]:
    """What can work: nothing is lowered of no graph, and a program that raises has no times."""
    if recording.state == "recording" or _raised_itself(recording):
        return
    graphs = recording.captured_graphs()
    if graphs:
        yield "lower"
    if graphs or any(item.effect == "failed" for item in recording.breaks):  # without `fullgraph`
        yield "bench"


def _raised_itself(recording: Recording) -> bool:
    """Whether the user's own line raised: what raised below it may have been the compiler."""
    failure = recording.failure
    failed = any(frame.outcome == "failed" for frame in recording.frames)
    if failure is None or failure.caught or failed or failure.span is None:
        return False
    if failure.type == "KeyboardInterrupt":  # the reader did not want to wait
        return False
    span = recording.spans[failure.span]
    deepest = _RAISED_AT.findall(failure.traceback)[-1:]
    return deepest == [(recording.sources[span.source].path, str(span.line))]
