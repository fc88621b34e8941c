"""What a recording's guards say about a call, while the process that recorded it lives."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from msgspec import structs

from dynamo_lab.errors import GuardsError
from dynamo_lab.view.core.names import is_own
from dynamo_lab.view.guards.would_pass import WouldPass, answer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dynamo_lab.capture.guards.live_guards import Checks
    from dynamo_lab.live.session import Session
    from dynamo_lab.model.guards.costs import GuardTime
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Program, Run


def ask(
    recording: Recording,
    session: Session,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    frame: int | None = None,
    names: Mapping[str, Any] | None = None,
) -> WouldPass:
    """What a call with these arguments would do; `names` are values for a cell's own variables.

    Raises:
        GuardsError: there are no live guards, or the arguments do not fit.
    """
    checks = live(session)
    chosen = _frame(recording, checks, frame)
    tried = checks.try_on(chosen, args, kwargs, names or {})
    return answer(recording, chosen, tried, checks.are_forgotten(chosen))


def live(session: Session) -> Checks:
    """The guards of a recording that was made in this process.

    Raises:
        GuardsError: it was not.
    """
    if session.checks is None:
        raise GuardsError(
            "This recording has no live guards: only the process that recorded it can run them, so "
            "record again here."
        )
    return session.checks


def time_guards(recording: Recording, session: Session) -> Recording:
    """The recording with the time of its guards by value, on the arguments of its program.

    Raises:
        GuardsError: there are no live guards, or there is no program.
    """
    live(session)
    if session.program is None:
        raise GuardsError(
            "There is no program to take arguments from: record it with lab.explore(fn, *args)."
        )
    return timed(recording, session, session.program)


def timed(recording: Recording, held: Session | Run, program: Program) -> Recording:
    """The recording with the time of its guards by value, of those that a call starts with.

    What runs after a break gets its values from the code before it: of that, only the whole is
    known.
    """
    import torch

    checks = held.checks
    if checks is None:
        return recording
    _, args, kwargs = program.call()
    with torch.no_grad() if program.choice.grad is False else nullcontext():
        found = [_timed(known, checks, args, kwargs) for known in recording.guard_times]
    return structs.replace(recording, guard_times=tuple(found))


def _timed(
    known: GuardTime, checks: Checks, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> GuardTime:
    try:
        return checks.timed(known, args, kwargs) or known
    except GuardsError:
        return known


def _frame(recording: Recording, checks: Checks, frame: int | None) -> int:
    """The requested frame, else the first one of the user's that was compiled."""
    known = checks.frames()
    if frame is not None:
        if frame in known:
            return frame
        raise GuardsError(f"Frame {frame} has no guards: the frames with guards are {list(known)}.")
    frames = [recording.frames[index] for index in known if index < len(recording.frames)]
    found = next((f.id for f in frames if f.resumes is None and is_own(recording, f)), None)
    if found is None:
        raise GuardsError("Nothing was compiled here, so there are no guards to pass.")
    return found


def ask_as_text(recording: Recording, session: Session, text: str) -> WouldPass:
    """What a call would do with `text` as its arguments.

    The user's own kernel evaluates the user's own text, as if it were in a cell.

    Raises:
        GuardsError: the text is not a list of arguments, or `ask` refuses them.
    """
    from IPython.core.getipython import get_ipython

    live(session)  # before anything is evaluated
    shell: Any = get_ipython()
    names: dict[str, Any] = {} if shell is None else shell.user_ns
    try:
        call = f"(lambda *args, **kwargs: (args, kwargs))({text}\n)"
        args, kwargs = eval(call, names)
    except SyntaxError as error:
        raise GuardsError(f"These are not valid arguments of a call: {error.msg}.") from None
    except Exception as error:
        raise GuardsError(_failed(error)) from None
    try:
        return ask(recording, session, args, kwargs, names=names)
    except GuardsError:
        raise
    except Exception as error:  # from the user's own objects, when guards access them
        raise GuardsError(_failed(error)) from None


def _failed(error: Exception) -> str:
    line = str(error).strip().partition("\n")[0]
    return f"Evaluating this failed with {type(error).__name__}: {line}"
