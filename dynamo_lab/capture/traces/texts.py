"""Sources, spans and stacks of a log: of a file, only the lines that the log quotes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, cast

from dynamo_lab.model.core.sources import Excerpt, Source, SourceKind, Span, Stack

_LIBRARY = re.compile(
    r"^.*[/\\](?:(?:site|dist)-packages|lib(?:64)?[/\\]python[\d.]+)[/\\]"
    r"|^<frozen .*|^<(?:eval|string)"
)
_FILE_LINE = re.compile(r'^[ \t]*File "([^"\n]+)", line (\d{1,9}), in (.+)$')
_MAX_SOURCE = 4 * 1024 * 1024
_MAX_SOURCES = 64 * 1024 * 1024
"""The most characters of the user's own files in one recording."""
_MAX_PATH = 4_096
_MAX_ENDINGS = 1_000
"""The most files of one name among which that of a shortened path is looked for."""
_MAX_LINE = 10_000_000


class TraceTexts:
    """Interns what a log says of the program's text.

    `folder` holds the program's files, where the reader has them: a Python file counts if its path
    ends as that in the log does, and if it says what the log quotes. A log may come from anyone, so
    it cannot name any other file, nor one of which it knows no line.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self.files: dict[int, str] = {}
        """The table of paths that stacks in the log index."""
        self._sources: dict[str, int] = {}
        self._quoted: list[dict[int, str]] = []
        self._named: dict[str, list[str]] = {}
        self._spans: dict[Span, int] = {}
        self._functions: list[str] = []
        self._room = _MAX_SOURCES
        self._stacks: dict[Stack, int] = {}
        self.changed: list[str] = []
        """Files that the reader has in another state than the log quotes."""

    def source(self, path: str) -> int:
        """The index of the source of this path."""
        index = self._sources.setdefault(path, len(self._sources))
        if index == len(self._quoted):
            self._quoted.append({})
            self._named.setdefault(_last(path), []).append(path)
        return index

    def quote(self, path: str, line: int, text: str) -> None:
        """A line of a file, as the log quotes it; the longest wording stays."""
        known = self._quoted[self.source(path)]
        text = text.rstrip("\r\n")
        if 0 < line < _MAX_LINE and len(text) > len(known.get(line, "")):
            known[line] = text

    def span(self, path: str, line: int, function: str = "") -> int:
        """The index of a place; a line that cannot be is the first."""
        line = line if 0 < line < _MAX_LINE else 1
        span = Span(self.source(path), line, function.replace("<module>", "cell")[:200])
        index = self._spans.setdefault(span, len(self._spans))
        if index == len(self._functions):
            self._functions.append(span.function)
        return index

    def stack(self, spans: Iterable[int]) -> int | None:
        """The index of a stack, outermost first; None of nothing."""
        key = tuple(spans)
        return self._stacks.setdefault(key, len(self._stacks)) if key else None

    def spans_of(self, stack: Any) -> list[int]:
        """The places of a stack as records hold it: paths are numbers of the log's own table."""
        return [self.span(path, line, name) for path, line, name in self.frames_of(stack)]

    def frames_of(self, stack: Any) -> Iterator[tuple[str, int, str]]:
        """Path, line and function of each frame, outermost first."""
        for frame in cast("list[Any]", stack) if isinstance(stack, list) else []:
            if not isinstance(frame, dict):
                continue
            told = cast("dict[str, Any]", frame)
            where, line, name = (told.get(key) for key in ("filename", "line", "name"))
            path = self.files.get(where, "") if isinstance(where, int) else str(where or "")
            if not isinstance(line, int) or not 0 < line < _MAX_LINE:
                continue
            if path and not is_machinery(path):
                quoted = told.get("loc")
                if isinstance(quoted, str):
                    self.quote(path, line, quoted)
                yield path, line, str(name or "")

    def stack_of_traceback(self, text: str) -> list[int]:
        """The places in a formatted traceback, with the lines that it quotes."""
        spans: list[int] = []
        lines = text.split("\n")
        for number, row in enumerate(lines):
            if found := _FILE_LINE.match(row):
                following = lines[number + 1] if number + 1 < len(lines) else ""
                if following.strip() and not _FILE_LINE.match(following):
                    self.quote(found[1], int(found[2]), following.strip())
                spans.append(self.span(found[1], int(found[2]), found[3].strip()))
        return spans

    def functions(self) -> list[str]:
        """The function of each span."""
        return self._functions

    def line_of(self, span: int) -> int:
        """The line of a span."""
        return next(islice(self._spans, span, None)).line

    def path_ending(self, tail: str) -> str:
        """The known path that ends so, as guards shorten paths; the tail if there is none."""
        tail = tail.removeprefix("...")
        if tail in self._sources or _last(tail) == tail:  # it is cut by length, also within a name
            return tail
        named = self._named.get(_last(tail), [])[:_MAX_ENDINGS]
        return next((path for path in named if path.endswith(tail)), tail)

    def freeze(self) -> tuple[tuple[Source, ...], tuple[Span, ...], tuple[Stack, ...]]:
        """The tables as a recording holds them."""
        sources = tuple(self._source(path, self._quoted[at]) for path, at in self._sources.items())
        return sources, tuple(self._spans), tuple(self._stacks)

    def _source(self, path: str, quoted: dict[int, str]) -> Source:
        name, kind = named(path)
        own = self._own_text(path, quoted) if kind == "user" and self._folder else None
        if own is not None:
            return Source(name, kind, (Excerpt(1, own),))
        return Source(name, kind, tuple(_excerpts(quoted)))

    def _own_text(self, path: str, quoted: dict[int, str]) -> str | None:
        """The user's copy of a file, if it is the one that was compiled."""
        told = {n: quote.strip() for n, quote in quoted.items() if quote.strip()}
        file = _copy(cast("Path", self._folder), path) if told else None
        if file is None:
            return None
        try:
            text = file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
        if len(text) > self._room:
            return None
        if not _says(text.split("\n"), told):
            self.changed.append(path)
            return None
        self._room -= len(text)
        return text


