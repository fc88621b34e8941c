"""The reader's lines that assign to an attribute or a global, as far as their text shows."""

import re
from collections.abc import Iterator

from dynamo_lab.view.core.places import Line
from dynamo_lab.view.findings.finding import Facts

_NAME = re.compile(r"(\w+)$")
_CHANGES = r"(?:\s*(?:[-+*/|&]|//|\*\*)?=(?!=)|\.(?:append|extend|insert|update|add|pop)\()"


def written_at(name: str, facts: Facts) -> Line | None:
    """The only own line that assigns to a name or an attribute of this name, if it is the only one.

    Assignments in constructors and at a file's top level are left out: they run once.
    """
    last = _NAME.search(name)
    if last is None:
        return None
    dot = r"\." if "." in name else r"(?<![.\w])"
    assigns = re.compile(rf"{dot}{last[1]}{_CHANGES}")
    found = list(_lines(assigns, facts))
    return found[0] if len(found) == 1 else None


def _lines(pattern: re.Pattern[str], facts: Facts) -> Iterator[Line]:
    for index, source in enumerate(facts.places.sources):
        if source.kind == "library":
            continue
        scope = ""
        for number, text in source.lines():
            if defined := re.match(r"\s*def (\w+)", text):
                scope = defined[1]
            is_first = scope == "__init__" or not text[:1].isspace()
            if not is_first and pattern.search(text):
                yield index, number
