"""The code of a cell's frame: its names as locals, each store written through to the global."""

import ast
from types import CodeType

from dynamo_lab.record.cells.names import DEFINITIONS, bound_by, evaluated_parts

_LOCAL = "__lab_local_"
MODULE = "<module>"


def frame_code(
    statements: list[ast.stmt],
    bound: set[str],
    stored: set[str],
    parameters: tuple[str, ...],
    filename: str,
) -> CodeType:
    """The code of a function of these statements, with the names that the cell gave its locals.

    `bound` are the names that the statements bind, `stored` those of them that can be locals.
    """
    body = _returning(_Frame(stored).block(statements))
    declared: list[ast.stmt] = [ast.Global(sorted(bound))] if bound else []
    arguments = [ast.arg(_LOCAL + name) for name in parameters]
    function = ast.FunctionDef(
        "cell", ast.arguments([], arguments, None, [], [], None, []), [*declared, *body], []
    )
    function.lineno, function.end_lineno = 1, statements[-1].end_lineno
    module = ast.fix_missing_locations(ast.Module([function], []))
    code = compile(module, filename, "exec")
    frame = next(constant for constant in code.co_consts if isinstance(constant, CodeType))
    # the name of a cell's code, by which tracebacks find and show its lines
    return _with_own_names(frame).replace(co_name=MODULE, co_qualname=MODULE)


def _returning(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements, of which an expression at the end is returned."""
    *before, last = body
    if not isinstance(last, ast.Expr):
        return body
    return [*before, ast.copy_location(ast.Return(last.value), last)]


def _with_own_names(code: CodeType) -> CodeType:
    """The code with its locals renamed to the names in the cell."""
    nested = tuple(_with_own_names(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(
        co_consts=nested,
        co_varnames=_own(code.co_varnames),
        co_cellvars=_own(code.co_cellvars),
        co_freevars=_own(code.co_freevars),
    )


def _own(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.removeprefix(_LOCAL) for name in names)


class _Frame:
    """Turns names into locals, in place, and writes each store through to the global."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The statements, each with its write-through stores."""
        return [new for statement in statements for new in self._with_stores(statement)]

    def _with_stores(self, statement: ast.stmt) -> list[ast.stmt]:
        bound = sorted(bound_by(statement) & self._names)
        stores = [_store(name, statement) for name in bound]
        for part in _header(statement):
            self._rename(part)
        if not isinstance(statement, DEFINITIONS):
            self._blocks_of(statement)
        if isinstance(statement, ast.For | ast.With):
            statement.body[:0] = stores
            return [statement]
        return [statement, *stores]

    def _blocks_of(self, statement: ast.stmt) -> None:
        for field in ("body", "orelse", "finalbody"):
            if inner := getattr(statement, field, None):
                setattr(statement, field, self.block(inner))
        for part in [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]:
            for condition in (getattr(part, "type", None), getattr(part, "guard", None)):
                if condition is not None:
                    self._rename(condition)
            part.body = self.block(part.body)

    def _rename(self, expression: ast.AST) -> None:
        pending = [expression]
        while pending:
            node = pending.pop()
            if isinstance(node, ast.Name) and node.id in self._names:
                node.id = _LOCAL + node.id
            inside = evaluated_parts(node) if isinstance(node, ast.Lambda) else None
            pending.extend(ast.iter_child_nodes(node) if inside is None else inside)


def _header(statement: ast.stmt) -> list[ast.AST]:
    """The parts of a statement that are not statements themselves."""
    skipped = (ast.stmt, ast.ExceptHandler, ast.match_case)
    if isinstance(statement, DEFINITIONS):
        return evaluated_parts(statement)
    return [child for child in ast.iter_child_nodes(statement) if not isinstance(child, skipped)]


def _store(name: str, statement: ast.stmt) -> ast.stmt:
    """Write a local through to its global, on the line of the statement that bound it."""
    store: ast.stmt
    if isinstance(statement, ast.Delete):
        store = ast.Delete([ast.Name(name, ast.Del())])
    else:
        store = ast.Assign([ast.Name(name, ast.Store())], ast.Name(_LOCAL + name, ast.Load()))
    for node in ast.walk(store):
        if isinstance(node, ast.stmt | ast.expr):
            node.lineno = node.end_lineno = statement.lineno
            node.col_offset = node.end_col_offset = statement.col_offset
    return store
