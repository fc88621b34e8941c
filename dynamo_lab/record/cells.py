"""Notebook cells: what readers call them, and how a cell's statements become one frame.

`torch.compile` compiles functions, a cell is a module. So the statements of a cell become the body
of a function. The names that they bind are its locals, which Dynamo follows best (of a global that
a function stores and reads again it captures nothing), and each store is written through to the
global of that name, where other cells, and functions and lambdas of this one, find it.
Definitions and imports stay at module level.
"""

import ast
import dis
import re
import symtable
import sys
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from dynamo_lab.errors import CellError

_WRITTEN_BY_DYNAMO = "torch_dynamo_resume_in"
"""What the names of functions that go on after a break begin with."""

_LOCAL = "__lab_local_"
MODULE = "<module>"
_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def cell_label(path: str) -> str | None:
    """The name of the cell that was compiled under this file name, or None for a real file."""
    ipython = sys.modules.get("IPython")  # not imported for this: no IPython, no cells
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return None
    # IPython keeps the number that a cell was executed under for each name it compiled cells with
    number = getattr(shell.compile, "_filename_map", {}).get(path)
    if number is not None:
        return f"cell {number}"
    return "cell" if "ipykernel_" in path or path.startswith("<ipython-input") else None


class CellFrame(NamedTuple):
    """A cell, ready to run: `definitions` first, then the frame, a function made of `code`.

    `parameters` are the names that the frame binds and that have a value before. The function
    returns the value of the cell's last line if that is an expression: if it `displays`.
    """

    definitions: CodeType
    code: CodeType | None
    parameters: tuple[str, ...]
    displays: bool

    def function(self, namespace: dict[str, Any]) -> Callable[..., Any]:
        """The frame as a function of this namespace, into which it also writes."""
        assert self.code is not None
        return FunctionType(self.code, namespace, MODULE)


def build_frame(source: str, filename: str, namespace: Mapping[str, Any]) -> CellFrame:
    """Make a frame of a cell's source.

    Raises:
        SyntaxError: the cell is not Python.
        CellError: it holds a magic or a top-level `await`.
    """
    _refuse_magics(source)
    tree = ast.parse(source, filename)
    refuse_await(source)
    compile(tree, filename, "exec")  # a function would accept a `return`, a cell must not
    definitions, statements = _split(tree.body)
    module = compile(ast.Module(definitions, []), filename, "exec")
    if not statements:
        return CellFrame(module, None, (), displays=False)
    bound = set(_bound_names(statements)) | _names_of_expressions(statements)
    stored = _names_of_targets(statements) - _written_by_functions(tree, namespace)
    parameters = tuple(sorted(stored & namespace.keys()))
    displays = isinstance(statements[-1], ast.Expr)
    code = _frame_code(statements, bound, stored, parameters, filename)
    return CellFrame(module, code, parameters, displays)


_MAGIC = re.compile(r"^\s*(%%?\w+|!\S+|\?\w+)|^\s*\w+\s*=\s*([%!]\w+)", re.MULTILINE)


def _refuse_magics(source: str) -> None:
    try:
        ast.parse(source)
    except SyntaxError:
        found = _MAGIC.search(source)
        if found:
            raise CellError(
                f"`{(found[1] or found[2]).strip()}` is a notebook command, which cannot be "
                "compiled: put it into a cell of its own."
            ) from None


def refuse_await(source: str) -> None:
    """Raise a CellError where a cell awaits something outside of functions."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return  # whoever runs it says so
    for node in _own_nodes(body):
        if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
            raise CellError(
                f"Line {node.lineno} awaits something, which cannot be compiled: "
                "await it in a cell of its own, and use the result here."
            )


def _own_nodes(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes that run with the cell itself: not those inside functions and classes."""
    pending: list[ast.AST] = list(reversed(statements))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))


