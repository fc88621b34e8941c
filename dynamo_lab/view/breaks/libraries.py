"""Whose code breaks, where it is not the reader's: a package's, or Python's own."""

import re
import sys

from dynamo_lab.model.breaks import Break
from dynamo_lab.view.breaks.advice import rule_of
from dynamo_lab.view.breaks.advice.calls import COPY
from dynamo_lab.view.core.places import LIBRARY_ROOT, Line, Places

_NO_LIBRARY = ("torch", "IPython")
"""PyTorch, and what puts a function of its own in the place of `open` in a notebook."""


def library_at(line: Line, places: Places) -> str:
    """'the library `einops`' or 'Python's `copy`'; empty for the reader's lines and PyTorch's.

    What PyTorch does by itself is told apart where it matters: see `makers`.
    """
    if not places.is_library(line) or places.is_call(line):
        return ""
    path = LIBRARY_ROOT.sub("", places.sources[line[0]].path)
    name = re.split(r"[/\\]", path)[0].removesuffix(".py")
    if name in _NO_LIBRARY or not name.isidentifier():  # else it is code that something wrote
        return ""
    return f"Python's `{name}`" if name in sys.stdlib_module_names else f"the library `{name}`"


def library_of(item: Break, places: Places) -> str:
    """The same for the line that caused a break."""
    return library_at(cause_of(item, places), places)


def cause_of(item: Break, places: Places) -> Line:
    """The innermost line of a break.

    What Dynamo traces in the place of a built-in is no line of the program: the call of the
    built-in is.
    """
    lines = places.lines_of(item.stack) or (places.line_of(item.span),)
    of_program = (line for line in reversed(lines) if not _stands_in(line, places))
    return next(of_program, lines[-1])


def _stands_in(line: Line, places: Places) -> bool:
    return "/_dynamo/polyfills/" in places.sources[line[0]].path.replace("\\", "/")


def advice_on(item: Break, places: Places) -> tuple[str, ...]:
    """Whose code it is, and what is left to the reader to change."""
    library = library_of(item, places)
    if not library:
        return ()
    own = places.own_line(item.stack)
    is_called = own is not None and not places.is_library(own)
    if is_called and rule_of(item) == COPY:
        return ()  # the rule's advice is on the call, wherever in `copy` it ends
    if not is_called or own is None:
        return (
            f"This is code of {library}, and no line of yours in this frame leads there: what you "
            "can change is what is called, and with what.",
        )
    return (
        f"This is code of {library}, not yours: what you can change is {places.where(own)}, which "
        "calls it.",
    )
