"""Numbers and lists as text, in the form that every view uses."""

from collections.abc import Iterable, Sequence

BUSY = "The machine was busy: measure again when it is idle."
"""The remark on times taken while more processes ran than there are cores."""


def plural(count: int, word: str, many: str = "") -> str:
    """'1 graph', '3 graphs'."""
    return f"{count:,} {unit(count, word, many)}"


def unit(count: int, word: str, many: str = "") -> str:
    """The unit word alone: 'graph' or 'graphs'."""
    return word if count == 1 else many or f"{word}s"


def times(count: int) -> str:
    """'once', 'twice', '3 times'."""
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def listed(items: Sequence[str], limit: int = 4, last: str = "and") -> str:
    """'a, b and c'; beyond the limit 'a, b and 5 more'."""
    if len(items) > limit:
        return f"{', '.join(items[: limit - 1])} {last} {len(items) - limit + 1:,} more"
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def line_range(first: int, last: int) -> str:
    """'line 3', 'lines 3-5'."""
    return f"line {first}" if first == last else f"lines {first}-{last}"


def seconds(value: float) -> str:
    """A duration with two significant digits and a unit that suits it."""
    if value >= 99.5:
        return f"{value / 60:.1f} min"
    if value >= 0.9995:
        return f"{value:.1f} s"
    if value >= 0.9995e-3:
        return f"{value * 1e3:.0f} ms" if value >= 9.95e-3 else f"{value * 1e3:.1f} ms"
    return f"{value * 1e6:.0f} µs" if value > 0 else "0 s"


def size(count: int) -> str:
    """A number of bytes: '512 B', '3.1 MB'."""
    amount, unit_word = float(count), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if amount < 999.5:
            break
        amount, unit_word = amount / 1000, larger
    shown = f"{amount:.0f}" if unit_word == "B" or amount >= 99.5 else f"{amount:.1f}"
    return f"{shown.removesuffix('.0')} {unit_word}"


def unique(items: Iterable[str]) -> tuple[str, ...]:
    """The items without repetitions, in order."""
    return tuple(dict.fromkeys(items))


def first_line(text: str) -> str:
    """The first line that is not blank."""
    return next((line.strip() for line in text.split("\n") if line.strip()), "")
