"""Where the numbers go that a function takes from its tensors: each name is followed once."""

import ast
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from enum import Flag, auto
from typing import cast

Position = tuple[int, int]
"""A line and a column."""

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


class Fate(Flag):
    """What is done with a number: a branch reads it, or what was computed with it, and so on."""

    NONE = 0
    DECIDES = auto()
    DECIDES_LATER = auto()
    """A branch reads it, or something computed with it."""
    WANTED = auto()
    """It is an index, a size, or what a loop goes over."""
    PASSED = auto()
    """A call of which nothing is known here has it as an argument."""
    KEPT = auto()
    """It goes where nothing is known of it: into an attribute, a container, a text."""
    GIVEN = auto()
    """The function gives it to its caller."""


class _Binding:
    """A value that a name is bound to, from there until the same lines bind it anew."""

    def __init__(self, name: str, value: ast.expr, *, adds: bool) -> None:
        self.name = name
        self.value = value
        self.adds = adds
        self.start = _end(value)
        self.next: _Binding | None = None
        self.is_number = False
        self.fate = Fate.NONE

    @property
    def goes_on(self) -> "_Binding | None":
        """The `x += 1` that it is a part of from then on."""
        return self.next if self.next and self.next.adds else None


class NumberFlow:
    """The numbers that are taken in a function, or in a file outside of functions.

    A binding is read from the end of its value until a statement beside it binds the name again;
    what an earlier turn of a loop left in a name is not looked for.
    """

    def __init__(self, scope: ast.AST) -> None:
        self._scope = scope
        self._parents: dict[ast.AST, ast.AST] = {}
        self._reads = defaultdict[str, list[ast.Name]](list)
        self._takes = defaultdict[int, list[ast.AST]](list)
        self._numbers: set[ast.AST] = set()
        self._bound = defaultdict[ast.AST, list[_Binding]](list)
        for node in ast.walk(scope):
            self._parents.update(dict.fromkeys(ast.iter_child_nodes(node), node))
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._reads[node.id].append(node)
            elif isinstance(node, ast.Call) and _takes_number(node):
                self._numbers.add(node)
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    self._takes[line].append(node)
        for reads in self._reads.values():
            reads.sort(key=_start)
        made = sorted(self._bindings(), key=lambda one: one.start)
        self._made = {one.name for one in made}
        for one in made:  # a name has its number before it is read
            one.is_number |= not one.adds and self._is_number(one.value)
            if one.is_number:
                self._numbers.update(self._reads_of(one))
                if one.goes_on:
                    one.goes_on.is_number = True
        for one in reversed(made):  # and is read before what it is bound to is read
            for read in self._reads_of(one):
                one.fate |= self._fate(read)
            one.fate |= one.goes_on.fate if one.goes_on else Fate.NONE
            one.fate &= ~Fate.NONE if one.is_number else Fate.DECIDES_LATER

    def fate(self, line: int) -> Fate:
        """What is done with the numbers that are taken at a line."""
        found = Fate.NONE
        for taken in self._takes.get(line, ()):
            found |= self._fate(taken)
        return found

    def _bindings(self) -> Iterator[_Binding]:
        """Each, with the one that comes next among the statements beside it."""
        last: dict[tuple[ast.AST, str, str], _Binding] = {}
        for node in ast.walk(self._scope):
            for field, held in ast.iter_fields(node):
                block = cast("list[object]", held) if isinstance(held, list) else [held]
                for statement in block:
                    for name, value in _assigned(statement):
                        made = _Binding(name, value, adds=isinstance(statement, ast.AugAssign))
                        self._bound[value].append(made)
                        if isinstance(statement, ast.stmt):
                            if before := last.get((node, field, name)):
                                before.next = made
                            last[node, field, name] = made
                        yield made

    def _reads_of(self, binding: _Binding) -> list[ast.Name]:
        reads = self._reads.get(binding.name, [])
        first = bisect_left(reads, binding.start, key=_start)
        if binding.next is None:
            return reads[first:]
        return reads[first : bisect_right(reads, binding.next.start, key=_start)]

    def _fate(self, node: ast.AST) -> Fate:
        """What becomes of a number, or of what was computed with one, on the way outwards."""
        found, is_number = self._bound_to(node, True), True
        while node is not self._scope and not isinstance(node, ast.stmt):
            above = self._parents[node]
            found |= self._use(above, node, is_number)
            is_number &= isinstance(above, ast.keyword) or self._is_number(above)
            node = above
            found |= self._bound_to(node, is_number)
        return found

    def _bound_to(self, value: ast.AST, is_number: bool) -> Fate:
        found = Fate.NONE
        for one in self._bound.get(value, ()):
            found |= one.fate if is_number else one.fate & Fate.DECIDES_LATER
        return found

    def _use(self, above: ast.AST, node: ast.AST, is_number: bool) -> Fate:
        """What the syntax around a node does with it."""
        match above:
            case (
                ast.If(test=test)
                | ast.While(test=test)
                | ast.IfExp(test=test)
                | ast.Assert(test=test)
            ) if test is node and not _asks_what_it_is(test):
                return Fate.DECIDES | Fate.DECIDES_LATER
            case ast.Subscript(slice=wanted) | ast.For(iter=wanted) if wanted is node:
                return Fate.WANTED
            case ast.Call() if _called(above) in _SIZES:
                return Fate.WANTED | self._passed(above, node, is_number)
            case ast.Call():
                return self._passed(above, node, is_number)
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]) if is_number:
                return Fate.KEPT
            case ast.JoinedStr() | ast.Dict() | ast.Set():
                return Fate.KEPT
            case ast.Return() | ast.Yield():
                return Fate.GIVEN
            case ast.Lambda(body=body) if above is self._scope and body is node and is_number:
                return Fate.GIVEN
            case _:
                return Fate.NONE

    def _passed(self, call: ast.Call, node: ast.AST, is_number: bool) -> Fate:
        is_argument = is_number and node is not call.func
        return Fate.PASSED if is_argument and not self._takes_numbers(call) else Fate.NONE

    def _takes_numbers(self, call: ast.Call) -> bool:
        """Whether a call is known to take them; a list not made here grows in each call."""
        match call.func:
            case ast.Attribute(value=ast.Name(id=name), attr="append"):
                return name in self._made
            case ast.Attribute(attr="append"):
                return False
            case _:
                return _called(call) in _TAKE_NUMBERS | _CASTS

    def _is_number(self, value: ast.AST) -> bool:
        """Whether it is a taken number, not a tensor that was computed with one."""
        if value in self._numbers:
            return True
        match value:
            case ast.UnaryOp(operand=operand):
                return self._is_number(operand)
            case ast.Call(func=ast.Name(id=name), args=[only]) if name in _CASTS | {"round", "abs"}:
                return self._is_number(only)
            case (
                ast.BinOp(left=left, right=ast.Constant())
                | ast.Compare(left=left, comparators=[ast.Constant()])
            ):
                return self._is_number(left)
            case ast.BinOp(left=ast.Constant(), right=right):
                return self._is_number(right)
            case ast.BinOp(left=left, right=right):
                return self._is_number(left) and self._is_number(right)
            case _:
                return False


def _start(node: ast.expr) -> Position:
    return node.lineno, node.col_offset


def _end(node: ast.expr) -> Position:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _takes_number(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(attr=name):
            return name in _TAKES
        case ast.Name(id=name):
            return name in _CASTS
        case _:
            return False


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


def _assigned(node: object) -> Iterator[tuple[str, ast.expr]]:
    """Each name that a statement or a walrus binds, with its value."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from (pair for target in targets for pair in _pairs(target, value))
        case ast.NamedExpr(target=target, value=value) | ast.AugAssign(target=target, value=value):
            yield from _pairs(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _pairs(target, value)
        case _:
            pass


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case ast.Name(id=name), _:
            yield name, value
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for one, its in zip(targets, values, strict=True):
                yield from _pairs(one, its)
        case ast.Tuple(elts=targets), _:  # whichever of them it is
            for one in targets:
                yield from _pairs(one, value)
        case _:
            pass
