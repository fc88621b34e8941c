"""Prints that are put off until after the graph: those of a function that is inlined are lost.

Dynamo keeps them in a list of each function that it traces, and writes out that of the outermost
alone (`debug_locals` in `OutputGraph`, torch 2.13): of a function that compiled code calls, as of
the body of a checkpoint or of a backward, nothing is printed any more. Nor does it put off a call
that is given a shape, a list or an object: it breaks there instead (`can_reorder_logs`).
"""

import re
from collections.abc import Set

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.math_calls import has_caller

PUT_OFF = "reorderable_logging_functions"


_GIVEN = re.compile(r"<class '[\w.]+\.(\w+)'>")
_PUT_OFF = frozenset({"TensorVariable", "ConstantVariable", "StringFormatVariable"})


def can_be_put_off(item: Break, recording: Recording, called: Set[int]) -> bool:
    """Whether the setting ends the break, and all is printed; `called` as of `has_caller`."""
    is_print = item.context.startswith("builtin print [")
    given = _GIVEN.findall(item.context) if is_print else []
    return not has_caller(item, recording, called) and _PUT_OFF.issuperset(given)


def advice_on(
    item: Break, recording: Recording, called: Set[int], advice: tuple[str, ...]
) -> tuple[str, ...]:
    """The advice, without the setting where it would not end the break, or nothing be printed."""
    if can_be_put_off(item, recording, called):
        return advice
    return tuple(text for text in advice if PUT_OFF not in text)
