"""What Python does with a number that is taken from a tensor: not all of it works on a symbol."""

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_CASTS = frozenset({"float", "int", "bool"})
_TAKES = frozenset({"item", "tolist"})
_TAKE_NUMBERS = frozenset(
    {"add", "append", "clamp", "clamp_max", "clamp_min", "div", "fill_", "full_like", "lerp"}
    | {"masked_fill", "maximum", "minimum", "mul", "pow", "sub", "where"}
)
"""What can be called with a number that is a symbol: none of them makes a size of it.

Not `print`: it takes the number, and breaks.
"""
_SIZES = frozenset(
    {"arange", "chunk", "empty", "expand", "full", "linspace", "narrow", "new_empty", "new_full"}
    | {"new_ones", "new_zeros", "one_hot", "ones", "rand", "randint", "randn", "range", "repeat"}
    | {"reshape", "roll", "split", "topk", "view", "zeros"}
)
"""What takes numbers as sizes, also computed ones."""

_LINES = 4096
"""A loop breaks at few lines, again and again, and several views ask about each break."""


class Taken(NamedTuple):
    """The numbers taken at a line: the function around it, and the names that they are given."""

    scope: ast.AST
    line: int
    names: frozenset[str]

    def reads(self, node: ast.AST) -> bool:
        """Whether this is such a number, or its name."""
        if isinstance(node, ast.Name):
            return node.id in self.names and node.lineno >= self.line
        return _takes_number(node, self.line)

    def reads_in(self, node: ast.AST) -> bool:
        """Whether one is read anywhere in it."""
        return any(map(self.reads, ast.walk(node)))


@lru_cache(_LINES)
def decides(source: str, line: int) -> bool:
    """Whether an `if`, `while`, `assert` or `a if b else c` reads the number taken at this line.

    It may read it where it is taken, or by the name that it is given there. What the file's text
    does not show (a function that is called with it, a file of half a text) counts as no.
    """
    taken = _taken(source, line)
    return taken is not None and _decided(taken)


@lru_cache(_LINES)
def only_computes(source: str, line: int, *, is_inlined: bool = False) -> bool:
    """Whether the number is only computed with: no branch, no size, no index, no unknown call.

    What the caller of an inlined function does with a number that it gives back is not known.
    """
    taken = _taken(source, line)
    if taken is None or _decided(_with_computed(taken)) or _passed_on(taken):
        return False
    if _is_kept(taken) or (is_inlined and _is_given_back(taken)):
        return False
    return not any(map(taken.reads_in, _demanding(taken.scope)))


