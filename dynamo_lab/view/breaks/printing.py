"""Prints that are put off until after the graph: those of a function that is inlined are lost.

Dynamo keeps them in a list of each function that it traces, and writes out that of the outermost
alone (`debug_locals` in `OutputGraph`, torch 2.13): of a function that compiled code calls, as of
the body of a checkpoint or of a backward, nothing is printed any more.
"""

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.math_calls import has_caller

PUT_OFF = "reorderable_logging_functions"


def advice_on(item: Break, recording: Recording, advice: tuple[str, ...]) -> tuple[str, ...]:
    """The advice, without the setting by which nothing would be printed any more."""
    if not has_caller(item, recording):
        return advice
    return tuple(text for text in advice if PUT_OFF not in text)
