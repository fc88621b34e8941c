"""The names that a cell's statements bind and read, and who else stores them."""

import ast
import dis
import symtable
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

_WRITTEN_BY_DYNAMO = "torch_dynamo_resume_in"
"""The prefix of the names of resume functions, which continue after a break."""


def own_nodes(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes that run with the cell itself: not those inside functions and classes."""
    pending: list[ast.AST] = list(reversed(statements))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))


def mentioned_names(statement: ast.stmt) -> set[str]:
    """All names in a statement, also in its functions."""
    written = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return written | _names_bound_by_text([statement])


def evaluated_parts(node: ast.AST) -> list[ast.AST]:
    """The parts of a function, lambda or class that run where it is defined, not inside it."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
            defaults = [d for d in node.args.kw_defaults if d is not None]
            return [*decorators, *node.args.defaults, *defaults]
        case ast.ClassDef():
            return [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]
        case _:
            return []


def bound_names(statements: list[ast.stmt]) -> tuple[str, ...]:
    """The names that statements bind at the level of the cell, from Python's symbol table."""
    if not statements:
        return ()
    table = symtable.symtable(ast.unparse(ast.Module(statements, [])), "<cell>", "exec")
    return tuple(
        sorted(s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported())
    )


def is_star_import(statement: ast.stmt) -> bool:
    """Whether what it binds cannot be known from its text."""
    return isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"


def names_of_targets(statements: list[ast.stmt]) -> set[str]:
    """The names that only assignments, `del`, `for` and `with` bind: they can be locals.

    Names that anything else also binds stay globals: always correct, but more graphs.
    """
    inner = (node for node in own_nodes(statements) if isinstance(node, ast.stmt))
    targets = {name for statement in inner for name in bound_by(statement)}
    return targets - names_of_expressions(statements) - _names_bound_by_text(statements)


def names_of_expressions(statements: list[ast.stmt]) -> set[str]:
    """What `:=` binds, also inside comprehensions, which have their own symbol tables."""
    return {n.target.id for n in own_nodes(statements) if isinstance(n, ast.NamedExpr)}


def bound_by(statement: ast.stmt) -> set[str]:
    """The names that a statement itself binds or deletes, through its targets."""
    nodes = (node for target in _targets(statement) for node in ast.walk(target))
    return {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}


def _names_bound_by_text(statements: list[ast.stmt]) -> set[str]:
    """Names bound by nodes that have them as text: imports, `def`, `except`, `match`, `global`."""
    names: set[str] = set()
    for node in own_nodes(statements):
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


def written_by_functions(tree: ast.Module, namespace: Mapping[str, Any]) -> set[str]:
    """Globals that functions of this or another cell store: a local would not see it.

    Dynamo leaves its generated functions in the namespace: they belong to an earlier run of
    the cell, and are never called by this one.
    """
    names = {name for n in ast.walk(tree) if isinstance(n, ast.Global) for name in n.names}
    for value in list(namespace.values()):
        if isinstance(value, FunctionType) and value.__globals__ is namespace:
            code = value.__code__
            if code.co_name.startswith(_WRITTEN_BY_DYNAMO):
                continue
            names |= {i.argval for i in dis.get_instructions(code) if i.opname == "STORE_GLOBAL"}
    return names
