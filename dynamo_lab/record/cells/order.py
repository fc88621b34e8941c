"""Which definitions of a cell can go before the statements that stand before them.

In the frame Dynamo would not see them: it reads a global while it traces, not once it was stored.
"""

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType
from typing import Any

from dynamo_lab.record.cells.names import (
    DEFINITIONS,
    bound_names,
    is_star_import,
    mentioned_names,
    own_nodes,
)

_WRAPS_ONLY = {
    *("torch.no_grad", "torch.inference_mode", "torch.enable_grad", "torch.compile"),
    *("torch.compiler.disable", "torch._dynamo.disable", "staticmethod", "classmethod", "property"),
    *("dataclass", "dataclasses.dataclass", "contextmanager", "contextlib.contextmanager"),
    *("functools.cache", "functools.lru_cache", "cache", "lru_cache"),
}
"""Decorators that neither read nor change what other statements do."""


def split(
    body: list[ast.stmt], namespace: Mapping[str, Any]
) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Definitions that can go before everything else, and the statements of the frame."""
    made = {name: s for s in body if isinstance(s, DEFINITIONS) for name in bound_names([s])}
    notebook = _Notebook(made, namespace)
    definitions: list[ast.stmt] = []
    before = _Before()
    for statement in body:
        if isinstance(statement, DEFINITIONS) and not before.concern(statement, notebook):
            definitions.append(statement)
        else:
            before.add(statement)
    return definitions, before.statements


@dataclass
class _Before:
    """The statements that a definition would overtake."""

    statements: list[ast.stmt] = field(default_factory=list[ast.stmt])
    mentioned: set[str] = field(default_factory=set[str])
    changed: set[str] = field(default_factory=set[str])

    def add(self, statement: ast.stmt) -> None:
        """One more, with the names in it and what it binds or writes into."""
        self.statements.append(statement)
        self.mentioned |= mentioned_names(statement)
        self.changed |= set(bound_names([statement])) | set(_written_into(statement))

    def concern(self, definition: ast.stmt, notebook: "_Notebook") -> bool:
        """Whether a definition would be another one, or do something else, if it came first."""
        if not self.statements:
            return False
        if isinstance(definition, ast.Import | ast.ImportFrom) and _runs_a_module(definition):
            return True
        needs = _needs_of(definition, notebook)
        if not self.mentioned.isdisjoint(notebook.read_through(needs.contents)):
            return True
        own = bound_names([definition])
        return not self.mentioned.isdisjoint(own) or _is_any(needs.values, self.changed)


def _runs_a_module(statement: ast.Import | ast.ImportFrom) -> bool:
    """Whether it may run a module's code, which may read all that statements before it changed.

    Such as where modules are looked for, or the environment.
    """
    if isinstance(statement, ast.Import):
        return any(alias.name not in sys.modules for alias in statement.names)
    module = sys.modules.get(statement.module or "")
    if module is None or statement.level or is_star_import(statement):
        return True
    known = getattr(module, "__dict__", {})  # asked for others, a module may import them
    return any(alias.name not in known for alias in statement.names)


def _written_into(statement: ast.stmt) -> Iterator[str]:
    """The objects of which a statement stores or deletes a part: `a.b` of `a.b[0] = 1`."""
    for node in own_nodes([statement]):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield _dotted(node) or _dotted(node.value)
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield _dotted(node.value)


def _dotted(node: ast.expr) -> str:
    """`a.b.c`; nothing of what is no name of a name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=name) if owner := _dotted(value):
            return f"{owner}.{name}"
        case _:
            return ""


def _is_any(values: set[str], changed: set[str]) -> bool:
    """Whether one of these values, or what it is an attribute of, was changed."""
    parts = (value.split(".") for value in values)
    return any(".".join(own[: at + 1]) in changed for own in parts for at in range(len(own)))


@dataclass
class _Needs:
    """What making a definition takes as it is, and what it may look into, call or change.

    `values` are names and attributes of modules, `contents` names.
    """

    values: set[str] = field(default_factory=set[str])
    contents: set[str] = field(default_factory=set[str])


