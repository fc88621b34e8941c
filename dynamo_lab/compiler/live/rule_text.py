"""The text of a rule, for a reader to see and change, and the rule that a changed text is.

Many rules are made by a function that is given an expression, as those of `exp` and `sigmoid`. The
text of such a rule begins with what it was given, so that it is whole: it can be run by itself.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import inspect
import linecache
import types
from itertools import count
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import LoweringError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamo_lab.compiler.rules import Rule

_SIMPLE = (bool, int, float, str, type(None))
_Function = ast.FunctionDef | ast.Lambda
_number = count()


def text_of(rule: Rule) -> str:
    """The rule as Python, after what it was given; empty where its source is not known."""
    found = _source(inspect.unwrap(rule))
    return found[1] if found else ""


def rule_from(text: str, original: Rule | None, target: Any) -> Rule:
    """The rule that a text defines: its last function, with the names of the original's module.

    Raises:
        LoweringError: it is no Python, it fails as it is run, or it defines no function.
    """
    file = f"<rule {next(_number)} of {target}>"
    scope = _scope(inspect.unwrap(original)) if original else {}
    try:
        tree = ast.parse(text, file)
        code = compile(
            tree, file, "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True
        )
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        where = f"line {line}: " if line else ""
        raise LoweringError(
            f"The rule is no Python: {where}{getattr(error, 'msg', error)}."
        ) from None
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    try:
        exec(code, scope)
    except Exception as error:
        raise LoweringError(
            f"The rule's text raises {type(error).__name__} as it is run: {error}"
        ) from error
    names = [part.name for part in tree.body if isinstance(part, ast.FunctionDef)]
    if not names:
        raise LoweringError("The text defines no function: the last `def` in it is the rule.")
    return scope[names[-1]]


def _scope(rule: Any) -> dict[str, Any]:
    """The names that a rule's text may use: those of its module, and what it was given."""
    scope = dict(getattr(rule, "__globals__", {}))
    stack = [rule]
    while stack:
        one = stack.pop()
        for name, value in _given(one).items():
            scope[name] = value
            if isinstance(value, types.FunctionType):
                stack.append(value)
    return scope


def _given(function: Any) -> dict[str, Any]:
    if not isinstance(function, types.FunctionType):
        return {}
    return dict(inspect.getclosurevars(function).nonlocals)


def _source(function: Any) -> tuple[str, str] | None:
    """A name for a function, and a text that defines it under that name."""
    node = _node(function)
    if node is None:
        return None
    parts = list(_assignments(function))
    name = node[0].name if isinstance(node[0], ast.FunctionDef) else ""
    return name, "\n\n".join(
        ["\n".join(parts), _written(function, *node)] if parts else [_written(function, *node)]
    )


def _assignments(function: Any) -> Iterator[str]:
    for name, value in _given(function).items():
        if isinstance(value, _SIMPLE):
            yield f"{name} = {value!r}"
        elif isinstance(value, types.FunctionType) and (found := _source(value)):
            own, text = found
            if own:
                yield f"{text}\n" if own == name else f"{text}\n\n\n{name} = {own}"
            else:
                before, lambda_text = text.rpartition("\n\n")[0], text.rpartition("\n\n")[2]
                yield "\n".join(filter(None, [before, f"{name} = {lambda_text}"]))


def _written(function: Any, node: _Function, source: str) -> str:
    """The source of a function; written anew where a default is a name that has another value."""
    values = function.__defaults__ or ()
    if all(isinstance(default, ast.Constant | ast.UnaryOp) for default in node.args.defaults):
        return dedent(_segment(source, node)).strip("\n")
    made = copy.deepcopy(node)
    made.args.defaults = [
        ast.Constant(value) if isinstance(value, _SIMPLE) else default
        for default, value in zip(made.args.defaults, values, strict=True)
    ]
    return ast.unparse(made)


def _segment(source: str, node: _Function) -> str:
    """The text of a part: what `ast.get_source_segment` gives, which splits the file each time."""
    lines = _lines(source)[node.lineno - 1 : node.end_lineno]
    lines[-1] = lines[-1].encode()[: node.end_col_offset].decode()
    first = lines[0].encode()
    before = first[: node.col_offset].decode()
    padding = "".join(one if one in "\f\t" else " " for one in before)
    lines[0] = padding + first[node.col_offset :].decode()
    return "\n".join(lines)


@functools.lru_cache(maxsize=32)
def _lines(source: str) -> list[str]:
    """The lines that Python counts: a form feed ends none."""
    return source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _node(function: Any) -> tuple[_Function, str] | None:
    """The part of a file's syntax that a function was made of, and the file's text."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    kept = linecache.cache.get(code.co_filename)
    source = "".join(kept[2]) if kept and len(kept) == 4 else _read(code.co_filename)
    for node in _functions(source).get(code.co_firstlineno, ()):
        name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
        arguments = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
        if name == code.co_name and arguments == list(code.co_varnames[: code.co_argcount]):
            return node, source
    return None


@functools.lru_cache(maxsize=32)
def _functions(source: str) -> dict[int, list[_Function]]:
    """The functions of a text by the line that they begin at, decorators included."""
    found: dict[int, list[_Function]] = {}
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return found
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            starts = [one.lineno for one in getattr(node, "decorator_list", ())] or [node.lineno]
            found.setdefault(min(starts), []).append(node)
    return found


@functools.cache
def _read(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
