"""The line that assigns an attribute, where there is but one."""

import re

from dynamo_lab.view.core.places import Line
from dynamo_lab.view.findings.finding import Facts


def assignment_of(facts: Facts, name: str) -> Line | None:
    """The only line of the user's, beside `__init__`, that assigns `self.name`; None of several."""
    if name.count(".") != 1:
        return None  # of a module within: it is another class's `self`
    pattern = re.compile(rf"\s*{re.escape(name)}\s*(?::[^=]+)?[-+*/@]?=(?!=)")
    found = [
        (at, number)
        for at, source in enumerate(facts.recording.sources)
        if source.kind != "library"
        for excerpt in source.excerpts
        for number, function in _lines(excerpt.text, excerpt.first_line, pattern)
        if function != "__init__"
    ]
    return found[0] if len(found) == 1 else None


def _lines(text: str, first: int, pattern: re.Pattern[str]) -> list[tuple[int, str]]:
    """The lines that match, each with the function that it is in."""
    found: list[tuple[int, str]] = []
    function = ""
    for number, line in enumerate(text.split("\n"), first):
        defined = re.match(r"\s*(?:async )?def (\w+)", line)
        function = defined[1] if defined else function
        if pattern.match(line):
            found.append((number, function))
    return found
