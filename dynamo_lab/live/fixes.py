"""A fix of a graph break, tried on the live program."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dynamo_lab.errors import FixError
from dynamo_lab.live.changes import Part, prepared
from dynamo_lab.live.observed import Observed, attempt, compared, heard, observed
from dynamo_lab.live.repeats import without_and_with
from dynamo_lab.record.replay import Numbers, without_trace
from dynamo_lab.view.breaks.fixes import Fix, Remedy, remedies
from dynamo_lab.view.breaks.math_calls import called_frames
from dynamo_lab.view.findings.changes import drops

if TYPE_CHECKING:
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
    roots = program.roots()
    with without_trace(roots):
        with heard() as told:
            result, problem = attempt(program.eager)
        eager = None if problem else observed(roots, program, result, told.lines)
    line = remedy.span.source, remedy.span.line
    part = Part(remedy.change, line, remedy.fix.name)
    with without_trace(roots), prepared([part], recording, program) as ready:
        with ready.on():
            with heard() as told:
                run, result = ready.program.compiled()
            changed = observed(roots, ready.program, result, told.lines)
        repeats = without_and_with(program, ready) if run.facts.failure is None else None
    if run.facts.failure is not None:
        numbers = Numbers(same=None, sentence="Not compared: with the fix, the program fails.")
    else:
        numbers = compared(
            eager, lambda: _as_it_is(program), changed, problem, drops=drops(remedy.change)
        )
    return Tried(remedy.fix, run, numbers, repeats)


def _as_it_is(program: Program) -> Observed:
    """What the program leaves compiled, without the fix."""
    roots = program.roots()
    with without_trace(roots):
        with heard() as told:
            _, result = program.compiled()
        return observed(roots, program, result, told.lines)


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


def _remedy(recording: Recording, break_id: int, name: str | None) -> Remedy:
    if not 0 <= break_id < len(recording.breaks):
        count = len(recording.breaks)
        raise FixError(f"There is no break {break_id}: ids are from 0, and there are {count}.")
    found, refusal = remedies(recording, recording.breaks[break_id], called_frames(recording))
    if not found:
        why = refusal or "Its advice and its example say what to change by hand."
        raise FixError(f"There is no fix to try for this break. {why}")
    for remedy in found:
        if name in (None, remedy.fix.name):
            return remedy
    offered = ", ".join(remedy.fix.name for remedy in found)
    raise FixError(f"There is no fix {name!r} for this break: use one of {offered}.")
