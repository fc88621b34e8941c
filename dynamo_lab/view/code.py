"""The reader's code: each line's state, its region's colour, and the breaks marked on it."""

from typing import Literal

from msgspec import Struct

LineState = Literal["", "compiled", "eager", "skipped", "failed"]


class LineView(Struct, frozen=True, array_like=True):
    """One line. `region` is the id of the dynamo graph that compiled it (the colour), -1 for none.

    `state` is empty for lines that are not part of a recorded frame (blank, definitions, comments).
    """

    number: int
    text: str
    state: LineState = ""
    region: int = -1
    kernels: int = 0


class Mark(Struct, frozen=True, kw_only=True):
    """Something pinned to a range of a line: a break, a failure. Columns as in Span, -1 unknown."""

    kind: Literal["break", "failure"]
    line: int
    column: int
    end_line: int
    end_column: int
    label: str
    target: str  # an entity id, such as "break:0"


class SourceView(Struct, frozen=True, kw_only=True):
    """A source with its known lines. Where numbers jump, lines between were not recorded."""

    id: int
    label: str
    path: str
    kind: str
    lines: tuple[LineView, ...]
    marks: tuple[Mark, ...] = ()
