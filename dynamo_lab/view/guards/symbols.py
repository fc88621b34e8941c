"""Symbols: which sizes are dynamic in compiled code, and which line specialized the others."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from dynamo_lab.model.guards.symbols import ShapeFact, Symbol
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.places import Places, entity_if_known
from dynamo_lab.view.core.words import listed, unique
from dynamo_lab.view.guards.compilations import Compilations
from dynamo_lab.view.guards.dynamic import has_one_value
from dynamo_lab.view.guards.readable import readable


class FactView(Struct, frozen=True, kw_only=True):
    """An assumption about a symbol, and the line that made the compiler assume it."""

    event: str
    text: str
    expression: str
    where: str
    entity: str
    line: str


class SymbolView(Struct, frozen=True, kw_only=True):
    """One symbol of one compilation.

    `stands_for` are the values that share it, as written in code; `range` is its range; `value`
    is what replaced it, if anything did, and `pinned` how that happened.
    """

    name: str
    compile_id: str
    frame: str
    is_backed: bool
    hint: str
    range: str
    stands_for: tuple[str, ...]
    value: str
    where: str
    entity: str
    pinned: tuple[FactView, ...]
    asked: tuple[FactView, ...]


class ShapesView(Struct, frozen=True, kw_only=True):
    """The symbols in order of creation, and sizes without one that were meant to be dynamic."""

    symbols: tuple[SymbolView, ...]
    others: tuple[FactView, ...]


class Specialisation(Struct, frozen=True, kw_only=True):
    """A line on which a symbol was specialized. `symbol` is its position in the view."""

    span: int
    label: str
    symbol: int


def build(recording: Recording, places: Places) -> ShapesView:
    """All symbols, with the assumptions on each."""
    names, compilations = frame_names(recording), Compilations(recording)
    facts: dict[tuple[str, str], list[ShapeFact]] = {}
    for fact in recording.shape_facts:
        for name in fact.symbols:
            facts.setdefault((fact.compile_id, name), []).append(fact)
    return ShapesView(
        symbols=tuple(
            _symbol(item, facts.get((item.compile_id, item.name), ()), names, places)
            for item in recording.symbols
        ),
        others=_unique(
            _other(fact, compilations, places) for fact in recording.shape_facts if not fact.symbols
        ),
    )


def _unique(facts: Iterator[FactView]) -> tuple[FactView, ...]:
    """The distinct items: compilations repeat each other's."""
    return tuple(dict.fromkeys(facts))


def _symbol(
    item: Symbol, facts: Sequence[ShapeFact], names: Sequence[str], places: Places
) -> SymbolView:
    line = places.own_line(item.stack)
    pinned = [fact for fact in facts if fact.event in ("constant", "equal")]
    by_stack = {fact.stack for fact in pinned}
    # the guard that specialized it is on the same line, and is shown with it
    asked = [fact for fact in facts if fact.event in ("guard", "assert")]
    questions = {fact.stack: fact.expression for fact in asked if fact.stack in by_stack}
    return SymbolView(
        name=item.name,
        compile_id=item.compile_id,
        frame=names[item.frame],
        is_backed=item.is_backed,
        hint=item.hint,
        range=f"only {item.hint}" if item.hint and has_one_value(facts) else _range(item),
        stands_for=unique(readable(source) for source in item.sources),
        value=item.value,
        where=places.where(line) if line else "",
        entity=entity_if_known(line),
        pinned=tuple(
            _fact(fact, _pinned(item, fact), questions.get(fact.stack, ""), places)
            for fact in pinned
        ),
        asked=tuple(
            _fact(fact, "", fact.expression, places) for fact in asked if fact.stack not in by_stack
        ),
    )


def _range(item: Symbol) -> str:
    """The range of the symbol, in words; of one that was replaced, what replaced it."""
    if item.value:
        return f"only {item.value}" if _is_number(item.value) else f"as {item.value}"
    if item.lower and item.lower == item.upper:
        return f"only {item.lower}"
    if item.lower and item.upper:
        return f"{item.lower} to {item.upper}"
    if item.lower:
        return f"{item.lower} or more"
    return f"{item.upper} or less" if item.upper else "any number"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _named(item: Symbol) -> str:
    """The values that a symbol stands for, else its own name."""
    names = unique(readable(source) for source in item.sources) or (item.name,)
    return listed([f"`{name}`" for name in names])


def _pinned(item: Symbol, fact: ShapeFact) -> str:
    if fact.event == "constant":
        return f"{_named(item)} became the constant {fact.expression}"
    return f"{_named(item)} is tied to another size: {item.name} = {fact.expression}"


def _fact(fact: ShapeFact, text: str, expression: str, places: Places) -> FactView:
    line = places.own_line(fact.stack)
    return FactView(
        event=fact.event,
        text=text,
        expression=expression,
        where=places.where(line) if line else "",
        entity=entity_if_known(line),
        line=places.text(line).strip() if line else "",
    )


def _other(fact: ShapeFact, compilations: Compilations, places: Places) -> FactView:
    if fact.event == "zero_one":
        text = (
            f"`{readable(fact.source)}` is {fact.expression}: sizes 0 and 1 are always "
            "compiled in, because they broadcast. "
            "`torch._dynamo.decorators.mark_unbacked` makes one dynamic."
        )
        return _fact(fact, text, "", places)
    cause = cause_of(fact, compilations)
    view = _fact(cause, readable(fact.expression), "", places)
    return FactView(
        event="violation",
        text=view.text,
        expression="",
        where=view.where,
        entity=view.entity,
        line=view.line,
    )


def cause_of(fact: ShapeFact, compilations: Compilations) -> ShapeFact:
    """Where a size that a violation is about became a number; itself where that is not known."""
    symbol = _violated(fact, compilations.symbols[fact.compile_id])
    return next(
        (
            known
            for known in compilations.shape_facts[fact.compile_id]
            if symbol and known.event == "constant" and symbol.name in known.symbols
        ),
        fact,
    )


def _violated(fact: ShapeFact, symbols: Sequence[Symbol]) -> Symbol | None:
    """The symbol of the size that a violation is about, taken from its message."""
    return next(
        (
            symbol
            for symbol in symbols
            if any(re.search(re.escape(s) + r"(?!\w)", fact.expression) for s in symbol.sources)
        ),
        None,
    )


def specialisations(recording: Recording, places: Places) -> Iterator[Specialisation]:
    """The user's lines on which symbols were specialized, once for each symbol's values."""
    numbers = {(s.compile_id, s.name): at for at, s in enumerate(recording.symbols)}
    seen: set[tuple[int, str]] = set()
    for fact in recording.shape_facts:
        if fact.event not in ("constant", "equal") or fact.stack is None:
            continue
        at = next((numbers.get((fact.compile_id, name)) for name in fact.symbols), None)
        spans = reversed(places.stack_spans[fact.stack])
        span = next((s for s in spans if not places.is_library(places.line_of(s))), None)
        if at is None or span is None:
            continue
        label = _pinned(recording.symbols[at], fact).replace("`", "")
        if (span, label) not in seen:
            seen.add((span, label))
            yield Specialisation(span=span, label=label, symbol=at)
