"""Numbers and lists as text, in the form that every view uses."""

import re
from collections.abc import Iterable, Sequence

BUSY = "The machine was busy: measure again when it is idle."
"""The remark on times taken while more processes ran than there are cores."""

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


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
    """A duration with two digits, in the unit that suits it: '1.3 µs', '21 ms', '4.2 min'."""
    if value >= 99.5:
        return f"{value / 60:.1f} min"
    if value <= 0:
        return "0 s"
    length, unit_word = unit_of(value)
    amount = value / length
    places = 1 if length == 1 or amount < 9.95 else 0
    return f"{amount:.{places}f} {unit_word}"


def unit_of(value: float) -> tuple[float, str]:
    """The unit that suits a duration, and its length in seconds."""
    return next((pair for pair in _UNITS if abs(value) >= 0.9995 * pair[0]), _UNITS[-1])


def percent(share: float) -> str:
    """'8.3 %', '32 %', '99.5 %': 100 % is all of it."""
    if 0.995 <= share < 1 - 1e-9:
        return f"{min(share * 100, 99.9):.1f} %"
    return f"{share * 100:.1f} %" if 0 < abs(share) < 0.0995 else f"{share * 100:.0f} %"


def size(count: int) -> str:
    """A number of bytes: '512 B', '3.1 MB'."""
    return _scaled(count, ("B", "kB", "MB", "GB", "TB"))


def flops(count: float) -> str:
    """A number of floating-point operations: '4.2 MFLOP'."""
    return _scaled(count, ("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"))


def _scaled(count: float, units: Sequence[str]) -> str:
    at = 0
    while count >= 999.5 and at < len(units) - 1:
        count, at = count / 1000, at + 1
    shown = f"{count:.0f}" if at == 0 or count >= 99.5 else f"{count:.1f}"
    return f"{shown.removesuffix('.0')} {units[at]}"


def first_up(text: str) -> str:
    """The text with a capital first, as a sentence begins."""
    return text[:1].upper() + text[1:]


_WORD = re.compile(r"(?!torch\b)[a-z]+(?=[ ,:;'-])")


def begun(text: str) -> str:
    """The text as a sentence begins, with a capital; code or the name of a file keeps its own."""
    return first_up(text) if _WORD.match(text) else text


def as_clause(sentence: str) -> str:
    """The sentence as it goes on after a colon: no capital but that of a name, no full stop."""
    body = sentence.rstrip(".")
    return body if body.startswith("Dynamo") else body[:1].lower() + body[1:]


def unique(items: Iterable[str]) -> tuple[str, ...]:
    """The items without repetitions, in order."""
    return tuple(dict.fromkeys(items))


def brief(text: str, most: int = 300) -> str:
    """The text up to about so many characters, cut between words, with a mark where it is."""
    return text if len(text) <= most else f"{text[:most].rsplit(maxsplit=1)[0]} …"


def first_line(text: str) -> str:
    """The first line that is not blank."""
    return next((line.strip() for line in text.split("\n") if line.strip()), "")


def gist(text: str) -> str:
    """The first line, in brief."""
    return brief(first_line(text))


def library_kernels(count: int) -> str:
    """Kernels, not calls: a kernel that a graph calls twice is one."""
    once = " (each counted once a graph)" if count > 1 else ""
    return f"{plural(count, 'library kernel')}{once}"