def _needs_of(definition: ast.stmt, notebook: "_Notebook") -> _Needs:
    needs = _Needs()
    pending: list[ast.AST] = [definition]
    while pending:
        node = pending.pop()
        for decorator in getattr(node, "decorator_list", ()):
            called, arguments = _decorator(decorator)
            if ast.unparse(called) in _WRAPS_ONLY:
                pending += [called, *arguments]
            else:
                needs.contents |= _names(decorator)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                pending += _evaluated(node)
            case ast.ClassDef(bases=bases, keywords=keywords, body=body):
                pending += [*bases, *body]
                hooks = [base for base in bases if notebook.acts_when_subclassed(base)]
                for part in (*hooks, *keywords):  # such as a metaclass
                    needs.contents |= _names(part)
            case ast.Name():
                needs.values.add(node.id)
            case ast.ImportFrom(module=str(module), names=names):
                needs.values |= {f"{module}.{alias.name}" for alias in names}
            case ast.Attribute() if notebook.is_of_module(node):
                needs.values.add(_dotted(node))
            case _ if isinstance(node, _AS_IT_IS):
                pending += ast.iter_child_nodes(node)
            case _:
                needs.contents |= _names(node)
    return needs


_AS_IT_IS = (
    *(ast.Import, ast.Pass, ast.Assign, ast.AnnAssign, ast.Expr, ast.Constant),
    *(ast.Tuple, ast.List, ast.Dict, ast.Set, ast.expr_context, ast.alias),
)


def _decorator(decorator: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    """What is called to wrap, and its arguments."""
    if not isinstance(decorator, ast.Call):
        return decorator, []
    return decorator.func, [*decorator.args, *(keyword.value for keyword in decorator.keywords)]


def _evaluated(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.AST]:
    """What is evaluated where a function is made, but for its decorators."""
    annotations = [arg.annotation for arg in ast.walk(node.args) if isinstance(arg, ast.arg)]
    returned = None if isinstance(node, ast.Lambda) else node.returns
    defaults = [*node.args.defaults, *node.args.kw_defaults]
    return [part for part in (*annotations, returned, *defaults) if part is not None]


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


@dataclass(frozen=True)
class _Notebook:
    """What names of a cell stand for: definitions of the cell, or values of cells before it."""

    definitions: Mapping[str, ast.stmt]
    namespace: Mapping[str, Any]

    def is_of_module(self, node: ast.Attribute) -> bool:
        """Whether it is an attribute of a module, or of one in it."""
        name = _dotted(node).partition(".")[0]
        imported = isinstance(self.definitions.get(name), ast.Import)
        return imported or isinstance(self.namespace.get(name), ModuleType)

    def acts_when_subclassed(self, base: ast.expr) -> bool:
        """Whether it is a class that runs code of the notebook where one is derived from it."""
        if not isinstance(base, ast.Name):
            return False
        match self.definitions.get(base.id):
            case ast.ClassDef() as made:
                inside = [n.name for n in made.body if isinstance(n, ast.FunctionDef)]
                inherited = any(map(self.acts_when_subclassed, made.bases))
                return "__init_subclass__" in inside or bool(made.keywords) or inherited
            case _:
                value = self.namespace.get(base.id)
        hooks = (getattr(value, "__init_subclass__", None), _metaclass(value))
        return any(self._read_by(hook) for hook in hooks)

    def read_through(self, names: set[str]) -> set[str]:
        """These names, and all that functions and classes of the notebook that they name may read.

        A decorator, a default or a class's body may call them.
        """
        found: set[str] = set()
        pending = list(names)
        while pending:
            name = pending.pop()
            if name in found:
                continue
            found.add(name)
            if name in self.definitions:
                pending += mentioned_names(self.definitions[name])
            elif name in self.namespace:
                pending += self._read_by(self.namespace[name])
        return found

    def _read_by(self, value: Any) -> set[str]:
        """The globals that a function, a class or an object of the notebook's own may read."""
        value = inspect.unwrap(value) if callable(value) else value
        value = getattr(value, "__func__", value)
        if isinstance(value, FunctionType):
            return _globals_of(value.__code__) if value.__globals__ is self.namespace else set()
        own = value if isinstance(value, type) else type(value)
        methods = [method for kind in own.__mro__ for method in vars(kind).values()]
        unwrapped = [getattr(m, "__func__", getattr(m, "fget", m)) for m in methods]
        codes = [
            method.__code__
            for method in unwrapped
            if isinstance(method, FunctionType) and method.__globals__ is self.namespace
        ]
        return set[str]().union(*map(_globals_of, codes))


def _metaclass(value: Any) -> type | None:
    return type(value) if isinstance(value, type) and type(value) is not type else None


def _globals_of(code: CodeType) -> set[str]:
    """The names that code and the functions in it read, attributes among them."""
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_globals_of, inner))
