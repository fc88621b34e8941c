"""Notebook cells: what readers call them, and how a cell's statements become one frame.

`torch.compile` compiles functions, a cell is a module. So the statements of a cell become the body
of a function whose locals are the names that they bind, and the function returns those names. (As
globals they would cost the graphs after the first break: Dynamo does not resume past a store to a
global.) Definitions and imports stay at module level, where code in other cells finds them.
"""

import ast
import re
import symtable
import sys
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from dynamo_lab.errors import CellError

RESULT = "__lab_result__"
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


class Unbound:
    """Stands in a frame for a name that has no value yet. Any use of it is the usual NameError."""

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def _fail(self, *_: Any, **__: Any) -> Any:
        raise NameError(f"name {object.__getattribute__(self, '_name')!r} is not defined")

    __getattr__ = __call__ = __bool__ = __iter__ = __len__ = __getitem__ = __repr__ = _fail
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __rmatmul__ = _fail
    __truediv__ = __rtruediv__ = __pow__ = __neg__ = __lt__ = __gt__ = __le__ = __ge__ = _fail


class CellFrame(NamedTuple):
    """A cell, ready to run: `definitions` first, then the frame, a function made of `code`.

    `names` are the names that the frame binds and hands back, each also a parameter of it. `shared`
    are names it stores as globals, since functions read them there.
    """

    definitions: CodeType
    code: CodeType | None
    names: tuple[str, ...]
    shared: tuple[str, ...]
    displays: bool

    def function(self, namespace: dict[str, Any]) -> Callable[..., dict[str, Any]]:
        """The frame as a function of this namespace."""
        assert self.code is not None
        return FunctionType(self.code, namespace, MODULE)

    def arguments(self, namespace: Mapping[str, Any]) -> dict[str, Any]:
        """The values that the frame's names had before."""
        before = {name: namespace.get(name, Unbound(name)) for name in self.names}
        assert self.code is not None
        parameters = self.code.co_varnames[: self.code.co_argcount]
        deleted = {p: Unbound(p.removeprefix(_nothing(""))) for p in parameters if p not in before}
        return before | deleted


def hand_back(values: dict[str, Any], namespace: dict[str, Any]) -> None:
    """Put what the frame bound into the notebook's namespace, and take out what it deleted."""
    for name, value in values.items():
        if not isinstance(value, Unbound):
            namespace[name] = value
        else:
            namespace.pop(name, None)


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
    shared = _shared_names(definitions, statements, namespace)
    definitions, statements = _hoist_constants(definitions, statements, shared)
    names = _bound_names(statements)
    kept_shared = tuple(name for name in names if name in shared)
    names = tuple(name for name in names if name not in shared)
    displays = bool(statements) and isinstance(statements[-1], ast.Expr)
    code = _frame_code(statements, names, kept_shared, filename) if statements else None
    module = ast.Module(definitions, [])
    return CellFrame(compile(module, filename, "exec"), code, names, kept_shared, displays)


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
        needed_now = _names_when_defined(statement)
        if isinstance(statement, _DEFINITIONS) and not needed_now & set(_bound_names(statements)):
            definitions.append(statement)
        else:
            statements.append(statement)
    return definitions, statements


def _names_when_defined(statement: ast.stmt) -> set[str]:
    """The names that a definition reads when it is made: decorators, defaults, class bodies."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            defaults = [d for d in statement.args.kw_defaults if d is not None]
            parts = [*statement.decorator_list, *statement.args.defaults, *defaults]
        case ast.ClassDef():
            parts = [*statement.decorator_list, *statement.bases, *statement.keywords]
            parts += statement.body
        case _:
            parts = []
    nodes = (node for part in parts for node in ast.walk(part))
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _bound_names(statements: list[ast.stmt]) -> tuple[str, ...]:
    """The names that statements bind at the level of the cell, as Python's symbol table says."""
    if not statements:
        return ()
    table = symtable.symtable(ast.unparse(ast.Module(statements, [])), "<cell>", "exec")
    return tuple(
        sorted(s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported())
    )


def _shared_names(
    definitions: list[ast.stmt], statements: list[ast.stmt], namespace: Mapping[str, Any]
) -> set[str]:
    """Names that the frame binds and that functions of this or another cell read as globals."""
    bound = set(_bound_names(statements))
    if not bound:
        return set()
    read: set[str] = set()
    if definitions:
        table = symtable.symtable(ast.unparse(ast.Module(definitions, [])), "<cell>", "exec")
        read |= {name for child in table.get_children() for name in _globals_of(child)}
    for value in list(namespace.values()):
        read |= {name for code in _codes_of(value, namespace) for name in _names_of(code)}
    return bound & read


