"""Conditions on sizes, as Python, and those of them that do not follow from the others."""

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping

_SIZES = range(2, 2049)
"""Where conditions are compared: PyTorch takes a size of 0 or 1 for a constant by itself."""

_SIZE = re.compile(r"[A-Za-z_][\w.\[\]'\"]*\.shape\[\d+\]")
_ARITHMETIC: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: lambda left, right: left // right,  # floordiv has no types
    ast.Mod: operator.mod,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def as_python(condition: str) -> str:
    """'a == b' for SymPy's 'Eq(a, b)', 'a % 2' for 'Mod(a, 2)'."""
    try:
        return ast.unparse(_Plain().visit(ast.parse(condition, mode="eval")))
    except SyntaxError:
        return condition


def telling(conditions: Iterable[str]) -> list[str]:
    """The conditions, as Python and in order, less those that follow from simpler ones.

    Those on one and the same size are tried on every size of a range. What is about several sizes,
    or cannot be computed here, stays.
    """
    told = list(dict.fromkeys(as_python(one) for one in conditions))
    holds = {one: _where_it_holds(one) for one in told}
    left = list(told)
    for one in sorted(told, key=len, reverse=True):
        mine = holds[one]
        if mine is None:
            continue
        others = [holds[other] for other in left if other != one and _size(other) == _size(one)]
        both = set(_SIZES).intersection(*(other for other in others if other is not None))
        if both and both <= mine:
            left.remove(one)
    return left


def let_pass(conditions: Iterable[str], size: int) -> bool:
    """Whether a size passes each condition that is about one size alone and can be computed."""
    holds = (_where_it_holds(as_python(one)) for one in conditions)
    return all(size in one for one in holds if one is not None)


def _size(condition: str) -> str:
    """The one size that a condition is about; nothing of several."""
    found = set(_SIZE.findall(condition))
    return found.pop() if len(found) == 1 else ""


def _where_it_holds(condition: str) -> frozenset[int] | None:
    """The sizes that a condition lets pass; None where that cannot be computed."""
    size = _size(condition)
    if not size:
        return None
    try:
        tree = ast.parse(condition.replace(size, "size"), mode="eval").body
        return frozenset(number for number in _SIZES if _holds(tree, number))
    except (SyntaxError, TypeError):
        return None


def _holds(tree: ast.expr, size: int) -> bool:
    """Whether a comparison holds for a size; one that divides by zero does not."""
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        raise TypeError(tree)
    compare = _COMPARISONS.get(type(tree.ops[0]))
    if compare is None:
        raise TypeError(tree)
    try:
        return compare(_number(tree.left, size), _number(tree.comparators[0], size))
    except ZeroDivisionError:
        return False


def _number(tree: ast.expr, size: int) -> int:
    if isinstance(tree, ast.Name) and tree.id == "size":
        return size
    if isinstance(tree, ast.Constant) and isinstance(tree.value, int):
        return tree.value
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return -_number(tree.operand, size)
    if isinstance(tree, ast.BinOp) and type(tree.op) in _ARITHMETIC:
        compute = _ARITHMETIC[type(tree.op)]
        return compute(_number(tree.left, size), _number(tree.right, size))
    raise TypeError(tree)


class _Plain(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A comparison or a remainder in place of the call that SymPy prints."""
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if len(node.args) != 2 or name not in ("Eq", "Ne", "Mod"):
            return node
        left, right = node.args
        if name == "Mod":
            return ast.BinOp(left, ast.Mod(), right)
        return ast.Compare(left, [ast.Eq() if name == "Eq" else ast.NotEq()], [right])
