"""The user's own lines rewritten to avoid the break: source text in, source text out.

Only forms with a clear meaning are rewritten; for the others a sentence says why not.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from dynamo_lab.view.breaks.numbers_taken import parsed
from dynamo_lab.view.findings.changes import Rewrite


class Refusal(Exception):
    """Why a statement cannot be rewritten, as a sentence."""


_Block = list[ast.stmt]
_Statement = tuple[ast.stmt, _Block, str | None]


def with_where(source: str, line: int) -> Rewrite:
    """The `if` on this line as `torch.where`, which computes both sides."""
    return _branch(source, line, "torch.where({test}, {a}, {b})", str)


def with_cond(source: str, line: int) -> Rewrite:
    """The `if` on this line as `torch.cond`, which captures both sides as subgraphs."""
    return _branch(source, line, "torch.cond({test}, lambda: {a}, lambda: {b}, ())", _own_tensor)


def without_call(source: str, line: int) -> Rewrite:
    """The source without the call that this line consists of."""
    found = _find(source, line, ast.Expr)
    statement = found.statement
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        raise Refusal("The call is part of a longer statement: remove it by hand.")
    left = found.replaced([statement], "pass" if len(found.block) == 1 else "")
    return left._replace(drops=True)


def with_line_above(source: str, line: int, text: str) -> Rewrite:
    """The source with a line of code above the `if` or `while` that is on this line."""
    found = _find(source, line, ast.If)
    statement = found.statement
    if statement.lineno != line:
        raise Refusal("The statement begins on another line: change it by hand.")
    rows = source.split("\n")
    row = rows[line - 1]
    indent = row[: len(row) - len(row.lstrip())]
    if row.lstrip().startswith("elif"):
        raise Refusal("An `elif` depends on the conditions before it: rewrite it by hand.")
    changed = "\n".join([*rows[: line - 1], indent + text, *rows[line - 1 :]])
    return Rewrite(changed, found.scope, f"+{indent}{text}\n {row}")


class _Found(NamedTuple):
    source: str
    statement: ast.stmt
    block: _Block
    scope: str | None

    def segment(self, node: ast.AST) -> str:
        return ast.get_source_segment(self.source, node) or ast.unparse(node)

    def replaced(self, statements: _Block, text: str) -> Rewrite:
        lines = self.source.split("\n")
        first, last = statements[0].lineno - 1, statements[-1].end_lineno or 1
        start, end = statements[0].col_offset, statements[-1].end_col_offset or 0
        indent = lines[first].encode()[:start].decode()
        if indent.strip() or lines[last - 1].encode()[end:].decode().split("#")[0].strip():
            raise Refusal("The line contains several statements: put each on its own line first.")
        if lines[first].encode()[start:].startswith(b"elif"):
            raise Refusal("An `elif` depends on the conditions before it: rewrite it by hand.")
        new = [] if not text else (indent + text).split("\n")
        diff = [
            *(f" {row}" for row in lines[first - 1 : first] if first),
            *(f"-{row}" for row in lines[first:last]),
            *(f"+{row}" for row in new),
            *(f" {row}" for row in lines[last : last + 1] if row),
        ]
        changed = "\n".join([*lines[:first], *new, *lines[last:]])
        return Rewrite(changed, self.scope, "\n".join(diff))


def _branch(source: str, line: int, form: str, side: Callable[[str], str]) -> Rewrite:
    found = _find(source, line, ast.If)
    if not isinstance(found.statement, ast.If):
        raise Refusal("Only an `if` statement can be rewritten, not a loop or an `assert`.")
    statements, target, a, b = _sides(found.statement, found.block, found)
    text = form.format(test=_test(found.statement.test, found), a=side(a), b=side(b))
    return found.replaced(statements, f"{target} {text}")


def _own_tensor(side: str) -> str:
    """A branch of `torch.cond` must not return one of its inputs."""
    return f"{side}.clone()" if side.isidentifier() else side


def _sides(statement: ast.If, block: _Block, found: _Found) -> tuple[_Block, str, str, str]:
    """The statements to replace, the text before the value, and the value of both branches."""
    match statement.body, statement.orelse or _next(statement, block):
        case [ast.Return(value=ast.expr() as a)], [ast.Return(value=ast.expr() as b)]:
            last = [] if statement.orelse else _next(statement, block)
            replaced: _Block = [statement, *last]
            sides = replaced, "return", a, b
        case [ast.Assign(targets=[ast.Name(id=name)], value=a)], _ if not statement.orelse:
            if found.scope is not None and not _is_bound_before(name, statement, found.source):
                raise Refusal(f"`{name}` has no value before the `if`: give it one first.")
            if kept := _assigned_before(name, statement, block):
                _single(kept, found)  # refuses what is no side of a choice, as `None`
            return [statement], f"{name} =", _single(a, found), name
        case (
            [ast.Assign(targets=[ast.Name(id=name)], value=a)],
            [ast.Assign(targets=[ast.Name(id=same)], value=b)],
        ) if name == same:
            replaced = [statement]
            sides = replaced, f"{name} =", a, b
        case _:
            raise Refusal(
                "Both branches of the `if` must do the same one thing, assign one name or return a "
                "value, to become one expression."
            )
    statements, target, a, b = sides
    return statements, target, _single(a, found), _single(b, found)


def _is_bound_before(name: str, statement: ast.stmt, source: str) -> bool:
    """Whether the function binds a name before a statement, or takes it as an argument."""
    before = (
        node
        for node in ast.walk(ast.parse(source))
        if getattr(node, "lineno", statement.lineno) < statement.lineno
    )
    return any(
        (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name)
        or (isinstance(node, ast.arg) and node.arg == name)
        for node in before
    )


def _assigned_before(name: str, statement: ast.stmt, block: _Block) -> ast.expr | None:
    """What the same block last assigns to a name before a statement, if that is plain."""
    before = block[: block.index(statement)]
    plain = (one for one in reversed(before) if isinstance(one, ast.Assign))
    named = (one for one in plain if any(ast.unparse(to) == name for to in one.targets))
    return next((one.value for one in named), None)


def _next(statement: ast.stmt, block: _Block) -> _Block:
    at = block.index(statement) + 1
    return block[at : at + 1]


def _single(value: ast.expr, found: _Found) -> str:
    if isinstance(value, ast.Tuple | ast.List | ast.Dict) or (
        isinstance(value, ast.Constant) and not isinstance(value.value, int | float)
    ):
        raise Refusal("Both branches must be one tensor or one number each.")
    if any(isinstance(node, ast.Await | ast.Yield | ast.YieldFrom) for node in ast.walk(value)):
        raise Refusal("A branch that awaits or yields cannot become an expression of tensors.")
    return found.segment(value)


_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def _test(test: ast.expr, found: _Found) -> str:
    """The condition as a tensor of bool."""
    text = found.segment(test)
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand) if not isinstance(operand, ast.BoolOp):
            return f"({found.segment(operand)}) == 0"
        case ast.Compare(
            ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() | ast.Eq() | ast.NotEq()]
        ):
            return text
        case ast.BoolOp() | ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.NamedExpr():
            raise Refusal(
                "Write the condition as one comparison, or join several with `&` and `|` instead "
                "of `and` and `or`."
            )
        case _:
            return f"({text}) != 0"


def _find(source: str, line: int, kind: type[ast.stmt]) -> _Found:
    """The statement of this kind that starts on this line, else the innermost one there."""
    if (tree := parsed(source)) is None:
        raise Refusal("The source around this line is not completely known.")
    there = [_Found(source, *one) for one in _at_lines(tree).get(line, ())]
    if not there:
        raise Refusal("There is no statement on this line that can be rewritten.")
    found = next((one for one in there if isinstance(one.statement, kind)), there[-1])
    if any(
        isinstance(node, ast.Lambda) and node.lineno <= line <= (node.end_lineno or 0)
        for node in ast.walk(found.statement)
    ):
        raise Refusal("A lambda cannot be rewritten: make it a named function.")
    return found


@lru_cache(maxsize=32)
def _at_lines(tree: ast.Module) -> Mapping[int, Sequence[_Statement]]:
    """By line the statements whose heads are on it, looked for once for all breaks of a file."""
    found = dict[int, list[_Statement]]()
    for one in _statements(tree.body, None):
        for line in range(one[0].lineno, _head_end(one[0]) + 1):
            found.setdefault(line, []).append(one)
    return found


def _head_end(statement: ast.stmt) -> int:
    head = getattr(statement, "test", None)
    if isinstance(head, ast.expr):
        return head.end_lineno or 0
    has_body = hasattr(statement, "body")
    return statement.lineno if has_body else statement.end_lineno or 0


def _statements(block: _Block, scope: str | None) -> Iterator[_Statement]:
    for statement in block:
        yield statement, block, scope
        is_function = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
        inside = statement.name if is_function else scope
        for field in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, field, []), inside)
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _statements(part.body, inside)
