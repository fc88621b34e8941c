"""The summary line: what happened, in numbers and in one sentence."""

from typing import Literal

from msgspec import Struct

Tone = Literal["plain", "good", "warning", "bad"]


class Count(Struct, frozen=True, kw_only=True):
    """A number with its unit word ("2 breaks"); `tab` is the tab that explains it."""

    value: str
    label: str
    tone: Tone = "plain"
    tab: str = ""


class Summary(Struct, frozen=True, kw_only=True):
    """`sentence` says in plain words what `torch.compile` made of the program, good or bad."""

    title: str
    sentence: str
    counts: tuple[Count, ...]
    state: Literal["recording", "done"] = "done"
    failure: str = ""
