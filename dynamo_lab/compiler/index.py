"""Index expressions: integer polynomials of loop variables and sizes, kept in one normal form.

In come sizes, strides and positions; out comes where in a buffer an element lies. A polynomial is
`{monomial: coefficient}`, a monomial a sorted tuple of atoms. An atom is a loop variable, a size
that is only known at run time, a value that the kernel computes (an index read from a tensor), or
the quotient or remainder of a polynomial that nothing simplifies. Normal form makes `==` the test
of whether two loops touch the same element, on which fusion rests.

All atoms are at least 0 wherever an element is really read: where a mask keeps a load away, the
index may be anything. That is why a quotient is only split where the parts cannot be negative:
Python rounds down, C towards zero.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Union

from dynamo_lab.compiler.polynomial import (
    Atom,
    Monomial,
    Polynomial,
    Varying,
    evaluated,
    hint,
    plain,
    shown,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ZERO", "Atom", "Index", "Size", "evaluated", "hint", "plain", "shown", "written"]

Size = Union[int, "Index"]


class Index(Polynomial):
    """An integer polynomial of atoms. `+ - * // %` give the normal form."""

    __slots__ = ("_bounds",)

    def __init__(self, terms: dict[Monomial, int]) -> None:
        super().__init__(terms)
        self._bounds: tuple[Size | None, Size | None] | None = None

    def __add__(self, other: Size) -> Index:
        if other == 0:
            return self
        return _joined(super().__add__(other)) if self.terms else of(other)

    __radd__ = __add__

    def __floordiv__(self, divisor: Size) -> Index:
        n = plain(divisor)
        if n == 1:
            return self
        whole, rest = self._split(n)
        if is_below(rest, n):
            return whole
        if not _is_positive(rest):
            whole, rest = ZERO, self
        rest, n = _reduced(rest, n)[:2]
        if n == 1:
            return whole + rest
        alone = rest.alone()
        if alone is not None and isinstance(n, int):
            if alone.kind == "div" and isinstance(alone.args[1], int):
                return whole + alone.args[0] // (alone.args[1] * n)
            if alone.kind == "mod" and isinstance(alone.args[1], int) and alone.args[1] % n == 0:
                return whole + (alone.args[0] // n) % (alone.args[1] // n)
        top = rest.bounds()[1]
        return whole + _atom(Atom(f"({rest})/{_factor(n)}", "div", _quotient(top, n), (rest, n)))

    def __mod__(self, divisor: Size) -> Index:
        n = plain(divisor)
        if n == 1:
            return ZERO
        rest = self._split(n)[1]
        if not _is_positive(rest):
            rest = self
        if is_below(rest, n):
            return rest
        rest, n, common = _reduced(rest, n)
        if n == 1:
            return ZERO
        alone = rest.alone()
        if (
            alone is not None
            and alone.kind == "mod"
            and isinstance(n, int)
            and isinstance(alone.args[1], int)
            and alone.args[1] % n == 0
        ):
            return (alone.args[0] % n) * common
        return _atom(Atom(f"({rest})%{_factor(n)}", "mod", plain(of(n) - 1), (rest, n))) * common

    def _split(self, n: Size) -> tuple[Index, Index]:
        """The quotient and the rest: `self == quotient * n + rest`, by dividing term by term."""
        if isinstance(n, int):
            whole = {m: c // n for m, c in self.terms.items() if c % n == 0}
            return Index(whole), Index({m: c for m, c in self.terms.items() if c % n})
        lead = max(n.terms, key=len)
        whole, rest = ZERO, self
        for monomial, factor in self.terms.items():
            left = _without(monomial, lead)
            if left is not None and factor % n.terms[lead] == 0:
                part = Index({left: factor // n.terms[lead]})
                whole, rest = whole + part, rest - part * n
        return whole, rest

    def bounds(self) -> tuple[Size | None, Size | None]:
        """The least and the largest value, as polynomials of sizes; None is unknown."""
        if self._bounds is None:
            self._bounds = _bounds(self)
        return self._bounds


ZERO = Index({})


def of(value: Size) -> Index:
    """An int as an expression; an expression as it is."""
    if isinstance(value, Index):
        return value
    return Index({(): int(value)}) if value else ZERO


def product(sizes: Iterable[Size]) -> Size:
    """The number of elements of these sizes."""
    found: Size = 1
    for size in sizes:
        found = found * size
    return plain(found)


def loop(name: str, size: Size) -> Index:
    """A loop variable from 0 to `size - 1`; a loop of one turn has none."""
    if isinstance(size, int):
        return _loop(name, size)
    return ZERO if size == 1 else _atom(Atom(name, "loop", plain(of(size) - 1)))


@functools.lru_cache(maxsize=4096)
def _loop(name: str, size: int) -> Index:
    """One of a known size: the same is asked for again and again while kernels are formed."""
    return ZERO if size == 1 else _atom(Atom(name, "loop", size - 1))


def symbol(name: str, least: int, hint: int) -> Index:
    """A size that is known at run time only."""
    return _atom(Atom(name, "size", least=least, hint=hint))


def read(name: str, value: Varying, size: Size) -> Index:
    """An index that the kernel reads or computes; the kernel checks that it is below `size`."""
    return _atom(Atom(name, "value", plain(of(size) - 1), (value,)))


def _atom(atom: Atom) -> Index:
    return Index({(atom,): 1})


def _factor(n: Size) -> str:
    return str(n) if isinstance(n, int) or n.alone() else f"({n})"


def _without(monomial: Monomial, part: Monomial) -> Monomial | None:
    left = list(monomial)
    for atom in part:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def _reduced(rest: Index, n: Size) -> tuple[Index, Size, int]:
    """Rest and divisor without the factor that they share."""
    factors = [n] if isinstance(n, int) else list(n.terms.values())
    common = math.gcd(*factors, *rest.terms.values())
    if common == 1:
        return rest, n, 1
    smaller = Index({m: c // common for m, c in of(n).terms.items()})
    return Index({m: c // common for m, c in rest.terms.items()}), plain(smaller), common


def _quotient(top: Size | None, n: Size) -> Size | None:
    """The largest quotient of what is at most `top`, where one step of division tells."""
    if top is None or isinstance(top, int):
        return top // n if isinstance(top, int) and isinstance(n, int) else top
    whole, rest = top._split(n)
    left = plain(rest)
    if not isinstance(left, int):
        return None
    return plain(whole - 1 if left < 0 else whole + left)


def _bounds(e: Index) -> tuple[Size | None, Size | None]:
    low: Size | None = 0
    high: Size | None = 0
    for monomial, factor in e.terms.items():
        fixed = tuple(atom for atom in monomial if atom.kind == "size")
        exact = Index({fixed: factor})
        if len(fixed) == len(monomial):
            low, high = _sum(low, exact), _sum(high, exact)
            continue
        most: Index | None = exact
        for atom in monomial:
            if atom.kind != "size":
                most = None if most is None or atom.top is None else most * atom.top
        if factor > 0:
            high = _sum(high, most)
        else:
            low = _sum(low, most)
    return low, high


def _sum(a: Size | None, b: Index | None) -> Size | None:
    return None if a is None or b is None else plain(of(a) + b)


def _is_positive(e: Index) -> bool:
    low = e.bounds()[0]
    return low is not None and never_negative(low)


def is_below(e: Index, n: Size) -> bool:
    """Is 0 <= e < n, whatever the sizes are?"""
    low, high = e.bounds()
    if low is None or high is None:
        return False
    if isinstance(low, int) and isinstance(high, int) and isinstance(n, int):
        return low >= 0 and high < n
    return never_negative(low) and never_negative(of(n) - 1 - high)


def never_negative(e: Size) -> bool:
    """Is it at least 0 for all sizes? Proven by writing each as its least and what is above."""
    if isinstance(e, int):
        return e >= 0
    found: dict[Monomial, int] = {}
    for monomial, factor in e.terms.items():
        above = Index({(): factor})
        for atom in monomial:
            above = above * (_atom(atom) + atom.least)
        for key, value in above.terms.items():
            found[key] = found.get(key, 0) + value
    return all(value >= 0 for value in found.values())


def _joined(e: Index) -> Index:
    """`n * (x / n) + x % n` is `x`: what a flatten after an unflatten leaves behind."""
    for monomial, factor in e.terms.items():
        mods = [atom for atom in monomial if atom.kind == "mod"]
        if len(mods) != 1:
            continue
        x, n = mods[0].args
        scale = Index({tuple(atom for atom in monomial if atom is not mods[0]): factor})
        for other in set(e.atoms()):
            if other.kind == "div" and other.args == (x, n):
                whole = x
            elif other.kind == "mod" and other.args[0] == x // n:
                whole = x % (of(n) * other.args[1])
            else:
                continue
            quotient = _atom(other) * n * scale
            if all(e.terms.get(key) == value for key, value in quotient.terms.items()):
                gone = {monomial, *quotient.terms}
                return Index({k: v for k, v in e.terms.items() if k not in gone}) + whole * scale
    return e
