"""The statements around a line: a loop that it leaves, a `try` that would catch what it raises."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from dynamo_lab.view.breaks.numbers_taken import parsed

_ASSIGN = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_in_loop(source: str, line: int) -> bool:
    """Whether a loop of the same function is around a line."""
    return any(isinstance(node, ast.For | ast.While) for node in _around(source, line))


def try_around(source: str, line: int) -> int | None:
    """The line of the innermost `try` with an `except` around a line, in the same function."""
    tries = (node for node in _around(source, line) if isinstance(node, ast.Try))
    return max((node.lineno for node in tries if node.handlers), default=None)


def raises_if(source: str, line: int) -> bool:
    """Whether the `if` on a line ends in a `raise`: what goes on is where it does not hold."""
    return any(isinstance(one.body[-1], ast.Raise) for one in _tests(source, line))


def only_assigns(source: str, line: int) -> bool:
    """Whether the `if` on a line has no `else`, and does nothing but assign."""
    return any(
        not one.orelse and all(isinstance(inner, _ASSIGN) for inner in one.body)
        for one in _tests(source, line)
    )


def _tests(source: str, line: int) -> list[ast.If]:
    """The `if` statements that ask something on a line, which may go over several."""
    tree = parsed(source)
    return [] if tree is None else _by_line(tree).get(line, [])


def joins(source: str, line: int, text: str) -> bool:
    """Whether an `and` or `or` is on a line, or goes over it; of `text` alone, if it is named.

    The line of a condition over several lines is that of its `if`.
    """
    tree = parsed(source) if source else None
    if tree is None:
        return not text or bool(re.search(r"\b(?:and|or)\b", text))
    return line in _joined(tree)


@lru_cache(maxsize=32)  # as files are parsed: each break of a file asks
def _by_line(tree: ast.Module) -> dict[int, list[ast.If]]:
    """The `if` statements of a file by each line of what they ask."""
    found: dict[int, list[ast.If]] = {}
    for one in ast.walk(tree):
        if isinstance(one, ast.If):
            for line in range(one.lineno, (one.test.end_lineno or one.lineno) + 1):
                found.setdefault(line, []).append(one)
    return found


@lru_cache(maxsize=32)
def _joined(tree: ast.Module) -> frozenset[int]:
    """The lines of a file with an `and` or `or`, and all those of an `if` that asks with one."""
    inside = (node for node in ast.walk(tree) if isinstance(node, ast.BoolOp))
    lines = {line for one in inside for line in _lines_of(one)}
    asked = (
        line for line, tests in _by_line(tree).items() for one in tests if _has_any(one, lines)
    )
    return frozenset({*lines, *asked})


def _lines_of(node: ast.expr) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _has_any(test: ast.If, lines: set[int]) -> bool:
    """Whether a line of what an `if` asks is among some."""
    return not lines.isdisjoint(_lines_of(test.test))


def decides_by_size(source: str, line: int) -> bool:
    """Whether a later test in the function asks for the size of what this line assigns."""
    tree = parsed(source)
    functions = [one for one in ast.walk(tree or ast.Module([], [])) if isinstance(one, _FUNCTIONS)]
    around = [one for one in functions if _has_in_body(one, line)]
    if not around:
        return False
    inner = [*ast.walk(max(around, key=lambda one: one.lineno))]
    assigned = [one for one in inner if isinstance(one, ast.Assign) and one.lineno == line]
    names = {
        one.id
        for statement in assigned
        for target in statement.targets
        for one in ast.walk(target)
        if isinstance(one, ast.Name)
    }
    tests = [one.test for one in inner if isinstance(one, ast.If | ast.While | ast.IfExp)]
    return any(
        _sized(part) in names for test in tests if test.lineno > line for part in ast.walk(test)
    )


def decides(source: str, line: int, name: str) -> bool:
    """Whether a branch or a loop around a line's function reads a name, or what is made of it.

    What a function that is called with it does is not looked for.
    """
    tree = parsed(source) or ast.Module([], [])
    around = [one for one in ast.walk(tree) if isinstance(one, _FUNCTIONS)]
    scope = max((one for one in around if _has_in_body(one, line)), key=_first, default=tree)
    inner = [*ast.walk(scope)]
    known = {name}
    for one in sorted((one for one in inner if isinstance(one, ast.Assign)), key=_first):
        if isinstance(one.value, _COMPUTED) and _names(one.value) & known:
            known |= {target.id for target in one.targets if isinstance(target, ast.Name)}
    return any(_names(asked) & known for node in inner for asked in _asked(node))


_COMPUTED = (ast.Name, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp)


def _asked(node: ast.AST) -> list[ast.expr]:
    """What Python has to know where a statement or an expression decides."""
    match node:
        case ast.If() | ast.While() | ast.IfExp() | ast.Assert():
            return [node.test]
        case ast.For():
            return [node.iter]
        case ast.comprehension():
            return [node.iter, *node.ifs]
        case _:
            return []


def _names(node: ast.expr) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _first(node: ast.stmt) -> int:
    return node.lineno


def _sized(node: ast.AST) -> str:
    """The name whose size an expression is, as of `len(x)`, `x.shape` and `x.numel()`."""
    owner: ast.AST | None = None
    if isinstance(node, ast.Attribute) and node.attr in ("shape", "numel", "size"):
        owner = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        owner = node.args[0] if node.args else None
    return owner.id if isinstance(owner, ast.Name) else ""


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
