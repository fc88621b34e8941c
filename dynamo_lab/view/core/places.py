"""Source locations in words: 'cell 3, line 4', and the entity that names a line."""

import copy
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

from dynamo_lab.model.core.sources import Source, Span
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core import words

Line = tuple[int, int]
"""A source's index and a line number."""

_CELL_NUMBER = re.compile(r"(?:ipython-input-|cell\W*|\bIn\W*)(\d+)", re.IGNORECASE)
LIBRARY_ROOT = re.compile(r"^.*[/\\](?:site-packages|dist-packages|lib[/\\]python[\d.]+)[/\\]")
"""What stands before the name of a package in the path of its file."""


def entity(line: Line) -> str:
    """The entity of a line."""
    return f"line:{line[0]}:{line[1]}"


def entity_if_known(line: Line | None) -> str:
    """The entity of a line, empty where there is none."""
    return "" if line is None else entity(line)


class Places:
    """The sources, spans and stacks of a recording, each read once."""

    def __init__(self, recording: Recording) -> None:
        self.sources = recording.sources
        self.spans = recording.spans
        self.labels = source_labels(recording.sources)
        self._short = _short_labels(self.labels)
        self.stacks = tuple(_lines(stack, recording.spans) for stack in recording.stacks)
        self.stack_spans = recording.stacks
        self._texts = [dict(source.lines()) for source in recording.sources]
        self._calls = self._of_function("inner", "torch/_dynamo/external_utils.py")
        self._passing_on = self._of_function("decorate_context", "torch/utils/_contextlib.py")
        self._main = -1

    def _of_function(self, name: str, path: str) -> frozenset[Line]:
        """The lines of a function of PyTorch."""
        at = {
            index
            for index, source in enumerate(self.sources)
            if source.path.replace("\\", "/").endswith(path)
        }
        return frozenset(
            (span.source, span.line)
            for span in self.spans
            if span.source in at and span.function.rpartition(".")[2] == name
        )

    def seen_from(self, source: int) -> Self:
        """The same places for someone reading this source, whose lines then need no file name."""
        made = copy.copy(self)
        made._main = -1 if self.sources[source].kind == "library" else source
        return made

    def lines_of(self, stack: int | None) -> tuple[Line, ...]:
        """The lines of a stack, outermost first; none where there is no stack."""
        return () if stack is None else self.stacks[stack]

    def line_of(self, span: int) -> Line:
        """The line on which a span starts."""
        return (self.spans[span].source, self.spans[span].line)

    def text(self, line: Line) -> str:
        """The line's text, empty where it was not recorded."""
        return self._texts[line[0]].get(line[1], "")

    def whole(self, source: int) -> str:
        """The text of a source, empty where only some of its lines are known."""
        return self.sources[source].whole()

    def where(self, line: Line) -> str:
        """'line 4' in the main source, elsewhere as in `where_named`."""
        return f"line {line[1]}" if line[0] == self._main else self.where_named(line)

    def file(self, source: int) -> str:
        """The short name of a source, empty for the main one."""
        return "" if source == self._main else self._short[source]

    def where_range(self, source: int, first: int, last: int) -> str:
        """'lines 3-5', 'model.py, lines 3-5', 'functional.py:3-5'."""
        where = self.where((source, first))
        if first == last:
            return where
        if self.is_library((source, first)):
            return f"{where}-{last}"
        return where.removesuffix(words.line_range(first, first)) + words.line_range(first, last)

    def where_span(self, span: int) -> str:
        """Where a span starts."""
        return self.where(self.line_of(span))

    def where_named(self, line: Line) -> str:
        """'cell 3, line 4', 'model.py, line 7'; for libraries shorter: 'functional.py:2109'."""
        if self.is_call(line):
            return "the compiled call"
        name = self._short[line[0]]
        return f"{name}:{line[1]}" if self.is_library(line) else f"{name}, line {line[1]}"

    def function(self, span: int) -> str:
        """The function that a span is in; a cell's own statements are in 'cell'."""
        at = self.spans[span]
        is_cell = self.sources[at.source].kind == "cell" and at.function in ("<module>", "<cell>")
        return "cell" if is_cell else at.function

    def is_library(self, line: Line) -> bool:
        """Whether the line is in library code."""
        return self.sources[line[0]].kind == "library"

    def is_call(self, line: Line) -> bool:
        """Whether it is of the function that PyTorch puts around a module of its own to compile it.

        That calls the module and does nothing else, so nobody is helped by its file and its lines.
        """
        return line in self._calls

    def is_passing_on(self, line: Line) -> bool:
        """Whether it is of what `torch.no_grad()` puts around a function: it only calls that."""
        return line in self._passing_on

    def own_line(self, stack: int | None) -> Line | None:
        """The innermost line of a stack in the user's code, else the innermost that does more."""
        lines = [line for line in self.lines_of(stack) if not self.is_passing_on(line)]
        own = next((line for line in reversed(lines) if not self.is_library(line)), None)
        return own or (lines[-1] if lines else None)

    def where_all(self, lines: Iterable[Line]) -> str:
        """'cell 3, lines 3, 5; model.py, line 7', only the user's own lines where there are any."""
        known = sorted(set(lines))
        own = [line for line in known if not self.is_library(line)] or known
        by_source: dict[int, list[int]] = {}
        for source, number in own:
            by_source.setdefault(source, []).append(number)
        alone = len(by_source) == 1
        texts = [self._listing(key, numbers, alone) for key, numbers in by_source.items()]
        more = f"; {words.plural(len(texts) - 2, 'more file')}" if len(texts) > 3 else ""
        return "; ".join(texts[:2] if more else texts) + more

    def _listing(self, source: int, numbers: list[int], alone: bool) -> str:
        if len(numbers) == 1:
            line = (source, numbers[0])
            return self.where(line) if alone else self.where_named(line)
        text = f"lines {_ranges(numbers)}"
        return text if alone and source == self._main else f"{self._short[source]}, {text}"


