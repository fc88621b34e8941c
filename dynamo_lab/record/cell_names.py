"""The names that a cell's statements bind and read, as far as its text tells."""

import ast
import symtable
from collections.abc import Iterator


def own_nodes(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes that run with the cell itself: not those inside functions and classes."""
    pending: list[ast.AST] = list(reversed(statements))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))


def names_when_defined(statement: ast.stmt) -> set[str]:
    """The names that a definition reads when it is made: decorators, defaults, class bodies."""
    if isinstance(statement, ast.ClassDef):
        parts: list[ast.AST] = [statement]
    else:
        parts = evaluated_parts(statement)
    nodes = (node for part in parts for node in ast.walk(part))
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def evaluated_parts(node: ast.AST) -> list[ast.AST]:
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


def bound_names(statements: list[ast.stmt]) -> tuple[str, ...]:
    """The names that statements bind at the level of the cell, as Python's symbol table says."""
    if not statements:
        return ()
    table = symtable.symtable(ast.unparse(ast.Module(statements, [])), "<cell>", "exec")
    return tuple(
        sorted(s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported())
    )


def names_of_targets(statements: list[ast.stmt]) -> set[str]:
    """The names that only assignments, `del`, `for` and `with` bind: they can be locals.

    Names that anything else binds too stay globals, which is always right and only costs graphs.
    """
    targets: set[str] = set()
    others: set[str] = set()
    for statement in _statements_in(statements):
        targets |= bound_by(statement)
    others |= names_of_expressions(statements) | _names_bound_by_text(statements)
    return targets - others


def names_of_expressions(statements: list[ast.stmt]) -> set[str]:
    """What `:=` binds, also inside comprehensions, which the symbol table counts apart."""
    return {n.target.id for n in own_nodes(statements) if isinstance(n, ast.NamedExpr)}


def bound_by(statement: ast.stmt) -> set[str]:
    """The names that a statement itself binds or deletes, through its targets."""
    nodes = (node for target in _targets(statement) for node in ast.walk(target))
    return {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}


def _names_bound_by_text(statements: list[ast.stmt]) -> set[str]:
    """Names bound by what has them as text: imports, definitions, `except`, `match`, `global`."""
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


def _statements_in(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements and those nested in them, without the insides of functions and classes."""
    return (node for node in own_nodes(statements) if isinstance(node, ast.stmt))


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
