"""Rules by which Inductor shortens the index of a load or store, each of which can be left out."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dynamo_lab.capture.bisections import hooks
from dynamo_lab.capture.core.private import Private
from dynamo_lab.capture.core.undo import Undo, whole


class IndexRule(NamedTuple):
    """A rule that rewrites indices: its name, and where it is in PyTorch, as "file:line"."""

    name: str
    place: str
    row: Private


def index_rules() -> tuple[IndexRule, ...]:
    """The rules that this release of PyTorch has, the narrowest first."""
    rows = (hooks.MODULAR_INDEXING, hooks.SIMPLIFY_WITH_RANGES)
    return tuple(IndexRule(row.name, _place(row), row) for row in rows if row.exists)


@whole
def unshortened(rule: IndexRule) -> Iterator[None]:
    """Keep indices as long as they were made: the rule returns what it was given."""
    from sympy.core.cache import clear_cache

    undo = Undo()
    owner, name = rule.row.place()
    ours: Any = classmethod(_unevaluated) if rule.row == hooks.MODULAR_INDEXING else _unchanged
    clear_cache()  # of sympy, which keeps what a function came to
    try:
        undo.replace(owner, name, ours)
        yield
    finally:
        undo.run()
        clear_cache()


def _unevaluated(cls: Any, base: Any, divisor: Any, modulus: Any) -> Any:
    """`(base // divisor) % modulus`: a number where all three are, else left as it is."""
    if base == 0 or modulus == 1:
        return base * 0
    if all(one.is_Integer for one in (base, divisor, modulus)):
        return (base // divisor) % modulus
    return None


def _unchanged(allocator: Any, index: Any, ranges: Any) -> Any:
    return index


def _place(row: Private) -> str:
    """The file below the folder that torch is in, and the line."""
    function = inspect.unwrap(row.get())
    file, line = inspect.getsourcefile(function) or "", inspect.getsourcelines(function)[1]
    parts = Path(file).parts
    inside = parts[parts.index("torch") :] if "torch" in parts else parts[-1:]
    return f"{'/'.join(inside)}:{line}"
