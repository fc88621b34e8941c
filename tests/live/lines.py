"""Lines of the programs that tests compile."""

import inspect
from collections.abc import Callable
from typing import Any


def line_of(function: Callable[..., Any], text: str) -> int:
    """The number of the line that contains `text`, within `function`."""
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)
