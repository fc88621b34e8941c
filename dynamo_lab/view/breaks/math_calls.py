"""Breaks at a number of a tensor that no setting ends: `math` or a branch reads it, or an index."""

import ast
import math
import re
from collections.abc import Callable, Set
from functools import partial

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.sources import Span
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.numbers_taken import decides, only_computes
from dynamo_lab.view.core.ways import ends_marked

_KIND = "Data dependent operator"
_SETTING = "capture_scalar_outputs"
"""With it `math` breaks all the same: "Could not guard on data-dependent expression"."""


def innermost(recording: Recording, item: Break) -> Span:
    """Where a break is: its own place, or the line inside of what is called there."""
    stack = recording.stacks[item.stack] if item.stack is not None else ()
    return recording.spans[stack[-1] if stack else item.span]


def is_moved(item: Break, recording: Recording) -> bool:
    """Whether capturing the number as a symbol only moves the break, to where it is read."""
    return is_index(item) or reads_for_math(item, recording) or _decides(item, recording)


def is_index(item: Break) -> bool:
    """Whether a tensor of one number is an index of a tensor, or of a Python list.

    As a symbol, the number breaks there again, or the compilation of a list's index fails.
    """
    if item.opname not in ("BINARY_SUBSCR", "BINARY_OP []"):
        return False
    is_read = item.gb_type.startswith(_KIND) and "_local_scalar_dense" in item.context
    return is_read or bool(_OF_LIST.search(item.gb_type))


_OF_LIST = re.compile(r"Tensor\.item\(\)")
_ITEM = re.compile(r"Tensor\.item\(\)|^Data dependent operator")


def _decides(item: Break, recording: Recording) -> bool:
    """Whether a branch reads the number."""
    return bool(_ITEM.search(item.gb_type)) and _asks(decides, item, recording)


def only_computes_with_it(item: Break, recording: Recording, called: Set[int]) -> bool:
    """Whether the number is only computed with, so that a symbol does for it."""
    about = partial(only_computes, is_inlined=has_caller(item, recording, called))
    return bool(_ITEM.search(item.gb_type)) and _asks(about, item, recording)


def called_frames(recording: Recording) -> frozenset[int]:
    """The frames of functions that other compiled code calls.

    What is resumed after a break is called by the function that it is the rest of: it is among them
    where that one is.
    """
    resumed = {frame for one in recording.breaks for frame in one.resume_frames}
    return ends_marked(
        recording.frames,
        lambda frame: frame.caller is not None,
        lambda frame: frame.caller if frame.id in resumed else None,
    )


def has_caller(item: Break, recording: Recording, called: Set[int]) -> bool:
    """Whether other compiled code, whose frames are `called`, calls the function of a break."""
    is_deep = item.stack is not None and len(recording.stacks[item.stack]) > 1
    return is_deep or item.frame in called


def _asks(about: Callable[[str, int], bool], item: Break, recording: Recording) -> bool:
    """What the text of a whole file says of its number; no, where only lines of it are known."""
    span = innermost(recording, item)
    text = recording.sources[span.source].whole()
    return bool(text) and about(text, span.line)


def reads_for_math(item: Break, recording: Recording) -> bool:
    """Whether `math` asked for the number: it computes with one, and a symbol is none."""
    if not item.gb_type.startswith(_KIND) or "_local_scalar_dense" not in item.context:
        return False
    span = innermost(recording, item)
    if span.end_line > span.line:
        return False
    text = recording.sources[span.source].line(span.line) or ""
    if span.column < 0:  # before torch 2.13 only the line is known: it may be that call
        return bool(_MATH.search(text))
    return _is_of_math(text[span.column : span.end_column])


def advice_on(item: Break, recording: Recording, advice: tuple[str, ...]) -> tuple[str, ...]:
    """The advice, without the setting that captures numbers as symbols where that helps nothing."""
    if not is_moved(item, recording):
        return advice
    left = tuple(text for text in advice if _SETTING not in text)
    is_told = any("condition is a tensor" in text for text in left)
    return (_AS_TENSOR, *left) if _decides(item, recording) and not is_told else left


_AS_TENSOR = (
    "Leave `.item()` out, and choose with tensors: `torch.where(condition, a, b)` computes both "
    "sides, `torch.cond` one of them."
)


_MATH = re.compile(r"\bmath\.\w+\(")


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
