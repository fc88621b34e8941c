"""Which values compiled code takes as they come, and which of them are tied to others."""

import operator
import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from dynamo_lab.model.graphs import Graph, NodeTable
from dynamo_lab.model.guards.symbols import ShapeFact, Symbol
from dynamo_lab.view.guards.readable import readable

_NAMES = re.compile(r"\b[a-z]+\d+\b")
_NUMBER = r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?"
_ONE_VALUE = re.compile(
    rf"Eq\((?:{_NUMBER} [-+] )?-?(?:{_NUMBER}\*)?[a-z]+\d+(?: [-+] {_NUMBER})?, {_NUMBER}\)"
)
"""An equation that one number solves: "Eq(1.0 - zf69, 0.09)"."""


class Dynamic(Struct, frozen=True):
    """The values that have a symbol in one compilation, as written in code.

    `opened` are those that may be another one at each call, each with those tied to it: a sum needs
    two sizes to be equal, which then are one. `pinned` became constants, or a guard leaves them one
    number; `by_parameter` are those that a parameter's size made constants. Of `sized`, the code
    makes sizes of tensors that it is not given. Of code that resumes after a break, `is_resumed`,
    a number may be no argument but what the function computed before.
    Where no code came of the compilation, not `has_code`, nothing is known of any value; it may not
    even have been tried (`is_refused`).
    `told_apart` has the numbers for which a test in the code needs code of its own, `limits` the
    comparisons that the code needs to hold, as (">=", 16.0), `taken_by` the operators that take a
    number as it is, `outer` the variables of functions around this one. Of `tested`, any test
    asks for the number, and `plain` are the containers with something else than tensors.
    """

    opened: Mapping[str, tuple[str, ...]] = {}
    pinned: frozenset[str] = frozenset()
    by_parameter: frozenset[str] = frozenset()
    is_resumed: bool = False
    sized: frozenset[str] = frozenset()
    has_code: bool = True
    is_refused: bool = False
    told_apart: Mapping[str, frozenset[str]] = {}
    limits: Mapping[str, tuple[tuple[str, float], ...]] = {}
    tested: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    taken_by: Mapping[str, frozenset[str]] = {}
    outer: frozenset[str] = frozenset()

    def tells_apart(self, value: str, number: str) -> bool:
        """Whether the code is for all but this number, which needs code of its own."""
        return number in self.told_apart.get(value, ())

    def leaves_out(self, value: str, number: str) -> bool:
        """Whether a test in the code makes it one for other numbers than this, and some more."""
        if not re.fullmatch(_NUMBER, number):
            return False
        limits = self.limits.get(value, ())
        return not all(_HOLDS[sign](float(number), limit) for sign, limit in limits)


def has_one_value(facts: Iterable[ShapeFact]) -> bool:
    """Whether one of the assumptions on a symbol is a guard that a single number fulfils."""
    return any(fact.event == "guard" and _ONE_VALUE.fullmatch(fact.expression) for fact in facts)


def dynamic(
    symbols: Sequence[Symbol],
    facts: Sequence[ShapeFact] = (),
    graph: Graph | None = None,
    *,
    is_resumed: bool = False,
    outer: frozenset[str] = frozenset(),
    plain: frozenset[str] = frozenset(),
    by_parameter: frozenset[str] = frozenset(),
) -> Dynamic:
    """What one compilation leaves open: its symbols, what it assumed of them, and its graph.

    `by_parameter` are the symbols that a parameter's size made constants.
    """
    by_name = {symbol.name: symbol for symbol in symbols}
    fixed = {name for fact in facts if has_one_value([fact]) for name in fact.symbols}
    roots = {
        readable(source): _roots(symbol, by_name, frozenset()) - fixed
        for symbol in symbols
        for source in symbol.sources
    }
    made, asked = _made_sizes(graph.nodes) if graph else set[str](), _asked(facts)
    return Dynamic(
        opened={
            value: tuple(other for other in roots if other != value and roots[other] & own)
            for value, own in roots.items()
            if own
        },
        pinned=frozenset(value for value, own in roots.items() if not own),
        by_parameter=frozenset(
            readable(source)
            for symbol in symbols
            if symbol.name in by_parameter
            for source in symbol.sources
        ),
        is_resumed=is_resumed,
        sized=frozenset(value for value, own in roots.items() if own & made),
        told_apart=_told_apart(roots, facts),
        limits=_limits(roots, facts),
        tested=frozenset(value for value, own in roots.items() if own & asked),
        taken_by=_taken_by(roots, graph.nodes) if graph else {},
        outer=outer,
        plain=plain,
    )