def is_machinery(path: str) -> bool:
    """Whether a frame is the interpreter's own, which says nothing of the program."""
    return path.startswith("<frozen ")


def _says(lines: Sequence[str], told: dict[int, str]) -> bool:
    """Whether each line holds what is told of it, and one is that as a whole."""
    if any(n > len(lines) or quote not in lines[n - 1] for n, quote in told.items()):
        return False
    return any(quote == lines[n - 1].strip() for n, quote in told.items())


def _last(path: str) -> str:
    """The name of the file."""
    return path[max(path.rfind("/"), path.rfind("\\")) + 1 :]


def _copy(folder: Path, path: str) -> Path | None:
    """The Python file in a folder whose path ends as this one does, at the longest ending."""
    if len(path) > _MAX_PATH or not path.endswith(".py"):
        return None
    root = folder.resolve()
    parts = [part for part in re.split(r"[/\\]+", path) if part not in ("", ".", "..")]
    for start in range(len(parts)):
        try:
            file = root.joinpath(*parts[start:]).resolve()
            if file.is_file() and _may_be_shown(file, root):
                return file
        except (OSError, ValueError):  # names that a file system refuses
            continue
    return None


def _may_be_shown(file: Path, root: Path) -> bool:
    """Whether it is of the program: nothing hidden, and where links lead counts."""
    if not file.is_relative_to(root) or file.suffix != ".py":
        return False
    is_hidden = any(part.startswith(".") for part in file.relative_to(root).parts)
    return not is_hidden and file.stat().st_size <= _MAX_SOURCE


def named(path: str) -> tuple[str, SourceKind]:
    """The name to show for a file, and its kind; a library's is without the place it lies in."""
    if found := _LIBRARY.match(path):
        return path[found.end() :] or path, "library"
    return path, "library" if path.startswith("torch/") else "user"


def _excerpts(quoted: dict[int, str]) -> Iterator[Excerpt]:
    run: list[int] = []
    for line in sorted(quoted):
        if run and line > run[-1] + 1:
            yield _excerpt(run, quoted)
            run = []
        run.append(line)
    if run:
        yield _excerpt(run, quoted)


def _excerpt(run: Sequence[int], quoted: dict[int, str]) -> Excerpt:
    return Excerpt(run[0], "\n".join(quoted[line].replace("\n", " ") for line in run))
