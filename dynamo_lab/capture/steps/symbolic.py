"""What Dynamo knows of a value, as a fact.

Dynamo holds every Python value that it traces as a `VariableTracker`
(torch/_dynamo/variables/base.py). Looking must change nothing: some of them stand for values that
Dynamo has not looked at yet, and `isinstance` alone would make it look. So kinds are told by the
names of their types, and attributes are read from where objects keep them.
"""

from collections.abc import Callable, Iterable, Mapping
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import torch
from torch import fx

from dynamo_lab.capture.core import compat
from dynamo_lab.capture.core.hooks import OPERATORS
from dynamo_lab.capture.graphs.nodes import describe_value, node_value
from dynamo_lab.model.steps import Symbolic

_PLAIN = frozenset({bool, int, float, complex, str, bytes})
_NAMED = (type, FunctionType, BuiltinFunctionType, MethodType, MethodDescriptorType, ModuleType)
_LONGEST = 80  # characters of a value's text
_MOST_ITEMS = 4  # of a container that are shown

_BRACKETS = {"Tuple": "()", "Size": "()", "NamedTuple": "()", "Set": "{}", "FrozenSet": "{}"}


class Describer:
    """Describes variables, each once while it is unchanged; `row_of` finds recorded nodes."""

    def __init__(self, row_of: Callable[[fx.Node], int]) -> None:
        self._row_of = row_of
        # With the variable itself, since an id is only good while its object lives.
        self._known: dict[int, tuple[Any, Symbolic]] = {}

    def forget(self) -> None:
        """Let go of the variables of an attempt that ended."""
        self._known.clear()

    def is_settled(self, variable: Any) -> bool:
        """Whether a variable that was described still looks as it did."""
        return id(_looked_at(variable)) in self._known

    def describe(self, variable: Any) -> Symbolic:
        """What Dynamo knows of a variable now."""
        variable = _looked_at(variable)
        known = self._known.get(id(variable))
        if known is not None:
            return known[1]
        found = self._describe(variable)
        if not (_is_lazy(variable) or _items(variable) is not None):
            self._known[id(variable)] = (variable, found)
        return found

    def _describe(self, variable: Any) -> Symbolic:
        kind, node = type(variable).__name__, _node(variable)
        row = -1 if node is None else self._row_of(node)
        return Symbolic(kind, _shorten(self._text(variable, kind)), _source(variable), row)

    def _text(self, variable: Any, kind: str) -> str:
        if _is_lazy(variable):
            return _value_text(_field(_field(variable, "_cache"), "value"))
        items = _items(variable)
        if items is not None:
            return self._container(items, kind)
        node = _node(variable)
        if node is not None:
            return node_value(node).text
        if kind == "GetAttrVariable":  # a method about to be called
            return f"{self._short(vars(variable)['obj'])}.{vars(variable)['name']}"
        for field in ("value", "fn"):
            if field in vars(variable):
                return _value_text(vars(variable)[field])
        return ""

    def _container(self, items: Iterable[Any] | Mapping[Any, Any], kind: str) -> str:
        left, right = _BRACKETS.get(kind.removesuffix("Variable"), "[]")
        if isinstance(items, Mapping):
            left, right = "{}"
            texts = [
                f"{self._key(key)}: {self._short(item)}" for key, item in _first(items.items())
            ]
        else:
            texts = [self._short(item) for item in _first(items)]
        more = len(list(items)) - len(texts)
        if more > 0:
            texts.append(f"… {more} more")
        return f"{left}{', '.join(texts)}{right}"

    def _key(self, key: Any) -> str:
        variable = _field(key, "vt")  # dictionaries wrap their keys to make them hashable
        return self._short(variable) if variable is not None else _value_text(key)

    def _short(self, variable: Any) -> str:
        """A variable inside a container, whose own items are not opened."""
        variable = _looked_at(variable)
        if _items(variable) is not None:
            return type(variable).__name__.removesuffix("Variable").lower()
        found = self.describe(variable)
        return found.text or found.kind.removesuffix("Variable")


def _looked_at(variable: Any) -> Any:
    """The variable that a lazy one became, once Dynamo has looked at its value."""
    while _is_lazy(variable):
        actual = _field(_field(variable, "_cache"), "vt")
        if actual is None:
            return variable
        variable = actual
    return variable


def _is_lazy(variable: Any) -> bool:
    return "_cache" in vars(variable)


def _field(thing: Any, name: str) -> Any:
    return getattr(thing, "__dict__", {}).get(name)


def _items(variable: Any) -> Any:
    """The items of a list, tuple, set or dictionary, None for anything else."""
    found = vars(variable).get("items")
    return found if isinstance(found, list | tuple | dict | set) else None


def _first(items: Iterable[Any]) -> list[Any]:
    return [item for _, item in zip(range(_MOST_ITEMS), items, strict=False)]


def _node(variable: Any) -> fx.Node | None:
    node = getattr(vars(variable).get("proxy"), "node", None)
    return node if isinstance(node, fx.Node) else None


def _source(variable: Any) -> str:
    source = vars(variable).get("source")
    return compat.name_of(source) if source is not None else ""


def _value_text(value: Any) -> str:
    """A Python value in a few words, without running any code of the user's."""
    if isinstance(value, torch.Tensor):
        return describe_value(value)
    if value is None or type(value) in _PLAIN:
        return repr(value)
    if isinstance(value, OPERATORS.OpOverload | OPERATORS.OpOverloadPacket):
        return str(value)
    if isinstance(value, _NAMED):
        return value.__qualname__ if not isinstance(value, ModuleType) else value.__name__
    return type(value).__name__


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
