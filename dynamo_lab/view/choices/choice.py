"""One row of the list of choices."""

from typing import Literal

from msgspec import Struct

Kind = Literal[
    "attention",
    "fast path",
    "precision",
    "quantization",
    "layout",
    "concatenation",
    "freezing",
    "lists of tensors",
]
"""What a choice is about, in the order in which they are listed."""


class ChoiceRow(Struct, frozen=True, kw_only=True):
    """A choice that was made without a word: what, why, and what came of it.

    `reason` says that it is not known where it is not, `effect` and `remedy` are empty then. `line`
    is the entity of the reader's line, empty if there is none, `nodes` are those of the nodes.
    `count` are choices that are alike in all of this, `tab` is the view that has the rest.
    """

    kind: Kind
    choice: str
    reason: str
    effect: str = ""
    remedy: str = ""
    where: str = ""
    line: str = ""
    code: str = ""
    nodes: tuple[str, ...] = ()
    count: int = 1
    tab: str = ""
