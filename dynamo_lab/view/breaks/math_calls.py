"""Breaks where a function of `math` reads a tensor: no setting ends these."""

import ast
import math

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.recording import Recording

_KIND = "Data dependent operator"
_SETTING = "capture_scalar_outputs"
"""With it `math` breaks all the same: "Could not guard on data-dependent expression"."""


def reads_for_math(item: Break, recording: Recording) -> bool:
    """Whether `math` asked for the number: it computes with one, and a symbol is none."""
    if not item.gb_type.startswith(_KIND) or "_local_scalar_dense" not in item.context:
        return False
    stack = recording.stacks[item.stack] if item.stack is not None else ()
    span = recording.spans[stack[-1] if stack else item.span]
    if span.column < 0 or span.end_line > span.line:
        return False
    text = dict(recording.sources[span.source].lines()).get(span.line, "")
    return _is_of_math(text[span.column : span.end_column])


def without_setting(advice: tuple[str, ...]) -> tuple[str, ...]:
    """The advice without the setting that captures numbers as symbols."""
    return tuple(text for text in advice if _SETTING not in text)


def _is_of_math(text: str) -> bool:
    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"))):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return hasattr(math, name)
        case _:
            return False
