"""The lines of a log, as far as a damaged or endless file has any, within bounds."""

import gzip
import zlib
from collections.abc import Iterator
from typing import IO, NamedTuple

from dynamo_lab.errors import printable

MAX_LINE = 32 * 1024 * 1024
"""The most bytes of one line; PyTorch writes metadata of up to about a megabyte."""
MAX_BYTES = 8 * 1024**3
"""The most bytes of one log, unpacked."""
MAX_LINES = 50_000_000
"""The most lines of one log."""
TOGETHER = 4_096
"""So many lines are joined into a block."""


class Line(NamedTuple):
    """A line of a file, from 1, and what is wrong with it."""

    number: int
    text: str
    problem: str = ""


def lines_of(file: IO[bytes]) -> Iterator[Line]:
    """The lines of a file, and what ended it before its end."""
    number = read = 0
    while True:
        number += 1
        try:
            data = file.readline(MAX_LINE)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            yield Line(number, "", f"the file is damaged from here on ({printable(error)})")
            return
        if not data:
            return
        read += len(data)
        if read > MAX_BYTES or number > MAX_LINES:
            most = f"{MAX_BYTES // 1024**3} GB" if read > MAX_BYTES else f"{MAX_LINES:,} lines"
            yield Line(number, "", f"the log is read up to {most}")
            return
        problem = ""
        if len(data) == MAX_LINE and not data.endswith(b"\n"):
            left = _skip(file)
            problem = f"a line is cut: {left:,} more bytes of it are left out" if left else ""
            read += left
        yield Line(number, data.decode("utf-8", "replace").removesuffix("\n"), problem)


def _skip(file: IO[bytes]) -> int:
    """How many bytes there are to the end of the line."""
    count = 0
    while data := file.readline(1024 * 1024):
        count += len(data)
        if data.endswith(b"\n") or count > MAX_BYTES:
            break
    return count


class Text:
    """Lines within a bound; many short ones take little more than their characters."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._lines: list[str] = []
        self.size = 0
        self.left_out = 0

    def add(self, text: str, most: int) -> None:
        """Add a line, unless there are more than `most` characters then."""
        if self.size + len(text) + 1 > most:
            self.left_out += len(text) + 1
            return
        self.size += len(text) + 1
        self._lines.append(text)
        if len(self._lines) == TOGETHER:
            self._blocks.append("\n".join(self._lines))
            self._lines = []

    def whole(self) -> str:
        """All of them, joined."""
        return "\n".join((*self._blocks, *self._lines))
