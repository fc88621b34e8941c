"""Where things are in the user's text: sources, spans in them, and stacks of spans."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Ref

SourceKind = Literal["cell", "user", "library"]


class Excerpt(Struct, frozen=True):
    """Consecutive lines of a source; `first_line` counts from 1."""

    first_line: int
    text: str


class Source(Struct, frozen=True):
    """A text that was compiled: a notebook cell, a user's file, or a library's.

    Cells and user files are stored whole; of libraries only the lines that the recording refers to.
    `is_changed`: the file was edited after what ran had been read from it.
    """

    path: str
    kind: SourceKind
    excerpts: tuple[Excerpt, ...] = ()
    is_changed: bool = False

    def lines(self) -> Iterator[tuple[int, str]]:
        """The known lines with their numbers, in order."""
        for excerpt in self.excerpts:
            yield from enumerate(excerpt.text.split("\n"), excerpt.first_line)

    def whole(self) -> str:
        """The text, empty where only some of its lines are known."""
        known = self.excerpts
        return known[0].text if len(known) == 1 and known[0].first_line == 1 else ""

    def line(self, number: int) -> str | None:
        """The text of a line, or None if it was not stored."""
        for excerpt in self.excerpts:
            lines = excerpt.text.split("\n")
            if excerpt.first_line <= number < excerpt.first_line + len(lines):
                return lines[number - excerpt.first_line]
        return None


class Span(Struct, frozen=True, array_like=True):
    """A range of a source: lines from 1, columns from 0 in characters, the end exclusive.

    A column of -1 means not known. `source` indexes `Recording.sources`.
    """

    source: Annotated[int, Ref("sources")]
    line: int
    function: str = ""
    column: int = -1
    end_line: int = -1
    end_column: int = -1


Stack = Annotated[tuple[int, ...], Ref("spans")]
"""Indices into `Recording.spans`, the outermost caller first."""
