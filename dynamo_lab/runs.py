"""What a view may have a recorded program do again while the kernel lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab import live
from dynamo_lab.errors import DynamoLabError
from dynamo_lab.recording import Recording
from dynamo_lab.rerun import without_trace

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording as Facts

Ran = tuple[str, dict[str, Any], Recording]


def run(recording: Facts, what: str, asked: dict[str, Any]) -> Ran:
    """A label for the new recording, what came of the run as JSON, and the recording.

    Raises:
        DynamoLabError: it cannot be done, or this is none of the things that can be done.
    """
    if not isinstance(recording, Recording):
        raise DynamoLabError("There is no program to run again: run the cell again.")
    match what, asked:
        case "try_fix", {"break": int(item), "fix": str(fix)}:
            shown, made = live.answer(recording, item, fix)
            return f"with {fix}", shown, made
        case "relower", {"target": str(target), "switches": dict()}:
            return _relowered(recording, target, asked["switches"])
        case _:
            raise DynamoLabError(f"The view asked for {what!r}, which this kernel cannot do.")


def _relowered(recording: Recording, target: str, chosen: dict[str, Any]) -> Ran:
    program = recording.program()
    with without_trace(program.roots() if program else ()):
        made = recording.relower(target or None, **chosen)
    parts = [target] if target else []
    parts += [f"{name}={value}" for name, value in chosen.items()]
    failure = made.failure
    told = f"{failure.type}: {failure.message.strip()}" if failure else ""
    return " ".join(parts) or "lowered again", {"failure": told}, made
