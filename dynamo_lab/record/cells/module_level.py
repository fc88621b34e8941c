"""What a function may not say, or would say of itself: a cell says it of the notebook's names."""

import ast
from collections.abc import Container
from typing import Any

from dynamo_lab.record.cells.names import is_star_import

_OF_ALL_NAMES = {"locals": "globals()", "vars": "globals()", "dir": "sorted(globals())"}


def at_module_level(statements: list[ast.stmt], known: Container[str]) -> bool:
    """Have statements that are about all names mean the notebook's, in place; whether any are.

    Then the frame has no locals: what such a statement binds or reads is not known from its text.
    `known` are names that have another meaning than Python's own.
    """
    meaning = _ModuleLevel(known)
    statements[:] = [meaning.visit(statement) for statement in statements]
    return meaning.is_asked_for


class _ModuleLevel(ast.NodeTransformer):
    def __init__(self, known: Container[str]) -> None:
        self._known = known
        self.is_asked_for = False

    def visit(self, node: ast.AST) -> Any:
        """The node, with a scope of its own as it is."""
        if isinstance(node, _SCOPES):
            return node
        if isinstance(node, ast.ImportFrom) and is_star_import(node):
            return self._replaced(
                node, ast.parse(f"exec({ast.unparse(node)!r}, globals())").body[0]
            )
        if isinstance(node, ast.Name) and node.id == "globals":
            self.is_asked_for = True  # it may be written into
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._call(node, node.func.id)
        return self.generic_visit(node)

    def _call(self, node: ast.Call, name: str) -> ast.expr:
        self.generic_visit(node)
        if name in self._known or node.keywords:
            return node
        if name in _OF_ALL_NAMES and not node.args:
            return self._replaced(node, ast.parse(_OF_ALL_NAMES[name], mode="eval").body)
        if name == "exec" and len(node.args) == 1:
            globals_ = self._replaced(node, ast.parse("globals()", mode="eval").body)
            node.args.append(globals_)
        return node

    def _replaced(self, node: ast.expr | ast.stmt, new: Any) -> Any:
        self.is_asked_for = True
        for inner in ast.walk(new):
            ast.copy_location(inner, node)
        return new


_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
