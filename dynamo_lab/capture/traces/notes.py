"""Notes on a log itself: where it ends, and what of it could not be read."""

from collections.abc import Iterator, Sequence
from typing import Any

from dynamo_lab.model.core.notes import Note


def cut_off(compiling: Sequence[str], running: Sequence[str]) -> Note:
    """The log ends in the middle of these compilations, inside of these phases."""
    inside = f", inside {' > '.join(running[:6])}" if running else ""
    return _note(
        "failure",
        f"The log ends while it was compiling {', '.join(compiling)}{inside}: the process ended "
        "there, or the log was cut.",
    )


def unread(damaged: int, lost: int, problems: Sequence[str]) -> Iterator[Note]:
    """Damaged records, and texts beyond the limit."""
    if problems:
        yield _note(
            "warning",
            f"{damaged:,} records of the log are damaged or could not be read; their text is kept.",
            "\n".join(problems),
        )
    if lost:
        yield _note("warning", f"{lost:,} characters or texts were too many to keep.")


def changed(path: str) -> Note:
    """A source file that the log names has changed since."""
    return _note("info", f"{path} has changed since this was logged: not shown.")


def _note(level: Any, message: str, details: str = "") -> Note:
    return Note(level=level, about="log", message=message, traceback=details)
