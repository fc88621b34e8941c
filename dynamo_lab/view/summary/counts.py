"""Numbers of the summary line."""

from typing import Literal

from msgspec import Struct

from dynamo_lab.view.core.words import unit

Tone = Literal["plain", "good", "warning", "bad"]


class Count(Struct, frozen=True, kw_only=True):
    """A number with its unit word ("2 breaks"); `tab` is the tab that explains it."""

    value: str
    label: str
    tone: Tone = "plain"
    tab: str = ""


def count(number: int, word: str, tab: str, tone: Tone = "plain") -> Count:
    """A number of things."""
    return Count(value=f"{number:,}", label=unit(number, word), tone=tone, tab=tab)
