"""What a remedy changes in the reader's own text: lines that go and lines that come."""

import ast
import re
from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.model.core.sources import Source
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Line, Places
from dynamo_lab.view.findings.changes import (
    Change,
    ExportArguments,
    Options,
    Reexport,
    Rewrite,
    Setting,
)
from dynamo_lab.view.findings.export_calls import with_arguments


class EditedLines(Struct, frozen=True, kw_only=True):
    """Lines that give way to others. `line` is the first that goes, else where they come in."""

    line: int
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


class SourceEdit(Struct, frozen=True, kw_only=True):
    """The change of one source, a cell or a file, in order of its lines. `name` is its label.

    `is_above` is said of lines for a new cell above that one, where they cannot stand in it.
    """

    source: int
    name: str
    is_cell: bool
    parts: tuple[EditedLines, ...]
    is_above: bool = False


_COMPILED = re.compile(r"# %%compile\b")
_COMMAND = re.compile(r"# %%\w+")


def edit_of(
    change: Change | None, line: Line | None, recording: Recording, places: Places
) -> SourceEdit | None:
    """The lines that a change is about, where they are in a text of the reader's that is known."""
    at = _source_of(change, line, recording)
    source = None if at is None else recording.sources[at]
    if at is None or source is None or not _is_whole(source):
        return None
    try:
        parts = tuple(_parts(change, source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # it may come from anyone
        return None
    is_cell = source.kind == "cell"
    if not parts:
        return None
    return SourceEdit(
        source=at,
        name=places.labels[at],
        is_cell=is_cell,
        parts=parts,
        is_above=bool(place_of(change, line, recording)),
    )


ABOVE = "Run it in a cell above: `%%compile` compiles its cell, and a setting in it comes too late."


def place_of(change: Change | None, line: Line | None, recording: Recording) -> str:
    """Where the code of a change goes, if it cannot stand in the text that it is about."""
    is_late = isinstance(change, Setting) and line and _is_compiled(recording.sources[line[0]])
    return ABOVE if is_late else ""


def _source_of(change: Change | None, line: Line | None, recording: Recording) -> int | None:
    """The source to change: options of a cell are in its command, a setting goes with the line."""
    if isinstance(change, Reexport) and isinstance(change.change, ExportArguments):
        line = change.change.call
    if not isinstance(change, Options):
        return line[0] if line else None
    return next(
        (
            index
            for index, source in enumerate(recording.sources)
            if source.kind == "cell" and source.path == recording.title and _is_compiled(source)
        ),
        None,
    )


def _is_whole(source: Source) -> bool:
    """Whether its text is what ran, and the reader's."""
    is_one = len(source.excerpts) == 1 and source.excerpts[0].first_line == 1
    return is_one and source.kind != "library" and not source.is_changed


def _is_compiled(source: Source) -> bool:
    return bool(source.excerpts and _COMPILED.match(source.excerpts[0].text))


def _parts(change: Change | None, source: Source) -> Iterator[EditedLines]:
    text = source.excerpts[0].text
    match change:
        case Reexport(_, ExportArguments(call) as arguments) if call:
            if changed := with_arguments(text, call[1], arguments):
                yield EditedLines(line=changed.line, removed=changed.removed, added=changed.added)
        case Reexport(_, Rewrite() as change):
            yield from _parts(change, source)
        case Rewrite():
            found = list(difference(text, change.text))
            uses = any(re.search(r"\btorch\.", row) for part in found for row in part.added)
            if uses and "torch" not in _bound(text):
                yield EditedLines(line=_after_imports(text), added=("import torch",))
            yield from found
        case Setting() if _is_compiled(source):  # a new cell, which knows no name
            needed = [f"import {name}" for name in change.needs]
            yield EditedLines(line=1, added=(*needed, change.line))
        case Setting() if source.kind == "cell":
            bound = _bound(text)
            added = [f"import {name}" for name in change.needs if name not in bound]
            yield EditedLines(line=_after_imports(text), added=(*added, change.line))
        case Options(chosen):
            if command := _with_options(text.split("\n")[0], dict(chosen)):
                yield EditedLines(line=1, removed=(text.split("\n")[0],), added=(command,))
        case _:
            pass


def difference(text: str, changed: str) -> Iterator[EditedLines]:
    """What differs between the lines that both begin with and those that both end with."""
    old, new = text.split("\n"), changed.split("\n")
    shorter, start, end = min(len(old), len(new)), 0, 0
    while start < shorter and old[start] == new[start]:
        start += 1
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    removed, added = old[start : len(old) - end], new[start : len(new) - end]
    if removed or added:
        yield EditedLines(line=start + 1, removed=tuple(removed), added=tuple(added))


def _bound(text: str) -> set[str]:
    """The names that a module's text takes from imports at its top, or uses as bound elsewhere."""
    tree = ast.parse(text)
    nested, used = set[str](), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            nested |= _imported(node)
        elif isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else nested).add(node.id)
    top = (_imported(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))
    return set[str]().union(*top) | (used - nested)


def _imported(node: ast.Import | ast.ImportFrom) -> set[str]:
    """The names that an import binds, and the modules that it names whole."""
    bound = {alias.asname or alias.name.split(".")[0] for alias in node.names}
    whole = {alias.name for alias in node.names if not alias.asname}
    return bound | (whole if isinstance(node, ast.Import) else set())


def _after_imports(text: str) -> int:
    """The line before which an import comes: behind the first ones, below a cell's command."""
    body, last = ast.parse(text).body, 0
    for at, statement in enumerate(body):
        is_docstring = at == 0 and isinstance(statement, ast.Expr) and _is_text(statement.value)
        if not is_docstring and not isinstance(statement, ast.Import | ast.ImportFrom):
            break
        last = statement.end_lineno or statement.lineno
    return last + 1 if last else 2 if _COMMAND.match(text) else 1


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


_ON_COMMAND = ("dynamic", "mode", "fullgraph")


def _with_options(command: str, chosen: dict[str, object]) -> str:
    """A cell's command with these options of `torch.compile`; empty if it has no such option."""
    if any(name not in _ON_COMMAND for name in chosen):
        return ""
    for name, value in chosen.items():
        if name == "fullgraph":
            command = re.sub(r"\s+--fullgraph\b", "", command)
            command += " --fullgraph" if value else ""
            continue
        command = re.sub(rf"\s+--{name}(?:\s+|=)[\w-]+(?=\s|$)", "", command)
        command += f" --{name} {str(value).lower()}"
    return command