@lru_cache(maxsize=32)
def parsed(source: str) -> ast.Module | None:
    """The syntax of a file, parsed once for all of its breaks; None where it is not Python."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # it may come from anyone
        return None


def _taken(source: str, line: int) -> Taken | None:
    tree = parsed(source)
    if tree is None:
        return None
    taken = Taken(_scope(tree, line), line, frozenset())
    while (names := frozenset(_names_given(taken))) != taken.names:  # a name of a name
        taken = taken._replace(names=names)
    return taken


def _with_computed(taken: Taken) -> Taken:
    """With the names of all that is computed with the number: some of it may be numbers too."""
    names = taken.names
    while True:
        more = {name for name, value in _named(taken.scope) if taken.reads_in(value)}
        if more <= names:
            return taken
        names |= more
        taken = taken._replace(names=names)


def _scope(tree: ast.Module, line: int) -> ast.AST:
    """The innermost function around a line, or the file."""
    found: ast.AST = tree
    for node in ast.walk(tree):  # from the outside in
        if isinstance(node, _Function) and node.lineno <= line <= (node.end_lineno or 0):
            found = node
    return found


def _decided(taken: Taken) -> bool:
    """Whether a branch reads such a number."""
    tests = (test for test in _tests(taken.scope) if not _asks_what_it_is(test))
    return any(map(taken.reads_in, tests))


def _tests(scope: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(scope):
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            yield node.test


def _demanding(scope: ast.AST) -> Iterator[ast.AST]:
    """What may want a number that is known: indices, loops, and what is given as a size."""
    for node in ast.walk(scope):
        match node:
            case ast.Subscript():
                yield node.slice
            case ast.For():
                yield node.iter
            case ast.Call() if _called(node) in _SIZES:
                yield node
            case _:
                pass


def _passed_on(taken: Taken) -> bool:
    """Whether such a number, as it is, is an argument of a call of which nothing is known here."""
    made = {name for name, _ in _named(taken.scope)}
    return any(
        _is_number(value, taken)
        for node in ast.walk(taken.scope)
        if isinstance(node, ast.Call) and not _takes_numbers(node, made)
        for value in (*node.args, *(keyword.value for keyword in node.keywords))
    )


def _takes_numbers(call: ast.Call, made: set[str]) -> bool:
    """Whether a call is known to take them; a list that is not `made` here grows in each call."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=name), attr="append"):
            return name in made
        case ast.Attribute(attr="append"):
            return False
        case _:
            return _called(call) in _TAKE_NUMBERS | _CASTS


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


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
        case ast.Call(func=ast.Attribute(attr=name)) if name in _TAKES:
            pass
        case ast.Call(func=ast.Name(id=name)) if name in _CASTS:
            pass
        case _:
            return False
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _names_given(taken: Taken) -> Iterator[str]:
    """The names that such numbers are given, as they are, negated, cast, or with a constant."""
    for node in ast.walk(taken.scope):
        if not isinstance(node, ast.AugAssign):
            yield from (name for name, value in _assigned(node) if _is_number(value, taken))


def _named(scope: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(scope):
        yield from _assigned(node)


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Each name that a statement or a walrus binds, with its value."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from (pair for target in targets for pair in _bound(target, value))
        case ast.NamedExpr(target=target, value=value) | ast.AugAssign(target=target, value=value):
            yield from _bound(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _bound(target, value)
        case _:
            pass


def _bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case ast.Name(id=name), _:
            yield name, value
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for one, its in zip(targets, values, strict=True):
                yield from _bound(one, its)
        case ast.Tuple(elts=targets), _:  # whichever of them it is
            for one in targets:
                yield from _bound(one, value)
        case _:
            pass


def _is_kept(taken: Taken) -> bool:
    """Whether it goes where nothing is known of it: into an attribute, a container, a text."""
    for node in ast.walk(taken.scope):
        match node:
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_], value=value):
                kept = _is_number(value, taken)
            case ast.JoinedStr() | ast.Dict() | ast.Set():
                kept = taken.reads_in(node)
            case _:
                continue
        if kept:
            return True
    return False


def _is_given_back(taken: Taken) -> bool:
    """Whether the function gives such a number to its caller."""
    if isinstance(taken.scope, ast.Lambda):
        return _is_number(taken.scope.body, taken)
    backs = (node for node in ast.walk(taken.scope) if isinstance(node, ast.Return | ast.Yield))
    return any(back.value is not None and taken.reads_in(back.value) for back in backs)


def _is_number(value: ast.expr, taken: Taken) -> bool:
    """Whether it is a taken number, not a tensor that was computed with one."""
    if taken.reads(value):
        return True
    match value:
        case ast.UnaryOp(operand=operand):
            return _is_number(operand, taken)
        case ast.Call(func=ast.Name(id=name), args=[only]) if name in _CASTS | {"round", "abs"}:
            return _is_number(only, taken)
        case (
            ast.BinOp(left=left, right=ast.Constant())
            | ast.Compare(left=left, comparators=[ast.Constant()])
        ):
            return _is_number(left, taken)
        case ast.BinOp(left=ast.Constant(), right=right):
            return _is_number(right, taken)
        case ast.BinOp(left=left, right=right):
            return _is_number(left, taken) and _is_number(right, taken)
        case _:
            return False
