"""The user's text: which source a position is in, and what of it the recording stores."""

import linecache
import os
import re
import sysconfig
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from dynamo_lab.capture.core.changed import is_changed
from dynamo_lab.model.core.sources import Excerpt, Source, SourceKind, Span, Stack

PACKAGE = Path(str(files("dynamo_lab")))
"""Where our own code is: none of it is the user's."""
_FILE_LINE = re.compile(r'File "(.*?)", line (\d+), in (.*)')
_CONTEXT_LINES = 2  # lines of a library kept around each that is referred to


class Texts:
    """Interns sources, spans and stacks. Positions come as CPython gives them."""

    def __init__(self, cell_label: Callable[[str], str | None] = lambda path: None) -> None:
        self._cell_label = cell_label
        self._sources: dict[str, int] = {}
        self._kinds: list[tuple[str, SourceKind]] = []
        self._lines: list[set[int]] = []
        self._texts: dict[int, list[str]] = {}
        self._changed: set[int] = set()
        self._spans: dict[Span, int] = {}
        self._asked: dict[Any, int] = {}
        self._stacks: dict[Stack, int] = {}
        self._formatted: dict[str, int] = {}

    def set_cell_label(self, cell_label: Callable[[str], str | None]) -> None:
        """How cells are named, in a process that has no notebook."""
        self._cell_label = cell_label

    def is_ours(self, path: str) -> bool:
        """Whether a file belongs to this package."""
        return path.startswith(str(PACKAGE))

    def is_users(self, path: str) -> bool:
        """Whether a file is the user's own: a cell or a program, not a library."""
        return _identify(path, self._cell_label(path))[1] != "library"

    def name(self, path: str) -> str:
        """The name to show for a file, which reveals nothing about the machine."""
        return _identify(path, self._cell_label(path))[0]

    def source(self, path: str) -> int:
        """The index of the source with this file name."""
        index = self._sources.get(path)
        if index is None:
            index = self._sources[path] = len(self._kinds)
            self._kinds.append(_identify(path, self._cell_label(path)))
            self._lines.append(set())
            # now, while the text is what was compiled: cells are forgotten, files get edited
            self._texts[index] = [line.rstrip("\r\n") for line in linecache.getlines(path)]
            if self._kinds[index][1] == "user" and is_changed(path, self._texts[index]):
                self._changed.add(index)
        return index

    def ran(self, code: CodeType) -> None:
        """Compare the code of a user's function with the present text of its file."""
        index = self.source(code.co_filename)
        is_users = self._kinds[index][1] == "user"
        if is_users and is_changed(code.co_filename, self._texts[index], (code,)):
            self._changed.add(index)

    def span(
        self,
        path: str,
        line: int | None,
        function: str = "",
        columns: tuple[int | None, int | None] = (None, None),
        end_line: int | None = None,
    ) -> int:
        """The index of a span. `columns` count UTF-8 bytes, as code objects do."""
        asked = (path, line, function, columns, end_line)
        found = self._asked.get(asked)  # most are asked for again: by each guard, by each node
        if found is not None:
            return found
        source, line = self.source(path), line or 1
        self._lines[source].add(line)
        last = end_line or line
        span = Span(
            source,
            line,
            function.replace("<module>", "cell"),
            self._characters(source, line, columns[0]),
            last if end_line else -1,
            self._characters(source, last, columns[1]),
        )
        found = self._asked[asked] = self._spans.setdefault(span, len(self._spans))
        return found

    def columns(
        self, path: str, line: int, end_line: int, columns: tuple[int | None, int | None]
    ) -> tuple[int, int]:
        """Columns in characters from columns in UTF-8 bytes, -1 where not known."""
        source = self.source(path)
        start, end = columns
        return self._characters(source, line, start), self._characters(source, end_line, end)

    def _characters(self, source: int, line: int, column: int | None) -> int:
        if column is None:
            return -1
        lines = self._texts[source]
        text = lines[line - 1] if line <= len(lines) else ""
        if text.isascii():
            return column
        return len(text.encode()[:column].decode(errors="ignore"))

    def stack(self, spans: Iterable[int]) -> int:
        """The index of a stack of spans, outermost first."""
        return self._stacks.setdefault(tuple(spans), len(self._stacks))

    def stack_of_summary(self, summary: Iterable[traceback.FrameSummary]) -> int:
        """The index of a stack that Dynamo gives as frame summaries."""
        return self.stack(self.span_of_summary(frame) for frame in summary)

    def span_of_summary(self, frame: traceback.FrameSummary) -> int:
        """The index of the span of one frame summary, with its columns where it has them."""
        columns = (getattr(frame, "colno", None), getattr(frame, "end_colno", None))
        return self.span(frame.filename, frame.lineno, frame.name, columns)

    def span_of_frame(self, frame: FrameType) -> int:
        """The index of the span of the line that a frame is at."""
        code = frame.f_code
        return self.span(code.co_filename, frame.f_lineno, code.co_name)

    def users_span_from(self, frame: FrameType | None) -> int | None:
        """The index of the user's innermost span from a frame on outwards, if there is one."""
        while frame is not None and not self.is_users(frame.f_code.co_filename):
            frame = frame.f_back
        return None if frame is None else self.span_of_frame(frame)

    def users_span_of_text(self, formatted: str) -> int | None:
        """The index of the user's innermost span in a stack that FX keeps, if there is one."""
        own = [one for one in _FILE_LINE.findall(formatted) if self.is_users(one[0])]
        return self.span(own[-1][0], int(own[-1][1]), own[-1][2]) if own else None

    def stacks_ending_on(self, line: int) -> set[int]:
        """The stacks whose innermost span is on this line of whichever source."""
        spans = tuple(self._spans)
        return {at for stack, at in self._stacks.items() if stack and spans[stack[-1]].line == line}

    def stack_of_text(self, formatted: str) -> int:
        """The index of a stack that FX keeps as a formatted traceback."""
        index = self._formatted.get(formatted)
        if index is None:
            found = _FILE_LINE.findall(formatted)
            spans = [self.span(path, int(line), name) for path, line, name in found]
            index = self._formatted[formatted] = self.stack(spans)
        return index

    def keep_lines(self, path: str, first: int, last: int) -> None:
        """Keep these lines of a source, also when it is a library."""
        self._lines[self.source(path)].update(range(first, last + 1))

    def without_paths(self, text: str) -> str:
        """A message with the names of known sources in place of paths of this machine."""
        for path, index in self._sources.items():
            if path in text:
                text = text.replace(path, self._kinds[index][0])
        return text

    def freeze(self) -> tuple[tuple[Source, ...], tuple[Span, ...], tuple[Stack, ...]]:
        """The tables as a recording holds them."""
        sources = tuple(self._freeze_source(index) for index in range(len(self._kinds)))
        return sources, tuple(self._spans), tuple(self._stacks)

    def _freeze_source(self, index: int) -> Source:
        (path, kind), lines = self._kinds[index], self._texts[index]
        if not lines:
            return Source(path, kind)
        if kind != "library":
            excerpts = (Excerpt(1, "\n".join(lines)),)
            return Source(path, kind, excerpts, is_changed=index in self._changed)
        ranges = _ranges(self._lines[index], len(lines))
        return Source(
            path,
            kind,
            tuple(Excerpt(first, "\n".join(lines[first - 1 : last])) for first, last in ranges),
        )


