"""A rule in place of another: for the length of a `with`, or until it is undone."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dynamo_lab.compiler.rules import RULES
from dynamo_lab.compiler.rules.table import put

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dynamo_lab.compiler.rules import Rule

_changes: defaultdict[Any, list[ChangedRule]] = defaultdict(list)
"""By overload, the last one on top; whichever is undone first, the others stay."""
_originals: dict[Any, Rule | None] = {}


class ChangedRule:
    """A rule that was entered. It is undone by `undo`, or at the end of its `with`."""

    def __init__(self, target: Any, made: Rule) -> None:
        self.target, self.made = target, made
        if not _changes[target]:
            _originals[target] = RULES.get(target)
        _changes[target].append(self)
        self._enter()

    def undo(self) -> None:
        """Bring back what was there before; a second time does nothing."""
        if self in _changes[self.target]:
            _changes[self.target].remove(self)
            self._enter()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The rule itself."""
        return self.made(*args, **kwargs)

    def __enter__(self) -> ChangedRule:
        return self

    def __exit__(self, *_: object) -> None:
        self.undo()

    def _enter(self) -> None:
        changes = _changes[self.target]
        put(self.target, changes[-1].made if changes else _originals.pop(self.target))


def rule(target: Any) -> Callable[[Rule], ChangedRule]:
    """Lower an operator by another rule, in all that is compiled from now on.

    Use it in a `with`, which undoes it, or as a decorator, whose function then has `undo()`:

        with lab.compiler.rule(torch.ops.aten.silu.default)(mine): ...

    An operator with a rule is not decomposed. What `torch.compile` compiles by a wrong rule is
    wrong; `Program.check` says so.

    Args:
        target: the overload, as `torch.ops.aten.silu.default`.
    """
    return lambda made: ChangedRule(target, made)


@contextmanager
def in_effect(rules: Mapping[Any, Rule]) -> Iterator[None]:
    """The whole table as it was when a program was made."""
    before = dict(RULES)
    _become(rules)
    try:
        yield
    finally:
        _become(before)


def _become(rules: Mapping[Any, Rule]) -> None:
    kept = dict(rules)
    RULES.clear()
    RULES.update(kept)
