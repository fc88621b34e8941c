"""The statements around a line: a loop that it leaves, a `try` that would catch what it raises."""

import ast
from collections.abc import Iterator

from dynamo_lab.view.breaks.numbers_taken import parsed

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_in_loop(source: str, line: int) -> bool:
    """Whether a loop of the same function is around a line."""
    return any(isinstance(node, ast.For | ast.While) for node in _around(source, line))


def try_around(source: str, line: int) -> int | None:
    """The line of the innermost `try` with an `except` around a line, in the same function."""
    tries = (node for node in _around(source, line) if isinstance(node, ast.Try))
    return max((node.lineno for node in tries if node.handlers), default=None)


def _around(source: str, line: int) -> Iterator[ast.stmt]:
    """The statements of the line's function that have it in their body, the outermost first."""
    found: list[ast.stmt] = []
    tree = parsed(source)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.stmt) and _has_in_body(node, line):
            found = [] if isinstance(node, _FUNCTIONS) else [*found, node]
    return iter(found)


def _has_in_body(node: ast.stmt, line: int) -> bool:
    body: list[ast.stmt] = getattr(node, "body", [])
    return bool(body) and body[0].lineno <= line <= (body[-1].end_lineno or 0)
