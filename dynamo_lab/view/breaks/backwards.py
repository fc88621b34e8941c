"""Calls in the `backward` of an autograd function, which has no place after the call to move to.

Dynamo traces it where `apply` is called, and breaks there; autograd calls it later, from nowhere
in the reader's text.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache

from dynamo_lab.model.breaks import Break
from dynamo_lab.view.breaks.advice import rule_of
from dynamo_lab.view.breaks.numbers_taken import parsed
from dynamo_lab.view.core.places import Line, Places

_SAID = {"print call": "print", "logging call": "log", "warning": "warn"}
"""Kinds of break that only say something, by what is said there: such a call can be in a hook."""


_MOVED = "Move the call out of the compiled function"


def advice_on(item: Break, places: Places, advice: tuple[str, ...]) -> tuple[str, ...]:
    """The advice; what is to be moved out of a `backward` can only be left out, or be a hook."""
    verb = _SAID.get(rule_of(item).title)
    lines = places.lines_of(item.stack) if verb else ()
    name = next(filter(None, (_backward_around(line, places) for line in lines)), "")
    moved = next((one for one in advice if one.startswith(_MOVED)), None)
    if not name or moved is None:
        return advice
    told = (
        f"The `backward` of `{name}` runs it: Dynamo traces that where `{name}.apply` is called, "
        "and autograd runs it later, so there is no line after the call to move it to. Leave it "
        f"out there, or {verb} in a hook of a tensor that the compiled function returns, set on "
        "the result: `out.register_hook(lambda gradient: ...)`."
    )
    return tuple(told if one == moved else one for one in advice)


def _backward_around(line: Line, places: Places) -> str:
    """The autograd function in whose `backward` a line is; empty for any other line."""
    tree = parsed(places.whole(line[0]))
    ranges = _ranges(tree) if tree is not None else ()
    return next((name for first, last, name in ranges if first <= line[1] <= last), "")


@lru_cache(maxsize=32)  # as files are parsed: a break asks for each line of its stack
def _ranges(tree: ast.Module) -> tuple[tuple[int, int, str], ...]:
    """The first and last line of each `backward` of a file, and its autograd function."""
    return tuple(
        (one.lineno, one.end_lineno or 0, node.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and _is_function(node)
        for one in _backwards(node)
    )


def _is_function(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).split(".")[-1] == "Function" for base in node.bases)


def _backwards(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    return (
        one
        for one in node.body
        if isinstance(one, ast.FunctionDef) and one.name in ("backward", "vjp")
    )