def lines_of_text(formatted: str) -> set[tuple[str, int]]:
    """The file and the line of each frame in a stack that FX keeps as a formatted traceback."""
    return {(path, int(line)) for path, line, _ in _FILE_LINE.findall(formatted)}


def _ranges(wanted: set[int], count: int) -> Iterator[tuple[int, int]]:
    """Runs of line numbers that cover `wanted` with some context."""
    first = last = 0
    for line in sorted(line for line in wanted if 1 <= line <= count):
        if first and line - _CONTEXT_LINES <= last + 1:
            last = min(line + _CONTEXT_LINES, count)
            continue
        if first:
            yield first, last
        first, last = max(line - _CONTEXT_LINES, 1), min(line + _CONTEXT_LINES, count)
    if first:
        yield first, last


_LIBRARIES = (
    str(PACKAGE),  # also when it is installed editable
    *dict.fromkeys(sysconfig.get_paths()[key] for key in ("purelib", "platlib", "stdlib")),
)


_INSTALLED = re.compile(r"[/\\](?:site|dist)-packages[/\\]")


def _is_of_library(path: str) -> bool:
    return any(Path(library, path).is_file() for library in _LIBRARIES)


def is_generated(path: str) -> bool:
    """Whether a file lies where Inductor writes its code: its cache folder, or the usual one."""
    folder = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    usual = os.path.join(tempfile.gettempdir(), "torchinductor_")
    return path.startswith(usual) or bool(folder and Path(path).is_relative_to(folder))


def _identify(path: str, cell: str | None) -> tuple[str, SourceKind]:
    """The name to show for a file, which reveals nothing about the machine, and its kind."""
    if cell is not None:
        return cell, "cell"
    for library in _LIBRARIES:
        if path.startswith(library):
            return path[len(library) :].lstrip("/\\"), "library"
    if path.startswith("<"):
        return path, "library" if path.startswith(("<frozen", "<eval", "<string")) else "user"
    file = Path(path).absolute()
    if is_generated(path):
        return file.name, "library"
    if installed := _INSTALLED.search(path):  # of the user alone, or on PYTHONPATH
        return path[installed.end() :], "library"
    if not os.path.isabs(path) and not file.exists() and _is_of_library(path):
        return path, "library"  # PyTorch names some of its files so: "torch/fx/passes/..."
    for folder, sign in ((Path.cwd(), ""), (Path.home(), "~")):
        if file.is_relative_to(folder):
            return str(Path(sign) / file.relative_to(folder)), "user"
    return path, "user"
