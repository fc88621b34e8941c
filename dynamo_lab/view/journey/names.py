"""What a user calls a thing in a recording, and the entity that it is."""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from dynamo_lab.errors import JourneyError
from dynamo_lab.view.code.code import SourceView
from dynamo_lab.view.code.expressions import LINES_ALONE, on_line, shortest
from dynamo_lab.view.view import View

_LINE = re.compile(
    r"(?:line +|(?P<file>.+?)(?:,? +line +|:))(?P<line>\d+)(?: *: *(?P<text>.+))?",
    re.IGNORECASE | re.DOTALL,
)
_KERNEL = re.compile(r"kernel +(?P<kernel>\d+)(?:,? +line +(?P<line>\d+))?", re.IGNORECASE)
_ENTITY = re.compile(
    r"(line|node|statement):\d+:\d+|(kernel|buffer|op|break|frame|guard|expression):\d+"
)

_SAYS = (
    'ask for "line 8", "line 8: torch.relu(x)", "model.py:8", the name of a node, a buffer, an '
    'operation or a kernel, or "kernel 0 line 12"'
)


def entity_of(view: View, asked: str) -> str:
    """The entity of what is asked for.

    A name that several graphs have is the node of the first of them, which is the captured one.

    Raises:
        JourneyError: there is no such thing in the recording.
    """
    asked = asked.strip()
    if _ENTITY.fullmatch(asked):
        return _known(view, asked)
    if found := _KERNEL.fullmatch(asked):
        return _of_kernel(view, int(found["kernel"]), found["line"])
    names = _names(view)
    if asked in names:
        return names[asked]
    if found := _LINE.fullmatch(asked):
        line = _of_line(view, found["file"] or "", int(found["line"]))
        return line if found["text"] is None else _in_line(view, line, found["text"])
    near = get_close_matches(asked, names, 3)
    hint = f" Is it {' or '.join(near)}?" if near else ""
    raise JourneyError(f"Nothing in the recording is called {asked!r}.{hint} You can {_SAYS}.")


def _names(view: View) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, entity in _all_names(view):
        found.setdefault(name, entity)
    return found


def _all_names(view: View) -> Iterator[tuple[str, str]]:
    """Names with their entities: of two of the same name, the earlier wins."""
    for graph in view.graphs:
        for node, name in enumerate(graph.name):
            yield name, f"node:{graph.id}:{node}"
    for buffer in view.lowering.buffers:
        yield buffer.name, f"buffer:{buffer.id}"
    for schedule in view.fusions.schedules:
        yield from ((item.name, f"op:{item.id}") for item in schedule.operations)
    for kernel in view.kernels.kernels:
        yield kernel.name, f"kernel:{kernel.id}"
        yield kernel.title, f"kernel:{kernel.id}"


def _of_kernel(view: View, number: int, line: str | None) -> str:
    kernel = next((one for one in view.kernels.kernels if one.id == number), None)
    if kernel is None:
        count = len(view.kernels.kernels)
        known = f"they are 0 to {count - 1}" if count else "it has none"
        raise JourneyError(f"There is no kernel {number} in the recording: {known}.")
    if line is None:
        return f"kernel:{number}"
    if all(statement.line != int(line) for statement in kernel.statements):
        raise JourneyError(
            f"Line {line} of kernel {number} is no statement that is linked to a node: ask for "
            f'"kernel {number}".'
        )
    return f"statement:{number}:{line}"


def _of_line(view: View, file: str, number: int) -> str:
    source = _source(view, file)
    if all(line.number != number for line in source.lines):
        raise JourneyError(
            f"Line {number} of {source.label} is not in the recording, which has "
            f"{_span(source)} of it."
        )
    return f"line:{source.id}:{number}"


def _in_line(view: View, line: str, text: str) -> str:
    """The expression of a line that the text is, else the shortest that holds it."""
    source, number = (int(one) for one in line.split(":")[1:])
    expressions = view.expressions
    known = list(on_line(expressions, source, number))
    found = shortest(expressions, known, text)
    if found is not None:
        return f"expression:{found}"
    if known:
        there = ", ".join(repr(expressions.shown[one].text) for one in known[:5])
        raise JourneyError(
            f"No operation was captured for {text!r} in line {number}: ask for one of {there}."
        )
    why = "no part of it was captured by itself" if expressions.shown else LINES_ALONE
    raise JourneyError(
        f'Nothing is known of {text!r} in line {number}: {why}. Ask for "line {number}".'
    )


def _source(view: View, file: str) -> SourceView:
    if not view.sources:
        raise JourneyError("The recording has no source: ask for a node or a kernel by its name.")
    if not file:
        return view.sources[view.main_source]
    for source in view.sources:
        if file in (source.label, source.path) or source.path.endswith(f"/{file}"):
            return source
    known = ", ".join(source.label for source in view.sources[:5])
    raise JourneyError(f"The recording has no source {file!r}: it has {known}.")


def _span(source: SourceView) -> str:
    numbers = [line.number for line in source.lines]
    return f"lines {min(numbers)} to {max(numbers)}" if numbers else "no line"


def _known(view: View, entity: str) -> str:
    """The entity, if the view has it."""
    kind, *rest = entity.split(":")
    first, *second = (int(number) for number in rest)
    if kind == "line":
        there = any(
            source.id == first and any(line.number == second[0] for line in source.lines)
            for source in view.sources
        )
    elif kind == "node":
        there = any(graph.id == first and second[0] < len(graph.name) for graph in view.graphs)
    elif kind == "statement":
        return _of_kernel(view, first, str(second[0]))
    else:
        there = first in _ids(view, kind)
    if not there:
        raise JourneyError(f"There is no {entity!r} in the recording. You can {_SAYS}.")
    return entity


def _ids(view: View, kind: str) -> set[int]:
    items = {
        "kernel": view.kernels.kernels,
        "buffer": view.lowering.buffers,
        "break": view.breaks,
        "frame": view.frames,
        "op": tuple(item for one in view.fusions.schedules for item in one.operations),
    }
    if kind in ("guard", "expression"):
        counted = view.guards.guards if kind == "guard" else view.expressions.shown
        return set(range(len(counted)))
    return {item.id for item in items[kind]}
