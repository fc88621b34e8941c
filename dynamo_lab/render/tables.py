"""Tables that line up, and how wide the terminal is."""

import shutil
import sys
from collections.abc import Sequence


def terminal_width() -> int | None:
    """The columns of the terminal that is printed to, from 40; None where it is none."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return max(40, shutil.get_terminal_size((100, 0)).columns) if is_terminal else None


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """The rows as lines with aligned columns; columns named in `right` end flush."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
