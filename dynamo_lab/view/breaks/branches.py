"""Branches of Python that read a tensor's number: a symbol in its place decides nothing."""

import ast
from collections.abc import Iterator

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_NUMBERS = frozenset({"float", "int", "bool"})


def decides(source: str, line: int) -> bool:
    """Whether an `if`, `while`, `assert` or `a if b else c` reads the number taken at this line.

    It may read it where it is taken, or by the name that it is given there. What the file's text
    does not show (a function that is called with it, a file of half a text) counts as no.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # it may come from anyone
        return False
    scope = _scope(tree, line)
    tests = [test for test in _tests(scope) if not _asks_what_it_is(test)]
    if any(_takes_number(node, line) for test in tests for node in ast.walk(test)):
        return True
    names = set(_names_given(scope, line))
    return any(
        isinstance(node, ast.Name) and node.id in names and test.lineno >= line
        for test in tests
        for node in ast.walk(test)
    )


def _scope(tree: ast.Module, line: int) -> ast.AST:
    """The innermost function around a line, or the file."""
    found: ast.AST = tree
    for node in ast.walk(tree):  # from the outside in
        if isinstance(node, _Function) and node.lineno <= line <= (node.end_lineno or 0):
            found = node
    return found


def _tests(scope: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(scope):
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            yield node.test


def _asks_what_it_is(test: ast.expr) -> bool:
    """`v is None` and `isinstance(v, int)` ask for no number."""
    match test:
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
            return True
        case ast.Call(func=ast.Name(id="isinstance")):
            return True
        case _:
            return False


def _takes_number(node: ast.AST, line: int) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="item" | "tolist")):
            pass
        case ast.Call(func=ast.Name(id=name)) if name in _NUMBERS:
            pass
        case _:
            return False
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _names_given(scope: ast.AST, line: int) -> Iterator[str]:
    """The names that a number taken at this line is assigned to."""
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                targets = [target]
            case ast.NamedExpr(target=target, value=value):
                targets = [target]
            case _:
                continue
        if any(_takes_number(inner, line) for inner in ast.walk(value)):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
