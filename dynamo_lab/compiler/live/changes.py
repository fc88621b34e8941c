"""What a reader may change of a program, and what stays of it in the programs made from it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dynamo_lab.compiler.fusion import Choices
from dynamo_lab.compiler.live.rules import checked
from dynamo_lab.compiler.rules import RULES
from dynamo_lab.errors import LoweringError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dynamo_lab.compiler.fusion import Group
    from dynamo_lab.compiler.printers.tuning import Tuning
    from dynamo_lab.compiler.rules import Rule
    from dynamo_lab.compiler.targets.target import Target
    from dynamo_lab.compiler.tensors import LoweredGraph

    Score = Callable[[LoweredGraph, Group, Group], int]


@dataclass(frozen=True)
class Changes:
    """All that a program was made with beside its graph.

    Attributes:
        rules: the whole table of rules.
        choices: what fusion decides otherwise.
        target: the language and its printer; that of the graph's device, if None.
        tunings: how loops are written, by the buffers that their kernel joins: where fusion makes
            another kernel of them, they are the printer's again.
        texts: by kernel, the text that was printed and the reader's, which takes its place as long
            as that is what is printed.
    """

    rules: Mapping[Any, Rule] = field(default_factory=lambda: dict(RULES))
    choices: Choices = field(default_factory=Choices)
    target: Target | None = None
    tunings: Mapping[tuple[str, ...], Tuning] = field(
        default_factory=dict[tuple[str, ...], "Tuning"]
    )
    texts: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])

    def with_rules(self, rules: Mapping[Any, Rule | None]) -> Changes:
        """Other rules; an operator with None is left to ATen."""
        table = dict(self.rules)
        for target, made in rules.items():
            table.pop(target, None)
            if made is not None:
                table[target] = checked(target, made)
        return replace(self, rules=table)

    def with_fusion(self, choices: Choices | None, score: Score | None) -> Changes:
        """Other choices, or another score with the same choices."""
        made = choices or self.choices
        return replace(self, choices=replace(made, score=score or made.score))

    def with_pairs(
        self, fuse: Sequence[tuple[str, str]], apart: Sequence[tuple[str, str]]
    ) -> Changes:
        """These pairs forced into a kernel, and those kept apart."""
        parted = {frozenset(pair) for pair in apart}
        kept = tuple(pair for pair in self.choices.forced if frozenset(pair) not in parted)
        made = replace(self.choices, forced=(*kept, *fuse))
        if apart:
            made = replace(made, forbidden=_forbidding(apart, made.forbidden))
        return replace(self, choices=made)

    def with_loops(self, loops: Mapping[tuple[str, ...], Tuning | None]) -> Changes:
        """Other loops, by the buffers of a kernel; None leaves them to the printer again."""
        made = {**self.tunings, **loops}
        return replace(self, tunings={joins: one for joins, one in made.items() if one})

    def with_printer(self, base: Target, methods: Mapping[str, Callable[..., Any]]) -> Changes:
        """The target with some of its printer's methods replaced.

        Raises:
            LoweringError: the printer has no such method.
        """
        printer: Any = base.printer
        for name, method in methods.items():
            if not callable(getattr(printer, name, None)):
                own = [key for key in dir(printer) if not key.startswith("__")]
                known = ", ".join(key for key in own if callable(getattr(printer, key)))
                raise LoweringError(f"{printer.__name__} has no method {name}; it has: {known}.")
            if not callable(method):
                raise LoweringError(f"{name}: {method!r} is no function.")
        changed: Any = type(base)
        made: Any = type(f"Changed{printer.__name__}", (printer,), dict(methods))
        return replace(self, target=changed(made))


def _forbidding(
    apart: Sequence[tuple[str, str]], other: Callable[[Group, Group], str]
) -> Callable[[Group, Group], str]:
    def forbidden(a: Group, b: Group) -> str:
        mine, theirs = _names(a), _names(b)
        for first, last in apart:
            if (first in mine and last in theirs) or (last in mine and first in theirs):
                return f"{first} and {last} are kept apart by the reader"
        return other(a, b)

    return forbidden


def _names(group: Group) -> set[str]:
    """The buffers of its loops, and the nodes that these store."""
    return {name for node in group.nodes for name in (node.buffer.name, node.origin)}
