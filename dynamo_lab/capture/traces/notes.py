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


def untold(kernels: Sequence[Kernel], *, names_others: bool = False) -> Iterator[Note]:
    """Graphs of several C++ kernels, of which the log tells only names that operators share.

    Where it `names_others`' nodes it was made with what makes it do so, which PyTorch does for
    kernels of a forward alone.
    """
    written = [one for one in kernels if one.language == "cpp" and one.graph is not None]
    shared = {graph for graph, count in Counter(one.graph for one in written).items() if count > 1}
    among = [one for one in written if one.graph in shared]
    if among:
        without = sum(not one.nodes for one in among)
        more = (
            "Of other kernels it names the nodes."
            if names_others
            else "A log made with `INDUCTOR_PROVENANCE=1` names nodes of some more kernels."
        )
        yield _note(
            "info",
            f"Of {len(among):,} C++ kernels the log has no more than code and name, so they are "
            "tied to the operators that only their names tell. The kernels counted at a line are "
            f"at least so many: {without:,} of {len(among):,} are tied to no line. {more}",
        )


def _note(level: Any, message: str, details: str = "") -> Note:
    return Note(level=level, about="log", message=message, traceback=details)