def _lines(stack: Sequence[int], spans: Sequence[Span]) -> tuple[Line, ...]:
    return tuple(dict.fromkeys((spans[index].source, spans[index].line) for index in stack))


def _ranges(numbers: list[int]) -> str:
    """Sorted line numbers, with runs of three or more joined: '3, 5-9'."""
    parts: list[str] = []
    start = previous = numbers[0]
    for number in [*numbers[1:], -1]:
        if number == previous + 1:
            previous = number
            continue
        run = range(start, previous + 1)
        parts += [f"{start}-{previous}"] if len(run) > 2 else [str(n) for n in run]
        start = previous = number
    return words.listed(parts, limit=8) if len(parts) > 8 else ", ".join(parts)


def source_labels(sources: Sequence[Source]) -> tuple[str, ...]:
    """A short name for each source; equal names get their folder, then a number."""
    labels = [_label(source) for source in sources]
    repeated = {label for label, count in Counter(labels).items() if count > 1}
    for index, source in enumerate(sources):
        if labels[index] in repeated and source.kind != "cell":
            labels[index] = "/".join(re.split(r"[/\\]", source.path)[-2:])
    return _numbered(labels)


def _short_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """File names with one folder where needed to tell them apart."""
    found = list(labels)
    for parts in (2, 1):
        names = ["/".join(label.split("/")[-parts:]) for label in labels]
        counts = Counter(names)
        found = [n if counts[n] == 1 else f for n, f in zip(names, found, strict=True)]
    return tuple(found)


def _label(source: Source) -> str:
    if source.kind == "cell":
        number = _CELL_NUMBER.search(source.path)
        return f"cell {number[1]}" if number else "cell"
    if source.kind == "library":
        return LIBRARY_ROOT.sub("", source.path).replace("\\", "/")
    return re.split(r"[/\\]", source.path)[-1] or "code"


def _numbered(labels: list[str]) -> tuple[str, ...]:
    counts, seen = Counter(labels), Counter[str]()
    numbered: list[str] = []
    for label in labels:
        seen[label] += 1
        numbered.append(f"{label} ({seen[label]})" if counts[label] > 1 else label)
    return tuple(numbered)


def span_text(source: Source, span: Span) -> str:
    """The text of a span with columns, empty where it is not stored."""
    if min(span.column, span.end_column) < 0 or span.end_line < span.line:
        return ""
    lines = [source.line(number) for number in range(span.line, span.end_line + 1)]
    known = [line for line in lines if line is not None]
    if len(known) < len(lines):
        return ""
    known[-1] = known[-1][: span.end_column]
    known[0] = known[0][span.column :]
    return " ".join(part for line in known if (part := line.strip()))
