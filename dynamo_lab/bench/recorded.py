"""The benchmark of a program that was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from dynamo_lab.bench.run import BenchRun
from dynamo_lab.errors import BenchError
from dynamo_lab.model.lowering import LAB

if TYPE_CHECKING:
    from dynamo_lab.bench.options import BenchOptions
    from dynamo_lab.live.session import Session
    from dynamo_lab.measure.rounds import Watch
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Choice


def measured(
    recording: Recording, session: Session, options: BenchOptions, watch: Watch
) -> tuple[Recording, Session]:
    """The program of a recording with its benchmark, as separate facts.

    Raises:
        BenchError: the program is not available.
    """
    program = session.program
    if program is None:
        raise BenchError(
            "There is no program to measure: this recording was loaded from a file, or made with "
            "record() or %%record. Use lab.bench(fn, *args), explore() or %%compile."
        )
    fn, args, kwargs = program.call()
    if options.backend is None and program.choice.backend == LAB:
        options = structs.replace(options, backend=LAB)
    facts, made = BenchRun(fn, args, kwargs, options, watch, recording.title).made()
    assert facts.benchmark is not None
    chosen = _options(program.choice, recording, options.backend or "inductor")
    known = structs.replace(facts.benchmark, recorded_with=chosen)
    return structs.replace(facts, benchmark=known), made


def _options(choice: Choice, recording: Recording, measured_with: str) -> dict[str, str]:
    """Those of `torch.compile` that the recording was made with, where they are not its own.

    A single graph may be asked for: where there is one anyway, that changes nothing.
    """
    backend = choice.backend
    chosen: dict[str, Any] = {
        "backend": backend if isinstance(backend, str) else getattr(backend, "__name__", "another"),
        "mode": choice.mode,
        "dynamic": choice.dynamic,
        "fullgraph": choice.fullgraph and bool(recording.breaks),
        "options": choice.settings or None,
    }
    usual = {"backend": measured_with, "mode": None, "dynamic": None, "fullgraph": False}
    return {name: str(one) for name, one in chosen.items() if one != usual.get(name)}
