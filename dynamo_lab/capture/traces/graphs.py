"""FX graphs, from the readable text that PyTorch logs of them: Python, read and never run."""

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from dynamo_lab.capture.core.pool import Pool
from dynamo_lab.capture.traces.nodes import Nodes, Op
from dynamo_lab.capture.traces.texts import TraceTexts
from dynamo_lab.model.graphs import NodeTable, Value

MAX_TEXT = 16 * 1024 * 1024
"""The most characters of one graph; beyond that it stays text."""
_CLASS = re.compile(r"^(\s*)class (.+)\(torch\.nn\.Module\):$")
"""A class may be called `<lambda>`, which is no name in Python."""
_NO_PLACE = re.compile(r"^\s*#.*No stacktrace found")
_NUMBERED_INPUT = re.compile(r"#\s*PlainAOTInput\(idx=(\d{1,9})\)")


class Body(NamedTuple):
    """A graph as read; `name` is that of its class.

    `inputs` are the numbers of AOTAutograd's notes on its inputs, by node; `unread` are lines that
    are no node.
    """

    name: str
    nodes: NodeTable
    bodies: tuple["Body", ...]
    inputs: dict[int, int]
    unread: tuple[str, ...]


def read(text: str, texts: TraceTexts) -> Body | None:
    """The graph in a text, with those of its higher-order operators; None where it is no graph."""
    if len(text) > MAX_TEXT:
        return None
    lines = text.split("\n")
    code = "\n".join(_CLASS.sub(r"\1class graph(torch.nn.Module):", line) for line in lines)
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    try:
        found = next((one for one in tree.body if isinstance(one, ast.ClassDef)), None)
        return _body(found, lines, texts) if found else None
    except RecursionError:
        return None


def _body(module: ast.ClassDef, lines: Sequence[str], texts: TraceTexts) -> Body | None:
    function = next((one for one in module.body if isinstance(one, ast.FunctionDef)), None)
    if function is None:
        return None
    reader = Nodes(lines)
    reader.read(function)
    ops = reader.ops
    inner = (_body(one, lines, texts) for one in module.body if isinstance(one, ast.ClassDef))
    end = function.end_lineno or len(lines)
    places = _places(lines, function.lineno, end, texts)
    return Body(
        name=_class_name(module, lines),
        nodes=_table(ops, places),
        bodies=tuple(body for body in inner if body is not None),
        inputs={
            at: number for at, op in enumerate(ops) if (number := _input(op, lines)) is not None
        },
        unread=tuple(reader.unread),
    )


def _class_name(module: ast.ClassDef, lines: Sequence[str]) -> str:
    found = _CLASS.match(lines[module.lineno - 1])
    return found[2][:200] if found else module.name


def _table(ops: Sequence[Op], places: dict[int, int]) -> NodeTable:
    strings, values = Pool[str](), Pool[Value]()
    computes = ("placeholder", "output")
    return NodeTable(
        name=tuple(op.name for op in ops),
        op=tuple(strings.add(op.op) for op in ops),
        target=tuple(strings.add(op.target) for op in ops),
        arguments=tuple(op.arguments for op in ops),
        inputs=tuple(op.inputs for op in ops),
        value=tuple(values.add(op.value) for op in ops),
        stack=tuple(-1 if op.op in computes else places.get(op.line, -1) for op in ops),
        module=tuple(strings.add("") for _ in ops),
        strings=strings.items(),
        values=values.items(),
    )


def _places(lines: Sequence[str], first: int, last: int, texts: TraceTexts) -> dict[int, int]:
    """The stack of each line of the text, from the comment that stands above it."""
    found: dict[int, int] = {}
    current = -1
    for number in range(first, last + 1):
        line = lines[number - 1]
        if "#" in line and (place := _place(line)):
            path, at, function, code = place
            texts.quote(path, at, code)
            stack = texts.stack([texts.span(path, at, function)])
            current = -1 if stack is None else stack
        elif _NO_PLACE.match(line):
            current = -1
        found[number] = current
    return found


def _place(line: str) -> tuple[str, int, str, str] | None:
    """Path, line, function and code of the comment "# File: a.py:3 in f, code: x + 1"."""
    before, _, told = line.partition("File: ")
    where, comma, code = told.partition(", code: ")
    place, _, function = where.rpartition(" in ")
    path, _, number = place.rpartition(":")
    is_place = bool(comma and path and function and number.isdecimal() and len(number) < 10)
    is_comment = before.lstrip().startswith("#")
    return (path, int(number), function, code) if is_place and is_comment else None


def _input(op: Op, lines: Sequence[str]) -> int | None:
    if op.op != "placeholder" or not 0 < op.line <= len(lines):
        return None
    found = _NUMBERED_INPUT.search(lines[op.line - 1])
    return int(found[1]) if found else None
