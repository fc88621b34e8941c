"""What a warm start of a recorded program takes, measured: it is compiled three times for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from dynamo_lab.bench.start import Start
from dynamo_lab.live.fixes import program_of
from dynamo_lab.record.replay import without_trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.live.session import Session
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Program


def with_warm_start(recording: Recording, session: Session) -> Recording:
    """The recording with a measured warm start.

    Raises:
        FixError: the program is not available.
        BenchError: what it writes cannot be restored.
    """
    from dynamo_lab.capture.graphs.warm_start import measured

    program = program_of(session)
    with without_trace(program.roots()) as state:
        found = measured(lambda: _compiled(program), Start(state).again)
    return structs.replace(recording, warm_start=found)


def _compiled(program: Program) -> Callable[[], object]:
    """A call of the program, compiled anew."""
    import torch

    from dynamo_lab.capture.core.running import call_once

    choice = program.choice
    fn, args, kwargs = program.call()
    compiled = torch.compile(  # pyright: ignore[reportUnknownMemberType]
        fn,
        backend=choice.backend,
        mode=choice.mode,
        dynamic=choice.dynamic,
        fullgraph=choice.fullgraph,
        options=dict(choice.settings) or None,
    )
    return lambda: call_once(compiled, args, kwargs, grad=choice.grad)
