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
import sys
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from dynamo_lab.errors import CellError
from dynamo_lab.record.cell_names import (
    bound_by,
    bound_names,
    evaluated_parts,
    names_of_expressions,
    names_of_targets,
    names_when_defined,
    own_nodes,
)

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
    bound = set(bound_names(statements)) | names_of_expressions(statements)
    stored = names_of_targets(statements) - _written_by_functions(tree, namespace)
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
    for node in own_nodes(body):
        if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
            raise CellError(
                f"Line {node.lineno} awaits something, which cannot be compiled: "
                "await it in a cell of its own, and use the result here."
            )


def _split(body: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Definitions that can go before everything else, and the statements of the frame."""
    definitions: list[ast.stmt] = []
    statements: list[ast.stmt] = []
    for statement in body:
        mentioned = {n.id for s in statements for n in ast.walk(s) if isinstance(n, ast.Name)}
        involved = names_when_defined(statement) | set(bound_names([statement]))
        if isinstance(statement, _DEFINITIONS) and not involved & mentioned:
            definitions.append(statement)
        else:
            statements.append(statement)
    return definitions, statements


def _header(statement: ast.stmt) -> list[ast.AST]:
    """The parts of a statement that are not statements themselves."""
    skipped = (ast.stmt, ast.ExceptHandler, ast.match_case)
    if isinstance(statement, _DEFINITIONS):
        return evaluated_parts(statement)
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
        bound = sorted(bound_by(statement) & self._names)
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
            inside = evaluated_parts(node) if isinstance(node, ast.Lambda) else None
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
