"""A loop cut at its borders: where a comparison of its position changes its answer.

In comes the code of a loop of `cat`, `pad` or a slice; out come parts of the loop, each with what
its comparisons are there, so that no part asks. What a part does not need is not computed in it.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dynamo_lab.compiler.body import EFFECTS, Value
from dynamo_lab.compiler.printers.walks import values_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynamo_lab.compiler.body import Body
    from dynamo_lab.compiler.index import Index, Size
    from dynamo_lab.compiler.printers.walks import Turns

MOST_PARTS = 8
"""A loop of more parts is left whole: its text would be long, its parts short."""
MOST_VALUES = 200

_HOLDS = {name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")}


@dataclass(frozen=True)
class Within:
    """What is known of a body's values in a part of its loop.

    Attributes:
        same: a value that is another here, or "0" or "1".
        needed: the values that the part computes; all, if None.
    """

    same: Mapping[Value, Value | str] = field(default_factory=dict[Value, "Value | str"])
    needed: frozenset[Value] | None = None

    def needs(self, value: Value) -> bool:
        """Has the part a use for this value?"""
        return self.needed is None or value in self.needed


ALL = Within()


def parts(body: Body, loop: Turns) -> list[tuple[Size, Size, Within]]:
    """The parts of a loop in order: first position, end, what is known."""
    whole: list[tuple[Size, Size, Within]] = [(0, loop.size, ALL)]
    if not isinstance(loop.size, int) or len(body.values) > MOST_VALUES:
        return whole
    asked = {v: line for v in body.values if (line := _difference(v, loop.name))}
    cuts = {0, loop.size}
    for slope, start in asked.values():
        zero = -start // slope
        cuts |= {at for at in (zero, zero + 1) if 0 < at < loop.size}
    found: list[tuple[int, int, dict[Value, bool]]] = []
    for first, end in zip(ordered := sorted(cuts), ordered[1:], strict=False):
        known = {
            value: _HOLDS[value.op](slope * first + start, 0)
            for value, (slope, start) in asked.items()
        }
        if found and found[-1][2] == known:
            found[-1] = (found[-1][0], end, known)
        else:
            found.append((first, end, known))
    if len(found) > MOST_PARTS or not asked:
        return whole
    return [(first, end, _within(body, known)) for first, end, known in found]


def _difference(value: Value, loop: str) -> tuple[int, int] | None:
    """Of a comparison of positions: slope and start of their difference along the loop."""
    if value.op not in _HOLDS:
        return None
    sides = [_line(side, loop) for side in value.args]
    if None in sides:
        return None
    (a, b), (c, d) = (side for side in sides if side is not None)
    return (a - c, b - d) if a != c else None


def _line(value: Value, loop: str) -> tuple[int, int] | None:
    if value.op == "const" and value.args[0].lstrip("-").isdigit():
        return 0, int(value.args[0])
    if value.op != "index":
        return None
    at: Index = value.args[0]
    slope = at.factor_of(loop)
    start = at.terms.get((), 0)
    others = [
        monomial for monomial in at.terms if monomial and [a.name for a in monomial] != [loop]
    ]
    return None if not isinstance(slope, int) or others else (slope, start)


def _within(body: Body, known: Mapping[Value, bool]) -> Within:
    same: dict[Value, Value | str] = {value: str(int(is_so)) for value, is_so in known.items()}
    for value in body.values:
        if value not in same and (simpler := _simpler(value, same)) is not None:
            same[value] = simpler
    needed: set[Value] = set()
    stack = [value for value in body.values if value.op in EFFECTS]
    while stack:
        value = stack.pop()
        if value in needed:
            continue
        needed.add(value)
        if value in same:
            other = same[value]
            stack += [other] if isinstance(other, Value) else []
        elif value.op == "load" and same.get(value.args[2]) == "1":
            stack += [part for part in values_in(value) if part is not value.args[2]]
            needed.add(value.args[2])
        else:
            stack += values_in(value)
    return Within(same, frozenset(needed))


def _simpler(value: Value, same: Mapping[Value, Value | str]) -> Value | str | None:
    """What a value is, as operands of it are known."""
    given: list[Value | str] = [same.get(v, v) for v in value.args if isinstance(v, Value)]
    match value.op:
        case "and" if "0" in given:
            return "0"
        case "and" if "1" in given:
            return given[1 - given.index("1")]
        case "or" if "1" in given:
            return "1"
        case "or" if "0" in given:
            return given[1 - given.index("0")]
        case "not" if given[0] in ("0", "1"):
            return str(1 - int(str(given[0])))
        case "where" if given[0] in ("0", "1"):
            return given[1] if given[0] == "1" else given[2]
        case "load" if value.args[2] is not None and same.get(value.args[2]) == "0":
            return "0"
        case _:
            return None
