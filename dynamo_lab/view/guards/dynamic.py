"""Which values compiled code takes as they come, and which of them are tied to others."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from dynamo_lab.model.guards.symbols import Symbol
from dynamo_lab.view.guards.failing import readable

_NAMES = re.compile(r"\b[a-z]+\d+\b")


class Dynamic(Struct, frozen=True):
    """The values that have a symbol in one compilation, as written in code.

    `opened` are those that may be another one at each call, each with those tied to it: a sum needs
    two sizes to be equal, which then are one. `pinned` became constants. Of code that resumes after
    a break, `is_resumed`, a number may be no argument but what the function computed before.
    """

    opened: Mapping[str, tuple[str, ...]] = {}
    pinned: frozenset[str] = frozenset()
    is_resumed: bool = False


def dynamic(symbols: Sequence[Symbol], *, is_resumed: bool = False) -> Dynamic:
    """What the symbols of one compilation leave open."""
    by_name = {symbol.name: symbol for symbol in symbols}
    roots = {
        readable(source): _roots(symbol, by_name, frozenset())
        for symbol in symbols
        for source in symbol.sources
    }
    return Dynamic(
        {
            value: tuple(other for other in roots if other != value and roots[other] & own)
            for value, own in roots.items()
            if own
        },
        frozenset(value for value, own in roots.items() if not own),
        is_resumed,
    )


def _roots(symbol: Symbol, by_name: Mapping[str, Symbol], passed: frozenset[str]) -> frozenset[str]:
    """The symbols that a symbol is computed from in the end; none where that is a number."""
    if not symbol.value:
        return frozenset({symbol.name})
    names = set(_NAMES.findall(symbol.value)) - passed - {symbol.name}
    passed |= {symbol.name}
    known = (by_name.get(name) for name in names)
    return frozenset[str]().union(*(_roots(one, by_name, passed) for one in known if one))