def _split(body: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Definitions that can go before everything else, and the statements of the frame."""
    definitions: list[ast.stmt] = []
    statements: list[ast.stmt] = []
    for statement in body:
        mentioned = {n.id for s in statements for n in ast.walk(s) if isinstance(n, ast.Name)}
        involved = _names_when_defined(statement) | set(_bound_names([statement]))
        if isinstance(statement, _DEFINITIONS) and not involved & mentioned:
            definitions.append(statement)
        else:
            statements.append(statement)
    return definitions, statements


def _names_when_defined(statement: ast.stmt) -> set[str]:
    """The names that a definition reads when it is made: decorators, defaults, class bodies."""
    if isinstance(statement, ast.ClassDef):
        parts: list[ast.AST] = [statement]
    else:
        parts = _evaluated_parts(statement)
    nodes = (node for part in parts for node in ast.walk(part))
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _evaluated_parts(node: ast.AST) -> list[ast.AST]:
    """The parts of a function, lambda or class that run where it stands, not inside it."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
            defaults = [d for d in node.args.kw_defaults if d is not None]
            return [*decorators, *node.args.defaults, *defaults]
        case ast.ClassDef():
            return [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]
        case _:
            return []


def _bound_names(statements: list[ast.stmt]) -> tuple[str, ...]:
    """The names that statements bind at the level of the cell, as Python's symbol table says."""
    if not statements:
        return ()
    table = symtable.symtable(ast.unparse(ast.Module(statements, [])), "<cell>", "exec")
    return tuple(
        sorted(s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported())
    )


def _names_of_targets(statements: list[ast.stmt]) -> set[str]:
    """The names that only assignments, `del`, `for` and `with` bind: they can be locals.

    Names that anything else binds too stay globals, which is always right and only costs graphs.
    """
    targets: set[str] = set()
    others: set[str] = set()
    for statement in _statements_in(statements):
        targets |= _bound_by(statement)
    others |= _names_of_expressions(statements) | _names_bound_by_text(statements)
    return targets - others


def _names_of_expressions(statements: list[ast.stmt]) -> set[str]:
    """What `:=` binds, also inside comprehensions, which the symbol table counts apart."""
    return {n.target.id for n in _own_nodes(statements) if isinstance(n, ast.NamedExpr)}


def _bound_by(statement: ast.stmt) -> set[str]:
    """The names that a statement itself binds or deletes, through its targets."""
    nodes = (node for target in _targets(statement) for node in ast.walk(target))
    return {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}


def _names_bound_by_text(statements: list[ast.stmt]) -> set[str]:
    """Names bound by what has them as text: imports, definitions, `except`, `match`, `global`."""
    names: set[str] = set()
    for node in _own_nodes(statements):
        match node:
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                names.add(name)
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.ClassDef(name=name):
                names.add(name)
            case ast.Import() | ast.ImportFrom():
                names |= {(a.asname or a.name).partition(".")[0] for a in node.names}
            case ast.Global():
                names |= set(node.names)
            case _:
                pass
    return names


def _statements_in(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements and those nested in them, without the insides of functions and classes."""
    return (node for node in _own_nodes(statements) if isinstance(node, ast.stmt))


def _targets(statement: ast.stmt) -> list[ast.expr]:
    """What a statement assigns to."""
    match statement:
        case ast.Assign() | ast.Delete():
            return statement.targets
        case ast.AugAssign() | ast.For():
            return [statement.target]
        case ast.AnnAssign() if statement.value is not None:
            return [statement.target]
        case ast.With():
            return [i.optional_vars for i in statement.items if i.optional_vars is not None]
        case _:
            return []


def _header(statement: ast.stmt) -> list[ast.AST]:
    """The parts of a statement that are not statements themselves."""
    skipped = (ast.stmt, ast.ExceptHandler, ast.match_case)
    if isinstance(statement, _DEFINITIONS):
        return _evaluated_parts(statement)
    return [child for child in ast.iter_child_nodes(statement) if not isinstance(child, skipped)]


def _written_by_functions(tree: ast.Module, namespace: Mapping[str, Any]) -> set[str]:
    """Globals that functions of this or another cell store: a local would not see it.

    Dynamo leaves the functions that it wrote in the namespace: they store what an earlier run of
    the cell did, and are never called by this one.
    """
    names = {name for n in ast.walk(tree) if isinstance(n, ast.Global) for name in n.names}
    for value in list(namespace.values()):
        if isinstance(value, FunctionType) and value.__globals__ is namespace:
            code = value.__code__
            if code.co_name.startswith(_WRITTEN_BY_DYNAMO):
                continue
            names |= {i.argval for i in dis.get_instructions(code) if i.opname == "STORE_GLOBAL"}
    return names


def _frame_code(
    statements: list[ast.stmt],
    bound: set[str],
    stored: set[str],
    parameters: tuple[str, ...],
    filename: str,
) -> CodeType:
    last = statements[-1]
    body = _Frame(stored).block(statements)
    if isinstance(last, ast.Expr):
        shown = body[-1]
        assert isinstance(shown, ast.Expr)
        body[-1] = ast.copy_location(ast.Return(shown.value), shown)
    declared: list[ast.stmt] = [ast.Global(sorted(bound))] if bound else []
    arguments = [ast.arg(_LOCAL + name) for name in parameters]
    function = ast.FunctionDef(
        "cell", ast.arguments([], arguments, None, [], [], None, []), [*declared, *body], []
    )
    function.lineno, function.end_lineno = 1, last.end_lineno
    module = ast.fix_missing_locations(ast.Module([function], []))
    code = compile(module, filename, "exec")
    frame = next(constant for constant in code.co_consts if isinstance(constant, CodeType))
    # the name of a cell's code: tracebacks find and show its lines by that
    return _with_own_names(frame).replace(co_name=MODULE, co_qualname=MODULE)


def _with_own_names(code: CodeType) -> CodeType:
    """The code with its locals under the names that the cell gave them."""
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
        """The statements, each with what it has to write through."""
        return [new for statement in statements for new in self._with_stores(statement)]

    def _with_stores(self, statement: ast.stmt) -> list[ast.stmt]:
        bound = sorted(_bound_by(statement) & self._names)
        stores = [_store(name, statement) for name in bound]
        for part in _header(statement):
            self._rename(part)
        if not isinstance(statement, _DEFINITIONS):
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
            inside = _evaluated_parts(node) if isinstance(node, ast.Lambda) else None
            pending.extend(ast.iter_child_nodes(node) if inside is None else inside)


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
