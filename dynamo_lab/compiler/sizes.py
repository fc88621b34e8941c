"""Sizes of the run time: Dynamo's symbolic integers as index expressions.

In come sizes and strides of fake tensors; out come ints, and polynomials of the symbols.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.work import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import torch

    from dynamo_lab.compiler.index import Index, Size

UNKNOWN = 8192
"""Stands for a size that depends on data, where a choice needs a number."""


class Sizes:
    """The symbols of one graph, each made once.

    Args:
        derived: told of each size that is no polynomial of others, by a name that is made for it
            and the Python expression of those; says whether these are known at the start.
    """

    def __init__(self, derived: Callable[[str, str, Sequence[Size]], bool]) -> None:
        self._known: dict[Any, Size] = {}
        self._derived = derived

    def all(self, sizes: Sequence[int | torch.SymInt]) -> tuple[Size, ...]:
        """Sizes or strides, each as an expression."""
        return tuple(self.of(size) for size in sizes)

    def of(self, size: int | torch.SymInt) -> Size:
        """A size as an int or an index expression."""
        if isinstance(size, int):
            return size
        node = size.node
        return ix.plain(self._of(node.expr, node.shape_env))

    def _of(self, expression: Any, shapes: Any) -> Size:
        found = self._known.get(expression)
        if found is None:
            found = self._known[expression] = self._made(expression, shapes)
        return found

    def _made(self, expression: Any, shapes: Any) -> Size:
        if expression.is_Integer:
            return int(expression)
        if expression.is_Symbol:
            return self._symbol(expression, shapes)
        parts = [self._of(arg, shapes) for arg in expression.args]
        kind = type(expression).__name__
        if kind == "Add":
            return sum(parts[1:], parts[0])
        if kind == "Mul":
            return ix.product(parts)
        if kind == "Pow" and isinstance(parts[1], int) and parts[1] > 0:
            return ix.product([parts[0]] * parts[1])
        if kind in ("FloorDiv", "CleanDiv"):
            return ix.of(parts[0]) // parts[1]
        if kind in ("Mod", "PythonMod"):
            return ix.of(parts[0]) % parts[1]
        if kind in ("Max", "Min"):
            return self._extreme(kind, parts)
        raise Unsupported(f"a size that is {expression}")

    def _extreme(self, kind: str, parts: Sequence[Size]) -> Size:
        """A symbol of its own, whose value the wrapper computes."""
        bounds = [ix.never_negative(part) for part in parts]
        if not (any(bounds) if kind == "Max" else all(bounds)):
            raise Unsupported(f"a size that may be negative, {kind}{tuple(parts)}")
        listed = ", ".join(map(python_text, parts))
        name = f"extreme{len(self._known)}"
        if not self._derived(name, f"{kind.lower()}({listed})", parts):
            raise Unsupported(f"a size that only data tells, {kind}{tuple(parts)}")
        constants = [part for part in parts if isinstance(part, int)]
        choose = max if kind == "Max" else min
        least = max(constants, default=0) if kind == "Max" else 0
        return ix.symbol(name, max(least, 0), choose(map(ix.hint, parts)))

    def _symbol(self, symbol: Any, shapes: Any) -> Index:
        span = shapes.var_to_range.get(symbol)
        least = int(span.lower) if span is not None and span.lower.is_Integer else 0
        newer = hasattr(shapes, "backed_var_to_val")  # since 2.12; asking for the other one warns
        hints = shapes.backed_var_to_val if newer else shapes.var_to_val
        return ix.symbol(str(symbol), max(least, 0), int(hints.get(symbol, UNKNOWN)))


def python_text(size: Size) -> str:
    """A size as a Python expression."""
    return ix.written(size, "//")
