"""What another compiler makes of the recorded program, to read beside what was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from dynamo_lab.errors import OptionError
from dynamo_lab.record.lower import at_hand, lowered
from dynamo_lab.record.recorders import new_recorder
from dynamo_lab.record.replay import without_trace

if TYPE_CHECKING:
    from dynamo_lab.live.session import Session
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Run


def compiled_by(recording: Recording, session: Session, backend: str) -> Run:
    """The program compiled once more by another backend, for the same target; nothing stays of it.

    A mode and settings are Inductor's, so they are left out.

    Raises:
        LoweringError: the program is not available.
        OptionError: this backend compiled the recording.
    """
    program = at_hand(session.program)
    before = program.choice
    if backend == before.backend:
        raise OptionError(f"The backend {backend} compiled this recording: pass another one.")
    choice = structs.replace(before, backend=backend, mode=None, settings={})
    program = program.chosen(choice)
    with without_trace(program.roots()):
        if choice.target:
            fn, args, kwargs = program.call()
            run, _ = lowered(fn, args, kwargs, choice, new_recorder(recording.title))
        else:
            run, _ = program.compiled()
    return run.with_program(program)
