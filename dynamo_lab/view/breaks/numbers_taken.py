"""What Python does with a number that is taken from a tensor: not all of it works on a symbol."""

import ast
from functools import lru_cache

from dynamo_lab.view.breaks.number_flow import Fate, NumberFlow

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def decides(source: str, line: int) -> bool:
    """Whether an `if`, `while`, `assert` or `a if b else c` reads the number taken at this line.

    It may read it where it is taken, or by the name that it is given there. What the file's text
    does not show (a function that is called with it, a file of half a text) counts as no.
    """
    tree = parsed(source)
    return tree is not None and Fate.DECIDES in _functions(tree).fate(line)


def only_computes(source: str, line: int, *, is_inlined: bool = False) -> bool:
    """Whether the number is only computed with: no branch, no size, no index, no unknown call.

    What the caller of an inlined function does with a number that it gives back is not known.
    """
    tree = parsed(source)
    if tree is None:
        return False
    fate = _functions(tree).fate(line)
    return not (fate & (_MORE_THAN_COMPUTES | Fate.GIVEN if is_inlined else _MORE_THAN_COMPUTES))


_MORE_THAN_COMPUTES = Fate.DECIDES_LATER | Fate.WANTED | Fate.PASSED | Fate.KEPT


@lru_cache(maxsize=32)
def parsed(source: str) -> ast.Module | None:
    """The syntax of a file, parsed once for all of its breaks; None where it is not Python."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # it may come from anyone
        return None


class _Functions:
    """The functions of a file by line, each looked through once for all numbers taken in it."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._scopes: dict[int, ast.AST] = {}
        self._flows: dict[ast.AST, NumberFlow] = {}
        for node in ast.walk(tree):  # from the outside in
            if isinstance(node, _Function):
                self._scopes |= dict.fromkeys(range(node.lineno, (node.end_lineno or 0) + 1), node)

    def fate(self, line: int) -> Fate:
        """What the innermost function around a line, or the file, does with its numbers."""
        scope = self._scopes.get(line, self._tree)
        if scope not in self._flows:
            self._flows[scope] = NumberFlow(scope)
        return self._flows[scope].fate(line)


_functions = lru_cache(maxsize=32)(_Functions)  # as files are parsed
