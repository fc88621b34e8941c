"""Breaks in the backward of a `torch.autograd.Function`, which Dynamo traces with its forward.

What it would print is lost there when printing is put off until after the graph: of the backward,
Dynamo keeps the operations alone.
"""

from itertools import pairwise

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.recording import Recording

REORDERED = "reorderable_logging_functions"


def is_traced_with_its_forward(item: Break, recording: Recording) -> bool:
    """Whether a break is in a backward that Dynamo came to from the forward."""
    stack = recording.stacks[item.stack] if item.stack is not None else ()
    spans = [recording.spans[span] for span in stack]
    return any(
        inner.function.rpartition(".")[2] == "backward"
        and ".apply(" in (recording.sources[outer.source].line(outer.line) or "")
        for outer, inner in pairwise(spans)
    )


def advice_on(item: Break, recording: Recording, advice: tuple[str, ...]) -> tuple[str, ...]:
    """The advice, without the setting by which nothing would be printed any more."""
    if not is_traced_with_its_forward(item, recording):
        return advice
    return tuple(text for text in advice if REORDERED not in text)
