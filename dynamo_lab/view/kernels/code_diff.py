"""A line diff of two texts of generated code that ignores the numbering of names."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LINES = 3_000  # the time to compare grows with the product of the lengths
# The values that Inductor numbers in sequence: they mean nothing outside the kernel.
_LOCAL = re.compile(r"\b_?tmp(?:_acc)?\d+(?:_vec)?\b")
_KERNEL = re.compile(r"\b((?:triton|cpp)_\w+?)_\d+\b")
_ASSIGNED = re.compile(r"^[^=(\[]*[^=(\[!<>+\-*/|&]=(?!=)")


Sign = Literal["=", "~", "-", "+"]
_SIGNS: dict[str, Sign] = {"replace": "~", "delete": "-", "insert": "+"}


class Edit(Struct, frozen=True, array_like=True):
    """A run of lines, from 0, the end exclusive.

    "=" is in both, "~" is changed, "-" and "+" are in one alone.
    """

    sign: Sign
    a: int
    a_end: int
    b: int
    b_end: int


def edits(a: Sequence[str], b: Sequence[str]) -> tuple[Edit, ...]:
    """The edits from `a` to `b`; none where they are too long to compare.

    `tmp3` and `tmp5` are one name where each stands for the other in all lines that are the same.
    """
    if a == b:
        return (Edit("=", 0, len(a), 0, len(b)),) if a else ()
    if max(len(a), len(b)) > _LINES:
        return ()
    return tuple(_joined(_runs(a, b)))


def _runs(a: Sequence[str], b: Sequence[str]) -> Iterator[Edit]:
    matcher = SequenceMatcher(None, _bare(a), _bare(b), autojunk=False)
    names = _Names()
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind == "equal":
            for at in range(i_end - i):
                same = names.agree(a[i + at], b[j + at])
                yield Edit("=" if same else "~", i + at, i + at + 1, j + at, j + at + 1)
            continue
        names.forget(a[i:i_end], b[j:j_end])
        yield Edit(_SIGNS[kind], i, i_end, j, j_end)


def _bare(lines: Sequence[str]) -> list[str]:
    return [_LOCAL.sub("tmp", line.rstrip()) for line in lines]


class _Names:
    """Which name of one text matches which of the other, from each assignment to the next."""

    def __init__(self) -> None:
        self._there: dict[str, str] = {}
        self._here: dict[str, str] = {}

    def agree(self, a: str, b: str) -> bool:
        """Whether two lines that differ only in numbering are the same.

        It records what they assign.
        """
        made, used = _split(a)
        made_b, used_b = _split(b)
        pairs = list(zip(used, used_b, strict=True))
        same = all(self._there.get(x, x) == y and self._here.get(y, y) == x for x, y in pairs)
        self.forget([a], [b])
        if same:
            for x, y in zip(made, made_b, strict=True):
                self._there[x], self._here[y] = y, x
        return same

    def forget(self, a: Sequence[str], b: Sequence[str]) -> None:
        """These lines assign again: their names correspond to themselves from here on."""
        for name in (name for line in a for name in _split(line)[0]):
            self._here.pop(self._there.pop(name, ""), None)
        for name in (name for line in b for name in _split(line)[0]):
            self._there.pop(self._here.pop(name, ""), None)


def _split(line: str) -> tuple[list[str], list[str]]:
    """The names that a line assigns, and those that it uses."""
    assigned = _ASSIGNED.match(line)
    end = assigned.end() if assigned else 0
    return _LOCAL.findall(line[:end]), _LOCAL.findall(line[end:])


def _joined(runs: Iterator[Edit]) -> Iterator[Edit]:
    """Neighbouring runs of one sign, merged."""
    last: Edit | None = None
    for run in runs:
        if last and last.sign == run.sign:
            last = Edit(last.sign, last.a, run.a_end, last.b, run.b_end)
            continue
        if last:
            yield last
        last = run
    if last:
        yield last


def unnumbered(line: str) -> str:
    """The line with kernel names without their sequence numbers."""
    return _KERNEL.sub(r"\1", line) if "triton_" in line or "cpp_" in line else line
