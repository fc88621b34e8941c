"""Notebook cells: their names for the user, and how a cell's statements become one frame.

`torch.compile` compiles functions, but a cell is a module. So the statements of a cell become the
body of a function. The names that they bind are its locals, which Dynamo traces best (it captures
nothing of a global that a function stores and reads again), and each store is written through to
the global of that name, where other cells, and functions and lambdas of this one, find it.
Definitions and imports go before it, at module level, if no statement before them concerns them.
"""

import ast
import re
import sys
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from dynamo_lab.errors import CellError
from dynamo_lab.record.cells.code import MODULE, frame_code
from dynamo_lab.record.cells.module_level import at_module_level
from dynamo_lab.record.cells.names import (
    bound_names,
    is_star_import,
    names_of_expressions,
    names_of_targets,
    own_nodes,
    written_by_functions,
)
from dynamo_lab.record.cells.order import split

__all__ = ["MODULE", "CellFrame", "build_frame", "cell_label", "refuse_await"]


def cell_label(path: str) -> str | None:
    """The name of the cell that was compiled under this file name, or None for a real file."""
    ipython = sys.modules.get("IPython")  # not imported for this: no IPython, no cells
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return None
    # IPython maps each file name that it compiled a cell with to the cell's execution number
    number = getattr(shell.compile, "_filename_map", {}).get(path)
    if number is not None:
        return f"cell {number}"
    return "cell" if "ipykernel_" in path or path.startswith("<ipython-input") else None


class CellFrame(NamedTuple):
    """A cell, ready to run: `definitions` first, then the frame, a function made from `code`.

    `parameters` are the names that the frame binds and that have a value before it runs. The
    function returns the value of the cell's last line if that is an expression: then it `displays`.
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
    """Make a frame from a cell's source.

    Raises:
        SyntaxError: the cell is not Python.
        CellError: it holds a magic or a top-level `await`.
    """
    _refuse_magics(source)
    tree = ast.parse(source, filename)
    refuse_await(source)
    compile(tree, filename, "exec")  # a function would accept a `return`, a cell must not
    definitions, statements = split(tree.body, namespace)
    module = compile(ast.Module(definitions, []), filename, "exec")
    if not statements:
        return CellFrame(module, None, (), displays=False)
    bound = set(bound_names(statements)) | names_of_expressions(statements)
    stored = names_of_targets(statements) - written_by_functions(tree, namespace)
    valued = namespace.keys() | set(bound_names(definitions))  # once the definitions ran
    if any(is_star_import(statement) for statement in definitions):
        stored &= valued  # of the others it is not known whether they have a value
    if at_module_level(statements, bound | valued):
        stored = set[str]()
    parameters = tuple(sorted(stored & valued))
    displays = isinstance(statements[-1], ast.Expr)
    code = frame_code(statements, bound, stored, parameters, filename)
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
                "compiled: put it into a separate cell."
            ) from None


def refuse_await(source: str) -> None:
    """Raise a CellError if a cell awaits something outside of functions."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return  # whoever runs it says so
    for node in own_nodes(body):
        if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
            raise CellError(
                f"Line {node.lineno} awaits something, which cannot be compiled: "
                "await it in a separate cell, and use the result here."
            )