def _asked(facts: Sequence[ShapeFact]) -> set[str]:
    """The symbols that a guard is on."""
    return {name for fact in facts if fact.event == "guard" for name in fact.symbols}


def _told_apart(
    roots: Mapping[str, frozenset[str]], facts: Sequence[ShapeFact]
) -> dict[str, frozenset[str]]:
    """The numbers that each value must not be, by the guards."""
    tests = (_NOT.fullmatch(fact.expression) for fact in facts if fact.event == "guard")
    pairs = [(found[1], found[2]) for found in tests if found]
    return {
        value: frozenset(number for name, number in pairs if own == frozenset({name}))
        for value, own in roots.items()
    }


def _limits(
    roots: Mapping[str, frozenset[str]], facts: Sequence[ShapeFact]
) -> dict[str, tuple[tuple[str, float], ...]]:
    """What the guards compare each value with."""
    tests = [
        (found[1], found[2], float(found[3]))
        for fact in facts
        if fact.event == "guard"
        for part in fact.expression.split(" & ")
        if (found := _LIMIT.fullmatch(part.strip("()")))
    ]
    return {
        value: tuple((sign, limit) for name, sign, limit in tests if own == frozenset({name}))
        for value, own in roots.items()
    }


_HOLDS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_LIMIT = re.compile(rf"([a-z]+\d+) ([<>]=?) ({_NUMBER})")
_NOT = re.compile(rf"Ne\(([a-z]+\d+), ({_NUMBER})\)")


def _taken_by(roots: Mapping[str, frozenset[str]], nodes: NodeTable) -> dict[str, frozenset[str]]:
    """The operators that are given each number as it is: a node whose value is its symbol."""
    symbols = [_SYMBOL.fullmatch(value.text) for value in nodes.values]
    named = {at: one[1] for at, value in enumerate(nodes.value) if (one := symbols[value])}
    takers = dict[str, set[str]]()
    for at, inputs in enumerate(nodes.inputs):
        if nodes.strings[nodes.op[at]] != "output":
            for given in named.keys() & set(inputs):
                takers.setdefault(named[given], set()).add(nodes.strings[nodes.target[at]])
    return {
        value: frozenset[str]().union(*(takers.get(name, ()) for name in own))
        for value, own in roots.items()
        if len(own) == 1
    }


_SYMBOL = re.compile(r"Sym\(([a-z]+\d+)\)")


def _made_sizes(nodes: NodeTable) -> set[str]:
    """The symbols in sizes of what a graph computes that are in no size of what it is given."""
    given = {
        nodes.value[at] for at, op in enumerate(nodes.op) if nodes.strings[op] == "placeholder"
    }
    names = [{name for size in one.shape for name in _NAMES.findall(size)} for one in nodes.values]
    return set[str]().union(*names) - set[str]().union(*(names[at] for at in given))


def _roots(symbol: Symbol, by_name: Mapping[str, Symbol], passed: frozenset[str]) -> frozenset[str]:
    """The symbols that a symbol is computed from in the end; none where that is a number."""
    if not symbol.value:
        return frozenset({symbol.name})
    names = set(_NAMES.findall(symbol.value)) - passed - {symbol.name}
    passed |= {symbol.name}
    known = (by_name.get(name) for name in names)
    return frozenset[str]().union(*(_roots(one, by_name, passed) for one in known if one))
