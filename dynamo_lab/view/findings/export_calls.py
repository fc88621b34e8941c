"""A call of `torch.export.export` with other arguments, as lines that go and lines that come."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from dynamo_lab.view.findings.changes import ExportArguments


class Lines(NamedTuple):
    """Lines that give way to others, from the first of them."""

    line: int
    removed: tuple[str, ...]
    added: tuple[str, ...]


def with_arguments(text: str, line: int, change: ExportArguments) -> Lines | None:
    """The statement with the call on this line; None where what it passes is not to be seen."""
    tree = ast.parse(text)
    found = next(_calls(tree, line), None)
    if found is None:
        return None
    statement, call = found
    if any(one.arg is None for one in call.keywords) or len(call.args) > 3:
        return None  # **kwargs, or something else than an export
    *made, spec = change.text.split("\n") if change.text else ("",)
    values = {"dynamic_shapes": spec.removeprefix("dynamic_shapes = ")} if spec else {}
    if change.strict is not None:
        values["strict"] = str(change.strict)
    rows = text.split("\n")
    first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
    indent = rows[first][: len(rows[first]) - len(rows[first].lstrip())]
    changed = _changed("\n".join(rows[first:last]), first, call, values)
    if changed is None:
        return None
    added = [*(indent + row for row in made), *changed.split("\n")]
    if not re.search(r"\bimport\b[^\n]*\bDim\b", text):
        added = [re.sub(r"(?<![\w.])Dim(?=[(.])", "torch.export.Dim", row) for row in added]
    return Lines(first + 1, tuple(rows[first:last]), tuple(added))


def _calls(tree: ast.Module, line: int) -> Iterator[tuple[ast.stmt, ast.Call]]:
    """The call of an export on a line, with the innermost statement that it is in."""
    simple = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)
    for statement in ast.walk(tree):
        if not isinstance(statement, simple):
            continue
        for node in ast.walk(statement):
            if not isinstance(node, ast.Call) or _name(node.func) != "export":
                continue
            if node.lineno <= line <= (node.end_lineno or node.lineno):
                yield statement, node


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _changed(text: str, above: int, call: ast.Call, values: dict[str, str]) -> str | None:
    """The statement's text with these arguments in the call; None if that is not the call's."""
    data, edits = text.encode(), list[tuple[int, int, str]]()
    starts = [0]
    for row in text.encode().split(b"\n"):
        starts.append(starts[-1] + len(row) + 1)

    def at(line: int | None, column: int | None) -> int:
        return starts[(line or 1) - 1 - above] + (column or 0)

    passed = {one.arg: one.value for one in call.keywords}
    for name, value in values.items():
        old = passed.get(name)
        if old is not None:
            span = at(old.lineno, old.col_offset), at(old.end_lineno, old.end_col_offset)
            edits.append((*span, value))
            continue
        end = at(call.end_lineno, call.end_col_offset) - 1
        last = [*call.args, *(one.value for one in call.keywords)]
        if not last:
            return None
        behind = max(at(one.end_lineno, one.end_col_offset) for one in last)
        comma = " " if data[behind:end].strip().startswith(b",") else ", "
        edits.append((end, end, f"{comma}{name}={value}"))
    for start, end, new in sorted(edits, reverse=True):
        data = data[:start] + new.encode() + data[end:]
    return data.decode()
