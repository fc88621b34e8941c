"""Compiler messages, linked to lines of the compiled text."""

import ast
import re
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from dynamo_lab.model.kernels import Diagnostic

_TOLD = re.compile(
    r"^(?P<file>(?:[A-Za-z]:)?[^:\n]+):(?P<line>\d+):(?:(?P<column>\d+):)? "
    r"(?:fatal )?(?P<severity>error|warning|note): (?P<message>.*)$"
)
_MISSING = re.compile(r"(undefined reference to .*|undefined symbol: .*)$")
_ABOVE = re.compile(
    r"^(?:In file included from )?\s*(?P<file>[^:\n]+):(?P<line>\d+)(?::(?P<column>\d+))?[:,]"
)
_FAILED = re.compile(r"\((?P<file>[^()]+), line (?P<line>\d+)\)\s*$")
_MOST = 50  # an error in a template makes hundreds


def of_cpp(
    output: str, source: str, offset: int = 0, lines: int | None = None
) -> tuple[Diagnostic, ...]:
    """What g++ or clang said of the file `source`, whose line `offset + 1` is the text's first.

    An error inside a header is tied to the line of the text that led there; one behind the last of
    its `lines`, in what is added to call the kernel, to none.
    """
    found = tuple(_without_echoes(_cpp(output, source, offset)))[:_MOST]
    if lines is None:
        return found
    return tuple(_within(one, lines) for one in found)


def _within(one: Diagnostic, lines: int) -> Diagnostic:
    if one.line is None or one.line <= lines:
        return one
    message = f"{one.message} (in the code that calls the kernel: keep its name and parameters)"
    return Diagnostic(severity=one.severity, message=message)


def _cpp(output: str, source: str, offset: int) -> Iterator[Diagnostic]:
    led: tuple[int, int | None] | None = None  # the line of the text that led into a header
    for row in output.splitlines():
        told = _TOLD.match(row)
        if told is None:
            if missing := _MISSING.search(row):
                yield Diagnostic(severity="error", message=missing[1])
            elif (above := _ABOVE.match(row)) and above["file"].endswith(source):
                led = _place(above, offset)
            continue
        severity: Any = told["severity"]
        if told["file"].endswith(source):
            line, column = _place(told, offset)
        elif severity == "error":
            line, column = led or (None, None)
        else:
            continue  # a remark on a header says nothing of the text
        yield Diagnostic(severity=severity, message=told["message"], line=line, column=column)
        led = None if severity == "error" else led


def _place(found: re.Match[str], offset: int) -> tuple[int, int | None]:
    column = found["column"]
    return int(found["line"]) - offset, int(column) if column else None


def _without_echoes(found: Iterator[Diagnostic]) -> Iterator[Diagnostic]:
    seen: set[Diagnostic] = set()
    for one in found:
        if one not in seen:
            seen.add(one)
            yield one


def of_python(error: BaseException, text: str, offset: int = 0) -> tuple[Diagnostic, ...]:
    """What building a kernel in Python, such as Triton's, ended with, at its line of the text.

    `offset` is how many lines stood before the text where it was built.
    """
    chain = list(_chain(error))
    reasons = [_said(one) for one in chain if getattr(one, "error_message", None)]
    for one in chain:
        if placed := _of_triton(one, text) or _of_syntax(one, text, offset):
            line, column, message = placed
            told = reasons[-1] if reasons else message
            return (Diagnostic(severity="error", message=told, line=line, column=column),)
    # An error with a line of the text is the one to tell: what stands further down the chain may
    # be one that was being handled, far away, when the text ran.
    told, line = next(_lines_in(chain, text, offset), (chain[-1], None))
    return (Diagnostic(severity="error", message=_said(told), line=line),)


def _lines_in(
    chain: list[BaseException], text: str, offset: int
) -> Iterator[tuple[BaseException, int | None]]:
    """The errors that arose while the text itself ran, as a module, each with its line."""
    for error in chain:
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            with suppress(OSError, UnicodeError):
                if Path(frame.filename).read_text(encoding="utf-8").strip() == text.strip():
                    yield error, (frame.lineno or 1) - offset


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what caused it, the outermost first."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _of_triton(error: Any, text: str) -> tuple[int, int, str] | None:
    """A CompilationError of Triton's, which counts lines from the function's own first."""
    source, node = getattr(error, "src", None), getattr(error, "node", None)
    if not isinstance(source, str) or not isinstance(node, ast.AST) or not hasattr(node, "lineno"):
        return None
    start = text.find(source.strip("\n"))
    if start < 0:
        return None  # a function of another file
    line: Any = node
    return text.count("\n", 0, start) + line.lineno, line.col_offset + 1, _said(error)


def _of_syntax(error: BaseException, text: str, offset: int) -> tuple[int, int, str] | None:
    """A SyntaxError, also one of which only the sentence is left: the text's own has the place."""
    is_syntax = (
        isinstance(error, SyntaxError)
        or "SyntaxError" in str(error)
        or "IndentationError" in str(error)
    )
    if not is_syntax:
        return None
    try:
        ast.parse(text)
    except SyntaxError as found:
        return found.lineno or 1, found.offset or 1, f"{type(found).__name__}: {found.msg}"
    failed = _FAILED.search(str(error))
    return (int(failed["line"]) - offset, 1, _said(error)) if failed else None


def _said(error: BaseException) -> str:
    own = getattr(error, "error_message", None)
    text = str(own or error).strip() or type(error).__name__
    return text if own else f"{type(error).__name__}: {text}"