def _globals_of(table: symtable.SymbolTable) -> Iterator[str]:
    yield from (s.get_name() for s in table.get_symbols() if s.is_global())
    for child in table.get_children():
        yield from _globals_of(child)


def _codes_of(value: object, namespace: Mapping[str, Any]) -> Iterator[CodeType]:
    """The code of a function of this namespace, or of the methods of a class of it."""
    if isinstance(value, FunctionType) and value.__globals__ is namespace:
        yield value.__code__
    elif isinstance(value, type) and value.__module__ == namespace.get("__name__"):
        for member in vars(value).values():
            function = getattr(member, "__func__", member)
            if isinstance(function, FunctionType):
                yield function.__code__


def _names_of(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_of(constant)


def _hoist_constants(
    definitions: list[ast.stmt], statements: list[ast.stmt], shared: set[str]
) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Move `scale = 2.0` to module level where functions read `scale`: no value depends on when."""
    stores = [name for s in statements for name in _bound_names([s])]
    hoisted = [
        statement
        for statement in statements
        if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and all(name in shared and stores.count(name) == 1 for name in _bound_names([statement]))
    ]
    return [*hoisted, *definitions], [s for s in statements if s not in hoisted]


def _frame_code(
    statements: list[ast.stmt], names: tuple[str, ...], shared: tuple[str, ...], filename: str
) -> CodeType:
    deletions = _Deletions(names)
    body: list[ast.stmt] = deletions.visit(ast.Module(list(statements), [])).body
    results: dict[str, ast.expr] = {name: ast.Name(name, ast.Load()) for name in names}
    if isinstance(body[-1], ast.Expr):
        last = body[-1]
        body[-1] = ast.copy_location(
            ast.Assign([ast.Name(RESULT, ast.Store())], last.value, lineno=last.lineno), last
        )
        results[RESULT] = ast.Name(RESULT, ast.Load())
    declared: list[ast.stmt] = [ast.Global(list(shared))] if shared else []
    returned = ast.Return(ast.Dict([ast.Constant(n) for n in results], list(results.values())))
    taken = [*names, *map(_nothing, dict.fromkeys(deletions.deleted))]
    parameters = ast.arguments([], [ast.arg(name) for name in taken], None, [], [], None, [])
    first, last_line = statements[0].lineno, statements[-1].end_lineno or statements[-1].lineno
    function = ast.FunctionDef("cell", parameters, [*declared, *body, returned], [])
    function.lineno, function.end_lineno = 1, last_line
    for statement, line in ((returned, last_line), *((d, first) for d in declared)):
        _place(statement, line)
    module = ast.fix_missing_locations(ast.Module([function], []))
    code = compile(module, filename, "exec")
    frame = next(constant for constant in code.co_consts if isinstance(constant, CodeType))
    # the name of a cell's code: tracebacks find and show its lines by that
    return frame.replace(co_name=MODULE, co_qualname=MODULE)


def _nothing(name: str) -> str:
    """The parameter that carries "no value" for a name that the cell deletes."""
    return f"__lab_unbound_{name}"


class _Deletions(ast.NodeTransformer):
    """Turns `del x` into binding `x` to nothing, so that the frame can still hand `x` back."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self.deleted: list[str] = []

    def visit_Delete(self, node: ast.Delete) -> Any:
        replaced: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id in self._names:
                nothing = ast.Name(_nothing(target.id), ast.Load())
                statement: ast.stmt = ast.Assign([ast.Name(target.id, ast.Store())], nothing)
                self.deleted.append(target.id)
            else:
                statement = ast.Delete([target])
            replaced.append(ast.fix_missing_locations(ast.copy_location(statement, node)))
        return replaced

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        """Python deletes the name of a caught exception when its handler ends."""
        self.generic_visit(node)
        if node.name in self._names:
            name, node.name = node.name, f"__lab_caught_{node.name}"
            bind = ast.parse(f"{name} = {node.name}").body
            unbind = ast.parse(f"{name} = {_nothing(name)}").body
            self.deleted.append(name)
            for statement, line in ((bind[0], node.lineno), (unbind[0], node.body[-1].end_lineno)):
                _place(statement, line or node.lineno)
            node.body = [*bind, *node.body, *unbind]
        return node

    def visit(self, node: ast.AST) -> Any:
        """Leave functions and classes alone: their names are their own affair."""
        inner = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
        return node if isinstance(node, inner) else super().visit(node)


def _place(statement: ast.stmt, line: int) -> None:
    """Give a statement that the cell does not have the line that it is for."""
    for node in ast.walk(statement):
        if isinstance(node, ast.stmt | ast.expr):
            node.lineno = node.end_lineno = line
            node.col_offset = node.end_col_offset = 0
