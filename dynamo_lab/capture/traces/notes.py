"""Notes on a log itself: where it ends, and what of it could not be read."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.kernels import Kernel


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


def untold(kernels: Sequence[Kernel]) -> Iterator[Note]:
    """Graphs of several C++ kernels, of which the log tells only names that operators share."""
    written = [one for one in kernels if one.language == "cpp" and one.graph is not None]
    shared = {graph for graph, count in Counter(one.graph for one in written).items() if count > 1}
    among = [one for one in written if one.graph in shared]
    if among:
        without = sum(not one.nodes for one in among)
        yield _note(
            "info",
            "A log has of a C++ kernel no more than code and name, so it is tied to the operators "
            "that only its name tells. The kernels counted at a line are at least so many: "
            f"{without:,} of {len(among):,} are tied to no line. "
            "With `INDUCTOR_PROVENANCE=1` a log says more.",
        )


def _note(level: Any, message: str, details: str = "") -> Note:
    return Note(level=level, about="log", message=message, traceback=details)
