"""How to read one view: a sentence, and a paragraph for those who want more."""

from textwrap import dedent

from msgspec import Struct


class Reading(Struct, frozen=True, kw_only=True):
    """How to read the view of this name."""

    view: str
    sentence: str
    paragraph: str


def reading(view: str, sentence: str, paragraph: str) -> Reading:
    """A reading whose paragraph is indented as the code around it."""
    return Reading(view=view, sentence=sentence, paragraph=dedent(paragraph).strip())
