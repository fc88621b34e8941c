"""What a run prints, and whether a change of the program keeps it."""

from __future__ import annotations

import contextlib
import io
import re
from collections import Counter
from typing import TYPE_CHECKING

from dynamo_lab.view.core.words import plural

if TYPE_CHECKING:
    from collections.abc import Generator

Lines = tuple[str, ...]

_NUMBER = re.compile(r"0x[0-9a-fA-F]+|-?\d+\.?\d*(?:e[+-]?\d+)?|\b(?:nan|inf)\b")
_GRADIENT = re.compile(r"grad_fn=<\w+>")
_SHOWN = 60


class Heard:
    """The lines that were written to standard output, known once its block has ended."""

    lines: Lines = ()


@contextlib.contextmanager
def heard() -> Generator[Heard, None, None]:
    """Keep what is written to standard output meanwhile, and do not show it."""
    found, written = Heard(), io.StringIO()
    try:
        with contextlib.redirect_stdout(written):
            yield found
    finally:
        found.lines = tuple(written.getvalue().splitlines())


def difference(before: Lines, after: Lines) -> str:
    """What of the printed lines is lost, added or another, in a sentence; empty if nothing is.

    Numbers may be others: they are compared in tensors, and compiled code rounds otherwise. So may
    the order: a print that Dynamo puts off comes later.
    """
    told, now = (Counter(map(_form, lines)) for lines in (before, after))
    lost, more = told - now, now - told
    if not lost and not more:
        return ""
    if not more:
        which = _first(before, lost)
        of, count = plural(len(before), "printed line"), lost.total()
        return f"Of {of}, {count:,} {'is' if count == 1 else 'are'} lost: {which}."
    if not lost:
        return f"{plural(more.total(), 'line')} more than in eager: {_first(after, more)}."
    return f"It prints {_first(after, more)} in place of {_first(before, lost)}."


def _form(line: str) -> str:
    """A line without its numbers, and without the names of what computes gradients."""
    return " ".join(_NUMBER.sub("#", _GRADIENT.sub("grad_fn", line)).split())


def _first(lines: Lines, of: Counter[str]) -> str:
    line = next(line for line in lines if _form(line) in of).strip()
    return f"`{line[:_SHOWN]}`" if line else "an empty line"
