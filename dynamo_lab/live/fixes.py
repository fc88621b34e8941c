"""A fix of a graph break, tried on the live program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.errors import FixError
from dynamo_lab.live.changes import Part, prepared
from dynamo_lab.live.repeats import without_and_with
from dynamo_lab.record.replay import Numbers, compare, without_trace
from dynamo_lab.view.breaks.fixes import Fix, Remedy, remedies

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    from dynamo_lab.live.repeats import Repeats
    from dynamo_lab.live.session import Session
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Program, Run


class Tried(NamedTuple):
    """A fix, a run of the program with it, and whether the numbers are the same.

    `repeats` are the calls after the first, without and with it, if they could be made.
    """

    fix: Fix
    run: Run
    numbers: Numbers
    repeats: tuple[Repeats, Repeats] | None = None


def try_fix(recording: Recording, session: Session, break_id: int, fix: str | None = None) -> Tried:
    """Compile the program again with a fix, and compare its results with eager.

    Raises:
        FixError: there is no program to run again, no fix, or no fix of this name.
    """
    remedy = _remedy(recording, break_id, fix)
    program = program_of(session)
    with without_trace(program.roots()):
        eager, problem = attempt(lambda: own(program.eager()))
    line = remedy.span.source, remedy.span.line
    part = Part(remedy.change, line, remedy.fix.name)
    with (
        without_trace(program.roots()),
        prepared([part], recording, program) as ready,
    ):
        with ready.on():
            run, result = ready.program.compiled()
            result = own(result)
        repeats = without_and_with(program, ready) if run.facts.failure is None else None
    if run.facts.failure is not None:
        numbers = Numbers(same=None, sentence="Not compared: with the fix, the program fails.")
    elif problem is not None:
        numbers = Numbers(same=None, sentence=f"Not compared: run eagerly, it raises {problem}.")
    else:
        numbers = compare(eager, result)
    return Tried(remedy.fix, run, numbers, repeats)


def own(result: Any) -> list[torch.Tensor]:
    """Copies of the tensors in a result: they may lie in memory that is restored."""
    from dynamo_lab.capture.core.running import tensors_in

    return [tensor.detach().clone() for tensor in tensors_in(result)]


def program_of(session: Session) -> Program:
    """The program that was recorded, to run it again.

    Raises:
        FixError: it is not available.
    """
    if session.program is None:
        raise FixError(
            "There is no program to run again: this recording was loaded from a file, came from "
            "a trial, or was made with record() or %%record. Use explore() or %%compile."
        )
    return session.program


def attempt(run: Callable[[], Any]) -> tuple[Any, str | None]:
    """The result, and the kind of the error that it raised instead."""
    try:
        return run(), None
    except Exception as error:
        return None, type(error).__name__


def _remedy(recording: Recording, break_id: int, name: str | None) -> Remedy:
    if not 0 <= break_id < len(recording.breaks):
        count = len(recording.breaks)
        raise FixError(f"There is no break {break_id}: ids are from 0, and there are {count}.")
    found, refusal = remedies(recording, recording.breaks[break_id])
    if not found:
        why = refusal or "Its advice and its example say what to change by hand."
        raise FixError(f"There is no fix to try for this break. {why}")
    for remedy in found:
        if name in (None, remedy.fix.name):
            return remedy
    offered = ", ".join(remedy.fix.name for remedy in found)
    raise FixError(f"There is no fix {name!r} for this break: use one of {offered}.")
