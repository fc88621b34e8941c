"""One way of several, called while it is compiled: its result, and its recording."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from dynamo_lab.live.session import Session
from dynamo_lab.record.explore import record
from dynamo_lab.record.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.model.recording import Recording

Recorded = dict[str, tuple["Recording", Session]]
"""The facts and the session of each way, by its name."""


def recorded_call(
    title: str, call: Callable[[], Any], *, fresh: bool = False
) -> tuple[Any, tuple[Recording, Session]]:
    """What a call gives, and the recording of it.

    `fresh` makes Dynamo forget what it compiled before, which the ways before this one would then
    compile again when they are timed.
    """
    recording = record(title, fresh=fresh)
    with closing(recording), recording as recorder:
        result = call()
    run = Run.of(recorder, recorder.recording)
    return result, (run.facts, Session(run))
