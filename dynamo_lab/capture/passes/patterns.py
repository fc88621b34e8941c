"""What Inductor looks for in a graph: the rules of its pattern matcher, read from their code."""

import functools
import inspect
import sys
import textwrap
from collections.abc import Iterator
from types import FunctionType
from typing import Any, NamedTuple

from dynamo_lab.capture.core.sources import Texts
from dynamo_lab.capture.passes.hooks import PASSES
from dynamo_lab.model.passes import Pattern, PatternKind

_LONGEST = 6_000  # characters of source or of an expression; few are longer
_NAMELESS = frozenset({"", "_", "<lambda>", "handler", "inner", "wrapper"})


class Code(NamedTuple):
    """What is known of a function: its name, what it says of itself, where it stands, its text."""

    name: str = ""
    description: str = ""
    place: str = ""
    span: int | None = None
    source: str = ""


def code_of(thing: Any, texts: Texts, *, with_source: bool = False) -> Code:
    """What is known of a pass or a handler, found under whatever was put around it."""
    thing = _unwrapped(thing)
    is_function = isinstance(thing, FunctionType)
    function = thing if is_function else inspect.unwrap(type(thing).__call__)
    name = thing.__name__ if is_function else type(thing).__name__
    description = _first_line(function.__doc__ or ("" if is_function else type(thing).__doc__))
    if not isinstance(function, FunctionType):
        return Code(name, description)
    path, line = function.__code__.co_filename, function.__code__.co_firstlineno
    return Code(
        name,
        description,
        f"{texts.name(path)}:{line}",
        texts.span(path, line, function.__name__) if texts.is_users(path) else None,
        _source(function) if with_source else "",
    )


def _unwrapped(thing: Any) -> Any:
    """The function or object under partials, bound methods and wrappers."""
    while True:
        under = (
            thing.func
            if isinstance(thing, functools.partial)
            else getattr(thing, "user_function", None) or getattr(thing, "__wrapped__", None)
        )
        if under is None:
            return getattr(thing, "__func__", thing)
        thing = under


def _first_line(doc: str | None) -> str:
    return next((line.strip() for line in (doc or "").split("\n") if line.strip()), "")


def _source(function: Any) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function)).rstrip()[:_LONGEST]
    except (OSError, TypeError, SyntaxError):  # typed into an interpreter, or generated
        return ""


class Patterns:
    """Numbers the patterns that matched, each once."""

    def __init__(self, facts: list[Pattern], texts: Texts) -> None:
        self._facts = facts
        self._texts = texts
        self._numbers: dict[Pattern, int] = {}
        self._known: dict[
            int, tuple[Any, int]
        ] = {}  # holds each rule, so that its id stays its own

    def number(self, rule: Any, kind: PatternKind) -> int:
        """The index of the pattern of a rule: an entry of a pattern matcher, or a fusion."""
        known = self._known.get(id(rule))
        if known is None:
            fact = self._fusion(rule) if kind == "fusion" else self._pattern(rule, kind)
            if fact not in self._numbers:
                self._numbers[fact] = len(self._facts)
                self._facts.append(fact)
            known = self._known[id(rule)] = (rule, self._numbers[fact])
        return known[1]

    def _pattern(self, entry: Any, kind: PatternKind) -> Pattern:
        closure = _closure(entry.extra_check)
        searched = closure.get("search_fn") if kind == "replacement" else entry.handler
        if searched is None:
            return Pattern(name=pattern_name(entry), kind=kind, expression=_printed(entry.pattern))
        code = code_of(searched, self._texts, with_source=True)
        put = closure.get("replace_fn")
        return Pattern(
            name=pattern_name(entry) if code.name in _NAMELESS else code.name,
            kind=kind,
            description=code.description,
            place=code.place,
            span=code.span,
            source=code.source,
            replacement=_source(_unwrapped(put)) if put else "",
            expression="" if kind == "replacement" else _printed(entry.pattern),
        )

    def _fusion(self, rule: Any) -> Pattern:
        kind: Any = type(rule)
        code = code_of(rule.match, self._texts, with_source=True)
        return Pattern(
            name=kind.__name__,
            kind="fusion",
            description=_first_line(kind.__doc__),
            place=code.place,
            source=code.source,
            replacement=_source(kind.fuse),
        )


def _closure(function: Any) -> dict[str, Any]:
    """The names that a nested function sees of the function around it."""
    if not isinstance(function, FunctionType):
        return {}
    return dict(inspect.getclosurevars(function).nonlocals)


def _printed(pattern: Any) -> str:
    return repr(pattern)[:_LONGEST]


def pattern_name(entry: Any) -> str:
    """By what the pattern ends in: "aten.mm"."""
    named = getattr(entry, "pattern_name", None)
    if named:
        return str(named)
    describe = getattr(entry.pattern, "fns_repr", None)
    return describe() if describe else type(entry.pattern).__name__


def registered_name(matcher: Any) -> str:
    """Where Inductor keeps a matcher that has no name: "joint_graph.early_patterns"."""
    return next((name for name, held in _matchers() if held is matcher), "")


def _matchers() -> Iterator[tuple[str, Any]]:
    for path, module in sorted(sys.modules.items()):
        if not path.startswith(f"{PASSES}."):
            continue
        for variable, value in vars(module).items():
            name = f"{path.rpartition('.')[2]}.{variable}"
            if isinstance(value, list):
                yield from ((f"{name}[{i}]", item) for i, item in enumerate(value))
            else:
                yield name, value
