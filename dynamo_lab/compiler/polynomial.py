"""Integer polynomials of atoms: what index expressions are, before one divides them.

An atom is named; a monomial is a sorted tuple of atoms; a polynomial is `{monomial: coefficient}`
without zeros. Equal polynomials have equal terms.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Kind = Literal["loop", "size", "value", "div", "mod"]


class Varying(Protocol):
    """A value of a kernel, as far as an index needs to know it."""

    def varies_with(self, name: str) -> bool:
        """Does it depend on this loop variable?"""
        ...


class Atom:
    """What an index is made of; equal by name and range."""

    __slots__ = ("_hash", "args", "hint", "kind", "least", "name", "top")

    def __init__(
        self,
        name: str,
        kind: Kind,
        top: int | Polynomial | None = None,
        args: tuple[Any, ...] = (),
        *,
        least: int = 0,
        hint: int = 0,
    ) -> None:
        self.name, self.kind, self.top, self.args = name, kind, top, args
        self.least, self.hint = least, hint
        self._hash = hash((name, kind))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Atom)
            and (self.name, self.kind, self.args) == (other.name, other.kind, other.args)
            and self.top == other.top
        )

    def __lt__(self, other: Atom) -> bool:
        return self.name < other.name

    def __repr__(self) -> str:
        return self.name


Monomial = tuple[Atom, ...]


class Polynomial:
    """A sum of products of atoms."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: dict[Monomial, int]) -> None:
        self.terms = terms
        self._hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Polynomial):
            return self is other or self.terms == other.terms
        if isinstance(other, int):
            return self.terms == ({(): other} if other else {})
        return NotImplemented

    def __add__(self, other: int | Polynomial) -> Self:
        terms = dict(self.terms)
        for monomial, factor in _terms(other).items():
            total = factor + terms.get(monomial, 0)
            if total:
                terms[monomial] = total
            else:
                terms.pop(monomial, None)
        return type(self)(terms)

    __radd__ = __add__

    def __sub__(self, other: int | Polynomial) -> Self:
        return self + type(self)(_terms(other)) * -1

    def __mul__(self, other: int | Polynomial) -> Self:
        if isinstance(other, int):
            if other == 1:
                return self
            return type(self)({m: c * other for m, c in self.terms.items()} if other else {})
        terms: dict[Monomial, int] = {}
        for m, c in self.terms.items():
            for n, d in other.terms.items():
                product = tuple(sorted(m + n))
                terms[product] = terms.get(product, 0) + c * d
        return type(self)({m: c for m, c in terms.items() if c})

    __rmul__ = __mul__

    def alone(self) -> Atom | None:
        """The atom, if that is all there is."""
        if len(self.terms) == 1:
            ((monomial, factor),) = self.terms.items()
            if factor == 1 and len(monomial) == 1:
                return monomial[0]
        return None

    def symbol(self) -> str:
        """The name of a size of the run time, if that is all there is."""
        alone = self.alone()
        return alone.name if alone and alone.kind == "size" else ""

    def factor_of(self, name: str) -> int | Self | None:
        """What the loop variable is multiplied with; None if it occurs in any other way."""
        found: dict[Monomial, int] = {}
        for monomial, factor in self.terms.items():
            names = [atom.name for atom in monomial if atom.kind == "loop"]
            if names.count(name) == 1:
                rest = tuple(atom for atom in monomial if atom.name != name)
                if any(uses(atom, name) for atom in rest):
                    return None
                found[rest] = factor
            elif any(uses(atom, name) for atom in monomial):
                return None
        return plain(type(self)(found))

    def uses(self, name: str) -> bool:
        """Does it depend on this loop variable?"""
        return any(uses(atom, name) for atom in self.atoms())

    def atoms(self) -> Iterator[Atom]:
        """The atoms that it is made of, one for each time it stands there."""
        return (atom for monomial in self.terms for atom in monomial)

    def deep_atoms(self) -> Iterator[Atom]:
        """The atoms, and those of the quotients and remainders among them."""
        for atom in self.atoms():
            yield atom
            for part in atom.args:
                if isinstance(part, Polynomial):
                    yield from part.deep_atoms()

    def sizes(self) -> Iterator[Atom]:
        """The sizes of the run time in it, however deep."""
        return (atom for atom in self.deep_atoms() if atom.kind == "size")

    def evaluated(self, sizes: Mapping[str, int] | None) -> int:
        """Its value for these sizes of the run time, loop variables at 0."""
        return sum(c * math.prod(_evaluated(a, sizes) for a in m) for m, c in self.terms.items())

    def __repr__(self) -> str:
        return text(self)


P = TypeVar("P", bound=Polynomial)


def _terms(value: int | Polynomial) -> dict[Monomial, int]:
    if isinstance(value, Polynomial):
        return value.terms
    return {(): int(value)} if value else {}


def plain(value: int | P) -> int | P:
    """An int where the expression is a constant: sizes are compared with 0 and 1 everywhere."""
    if isinstance(value, int):
        return value
    if not value.terms:
        return 0
    if len(value.terms) == 1 and () in value.terms:
        return value.terms[()]
    return value


def evaluated(value: int | Polynomial, sizes: Mapping[str, int] | None) -> int:
    """A size as a number, those of the run time given by name; None: as it was compiled with."""
    return value if isinstance(value, int) else value.evaluated(sizes)


def hint(value: int | Polynomial) -> int:
    """A size as a number: of the run time, the one it was compiled with."""
    return evaluated(value, None)


def uses(atom: Atom, name: str) -> bool:
    """Does an atom depend on this loop variable?"""
    if atom.kind == "value":
        return atom.args[0].varies_with(name)
    if atom.kind in ("div", "mod"):
        return any(isinstance(part, Polynomial) and part.uses(name) for part in atom.args)
    return atom.name == name


def text(value: int | Polynomial, name: Callable[[Atom], str] = lambda atom: atom.name) -> str:
    """The polynomial written out, each atom as `name` writes it."""
    terms = _terms(value)
    if not terms:
        return "0"
    parts: list[str] = []
    for monomial, factor in sorted(terms.items(), key=lambda item: [a.name for a in item[0]]):
        written = [name(atom) for atom in monomial]
        parts.append("*".join([str(factor), *written] if factor != 1 or not written else written))
    return " + ".join(parts).replace("+ -", "- ")


def written(
    value: int | Polynomial, divides: str, name: Callable[[Atom], str] = lambda atom: atom.name
) -> str:
    """The polynomial in a language that writes a quotient of integers with this sign."""

    def part(atom: Atom) -> str:
        if atom.kind not in ("div", "mod"):
            return name(atom)
        whole, divisor = (written(one, divides, name) for one in atom.args)
        return f"(({whole}) {divides if atom.kind == 'div' else '%'} ({divisor}))"

    return text(value, part)


def shown(value: object) -> str:
    """It as a reader sees it: a value that a kernel computes has its number alone for a name.

    Within the compiler its body is in the name too, so that two bodies' values are never equal.
    """
    return re.sub(r"@\d+\.(\d+)", r"%\1", str(value))


def _evaluated(atom: Atom, sizes: Mapping[str, int] | None) -> int:
    if atom.kind == "size":
        return atom.hint if sizes is None else sizes[atom.name]
    if atom.kind not in ("div", "mod"):
        return 0
    whole, divisor = (evaluated(part, sizes) for part in atom.args)
    return whole // max(divisor, 1) if atom.kind == "div" else whole % max(divisor, 1)
