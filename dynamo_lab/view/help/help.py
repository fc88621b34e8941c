"""How to read each view: one sentence, and a paragraph with an example for those who want more.

In a paragraph, text in backquotes is code, and lines that are all indented by four columns
are an example. The documentation's pages have exactly the same text.
"""

from collections.abc import Iterator
from textwrap import dedent

from dynamo_lab.view.help import capture, lowering, results
from dynamo_lab.view.help.reading import Reading

READINGS = capture.READINGS + lowering.READINGS + results.READINGS
"""In the order in which a program goes through them."""

_BY_VIEW = {reading.view: reading for reading in READINGS}


def reading_of(view: str) -> Reading | None:
    """How to read the view of this name, None where it needs no explanation."""
    return _BY_VIEW.get(view)


def blocks(paragraph: str) -> Iterator[tuple[bool, str]]:
    """The parts of a paragraph: whether it is an example, and its text."""
    for part in paragraph.split("\n\n"):
        is_example = part.startswith("    ")
        yield is_example, dedent(part) if is_example else " ".join(part.split())
