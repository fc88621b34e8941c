"""Breaks at a number that NumPy draws.

Dynamo reads `np.random` as PyTorch's, which has no number yet while it traces. Python then calls
NumPy itself; with the number as a symbol, PyTorch draws it.
"""

import re

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.math_calls import innermost

_DRAW = re.compile(r"[\w.]*\brandom\.\w+\(")
"""A call of it, not an expression with one in it: another tensor may be what has no number."""
_ADVICE = (
    "NumPy draws here, in Python. Draw before the call, and pass what was drawn in a tensor.",
    "`torch._dynamo.config.capture_scalar_outputs = True` may end the break: then PyTorch's "
    "generator draws, and not NumPy's.",
)


def draws(item: Break, recording: Recording) -> bool:
    """Whether a call of `np.random` asked for the number: no tensor of the program has it."""
    if not item.gb_type.startswith("Data dependent operator"):
        return False
    span = innermost(recording, item)
    if span.column < 0 or span.end_line > span.line:
        return False
    text = recording.sources[span.source].line(span.line) or ""
    return bool(_DRAW.match(text[span.column : span.end_column]))


def advice_on(item: Break, recording: Recording, advice: tuple[str, ...]) -> tuple[str, ...]:
    """The advice; of a draw, its own."""
    return _ADVICE if draws(item, recording) else advice
