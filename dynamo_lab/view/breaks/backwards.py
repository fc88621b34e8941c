"""Breaks in the methods of an autograd function, which Dynamo traces where `apply` is called.

Calls in its `backward` have no place after the call to move to: autograd calls it later, from
nowhere in the reader's text. Symbols that its `forward` makes are lost: they are in no result of
`apply`, and PyTorch then raises `PendingUnbackedSymbolNotFound`.
"""

import ast
import re
from collections.abc import Sequence
from functools import lru_cache

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.advice import rule_of
from dynamo_lab.view.breaks.numbers_taken import parsed
from dynamo_lab.view.core.places import Line

_SAID = {"print call": "print", "logging call": "log", "warning": "warn"}
"""Kinds of break that only say something, by what is said there: such a call can be in a hook."""


SYMBOL_SETTINGS = ("capture_scalar_outputs", "capture_dynamic_output_shape_ops")
_MOVED = "Move the call out of the compiled function"
_BACKWARD, _FORWARD = ("backward", "vjp"), ("forward",)
_COMBINES = re.compile(r"\bcombinations\(")
_INDEXED = (
    "`torch.combinations` picks by a mask that it makes itself, and no setting captures that. Of "
    "two numbers each, the indices are known from the size: `i, j = torch.triu_indices(len(x), "
    "len(x), 1)`, and `torch.stack((x[i], x[j]), 1)`."
)


def loses_symbols(item: Break, recording: Recording) -> bool:
    """Whether a symbol made there would be in no result: then the settings for them only fail."""
    lines = _lines(item, recording)
    return _picks_of_its_own(item, recording) or any(
        _around(line, recording, _FORWARD) for line in lines
    )


def advice_on(item: Break, recording: Recording, advice: tuple[str, ...]) -> tuple[str, ...]:
    """The advice, without a setting that only fails in a `forward`.

    What is to be moved out of a `backward` can only be left out, or be a hook.
    """
    if _picks_of_its_own(item, recording):
        return (_INDEXED,)
    if loses_symbols(item, recording):
        return tuple(text for text in advice if not any(one in text for one in SYMBOL_SETTINGS))
    verb = _SAID.get(rule_of(item).title)
    lines = _lines(item, recording) if verb else ()
    name = next(filter(None, (_around(line, recording, _BACKWARD) for line in lines)), "")
    moved = next((one for one in advice if one.startswith(_MOVED)), None)
    if not name or moved is None:
        return advice
    told = (
        f"The `backward` of `{name}` runs it: Dynamo traces that where `{name}.apply` is called, "
        "and autograd runs it later, so there is no line after the call to move it to. Leave it "
        f"out there, or {verb} in a hook of a tensor that the compiled function returns, set on "
        "the result: `out.register_hook(lambda gradient: ...)`."
    )
    return tuple(told if one == moved else one for one in advice)


def _picks_of_its_own(item: Break, recording: Recording) -> bool:
    """Whether `torch.combinations` asks for the values of its mask."""
    source, number = _lines(item, recording)[-1]
    text = recording.sources[source].line(number) or ""
    return "masked_select" in item.context and bool(_COMBINES.search(text))


def _lines(item: Break, recording: Recording) -> Sequence[Line]:
    """The lines that led to it, the innermost last."""
    stack = recording.stacks[item.stack] if item.stack is not None else (item.span,)
    return [(recording.spans[at].source, recording.spans[at].line) for at in stack]


def _around(line: Line, recording: Recording, methods: tuple[str, ...]) -> str:
    """The autograd function in one of whose `methods` a line is; empty for any other line."""
    tree = parsed(recording.sources[line[0]].whole())
    ranges = _ranges(tree, methods) if tree is not None else ()
    return next((name for first, last, name in ranges if first <= line[1] <= last), "")


@lru_cache(maxsize=64)  # as files are parsed: a break asks for each line of its stack
def _ranges(tree: ast.Module, methods: tuple[str, ...]) -> tuple[tuple[int, int, str], ...]:
    """The first and last line of each such method of a file, and its autograd function."""
    return tuple(
        (one.lineno, one.end_lineno or 0, node.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and _is_function(node)
        for one in node.body
        if isinstance(one, ast.FunctionDef) and one.name in methods
    )


def _is_function(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).split(".")[-1] == "Function" for base in node.bases)
