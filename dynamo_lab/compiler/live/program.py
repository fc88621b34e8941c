"""Programs that can be made again with something changed, and held against eager.

In comes a graph and what is changed; out comes a `LiveProgram`, checked with the arguments of the
first call. A change never touches the program that it was made from.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler.live.changes import Changes
from dynamo_lab.compiler.live.difference import Difference
from dynamo_lab.compiler.live.eager import (
    comparisons,
    line_of,
    poisoned,
    same_arguments,
    with_every_value,
)
from dynamo_lab.compiler.live.rules import in_effect
from dynamo_lab.compiler.lower import CannotLower
from dynamo_lab.compiler.program import Program
from dynamo_lab.errors import LoweringError, WrongProgramError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from torch import fx

    from dynamo_lab.compiler.fusion import Choices
    from dynamo_lab.compiler.live.changes import Score
    from dynamo_lab.compiler.live.turns import Turns
    from dynamo_lab.compiler.printers.tuning import Tuning
    from dynamo_lab.compiler.rules import Rule
    from dynamo_lab.compiler.targets.target import Target
    from dynamo_lab.measure.rounds import Watch
    from dynamo_lab.model.benchmarks import Comparison


class LiveProgram(Program):
    """A program that keeps the arguments of its first call, to be checked and timed with.

    Attributes:
        changes: what it was made with.
        arguments: those of its first call; None before it.
        before: the program that it was made from by `relower`, if it was.
    """

    def __init__(
        self,
        module: fx.GraphModule,
        changes: Changes | None = None,
        *,
        arguments: Sequence[Any] | None = None,
        before: LiveProgram | None = None,
    ) -> None:
        self.changes = changes or Changes()
        self.arguments, self.before = arguments, before
        with in_effect(self.changes.rules):
            super().__init__(
                module,
                choices=self.changes.choices,
                target=self.changes.target,
                tunings=self.changes.tunings,
            )
        for at, kernel in enumerate(self.kernels):
            printed, text = self.changes.texts.get(kernel.name, ("", ""))
            if text and printed == self.sources[at]:
                self.sources[at], self.origins[at] = text, {}

    def __call__(self, args: list[Any]) -> Any:
        """Run it, and keep the arguments if they are the first."""
        if self.arguments is None:
            self.arguments = same_arguments(args)
        return super().__call__(args)

    def relower(
        self,
        *,
        rules: Mapping[Any, Rule | None] | None = None,
        fuse: Sequence[tuple[str, str]] = (),
        apart: Sequence[tuple[str, str]] = (),
        score: Score | None = None,
        choices: Choices | None = None,
        loops: Mapping[str, Tuning | None] | None = None,
        printer: Mapping[str, Callable[..., Any]] | None = None,
        target: Target | None = None,
        sources: Mapping[str, str] | None = None,
    ) -> LiveProgram:
        """The same graph compiled again with something changed; what is not given stays.

        Where this program was called before, the new one is checked with the same arguments.

        Args:
            rules: other rules, by overload; None leaves an operator to ATen.
            fuse: pairs of buffers, or of the nodes that they store, that are to share a kernel even
                where that is not legal: then the numbers decide.
            apart: pairs that are not to share one.
            score: how much joining two groups is worth, as `fusion.shared_bytes` says it.
            choices: all that fusion may decide otherwise, at once.
            loops: by kernel, the order, tiles and unrolling of its loops; None leaves them to the
                printer again.
            printer: by name, methods that take the place of the printer's own.
            target: another language, or the same one with another printer.
            sources: other texts, by name of the kernel. They run as they are: one that writes
                beyond its memory can end the process.

        Raises:
            LoweringError: there is nothing in the graph for the change, or it cannot be made.
            WrongProgramError: its numbers are not eager's.
        """
        named = (*(sources or {}), *(loops or {}))
        self._refuse_what_is_not_there(rules or {}, named, (*fuse, *apart))
        made = self.changes.with_rules(rules or {}).with_fusion(choices, score)
        joins = {kernel.name: kernel.joins for kernel in self.kernels}
        tuned = {joins[name]: tuning for name, tuning in (loops or {}).items()}
        made = made.with_pairs(fuse, apart).with_loops(tuned)
        made = replace(
            made,
            target=target or made.target,
            texts={**made.texts, **self._texts(sources or {})},
        )
        if printer:
            made = made.with_printer(made.target or self.target, printer)
        after = self._remade(made)
        gone = {one for one, tuning in tuned.items() if tuning} - {k.joins for k in after.kernels}
        if gone:
            lost = " or ".join(map("+".join, sorted(gone)))
            raise LoweringError(
                f"With the other changes no kernel joins {lost} alone: say its loops afterwards."
            )
        return after

    def _remade(self, changes: Changes) -> LiveProgram:
        try:
            made = LiveProgram(self.module, changes, arguments=self.arguments, before=self)
        except CannotLower as refusal:
            raise LoweringError(f"The graph cannot be lowered: {refusal}.") from None
        made.build()
        if made.arguments is not None:
            made.check()
        return made

    def undo(self) -> LiveProgram:
        """The program that this one was made from.

        Raises:
            LoweringError: it was not made from another.
        """
        if self.before is None:
            raise LoweringError("Nothing was changed: there is no program before this one.")
        return self.before

    def diff(self, other: LiveProgram | None = None) -> Difference:
        """What became of another program, or of the one before, in this one: print it."""
        return Difference.of(other or self.undo(), self)

    def check(self) -> tuple[Comparison, ...]:
        """Hold each result, and each argument as it was left, against eager's.

        The tolerance is that of `lab.bench`. Memory that is not written holds no number meanwhile,
        so that what is left out, or read too early, shows.

        Raises:
            LoweringError: it was not called yet, so there are no arguments to check it with, or it
                fails as it runs.
            WrongProgramError: a value is off. The message says which, and the first operator whose
                value is, if one by itself is.
        """
        found = comparisons(self.module, poisoned(self), self.given())
        wrong = [one for one in found if one.verdict == "wrong"]
        if wrong:
            raise WrongProgramError(f"{_told(wrong[0])} {self._culprit()}")
        return found

    def time(self, rounds: int = 20) -> float:
        """The seconds of a call: the least of some rounds, for one that nothing disturbed.

        Raises:
            LoweringError: it was not called yet, so there are no arguments to time it with.
        """
        self.build()
        taken: list[float] = []
        for _ in range(rounds):
            args = same_arguments(self.given())
            _wait()
            start = time.perf_counter()
            self(args)
            _wait()
            taken.append(time.perf_counter() - start)
        return min(taken)

    def time_beside(
        self, other: LiveProgram | None = None, seconds: float = 1.0, watch: Watch | None = None
    ) -> Turns:
        """Another program, or the one before, timed in turns with this one: print it.

        Raises:
            LoweringError: it was not called yet, so there are no arguments to time it with.
        """
        from dynamo_lab.compiler.live.turns import take

        return take(other or self.undo(), self, self.given(), seconds, watch)

    def given(self) -> Sequence[Any]:
        """The arguments of its first call.

        Raises:
            LoweringError: it was not called yet.
        """
        if self.arguments is None:
            raise LoweringError("The program was not called yet: there are no arguments for it.")
        return self.arguments

    def _texts(self, sources: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        """By kernel the text that is printed now, and the reader's."""
        printed = {
            kernel.name: self.changes.texts.get(kernel.name, (source, ""))[0]
            for kernel, source in zip(self.kernels, self.sources, strict=True)
        }
        ends = {name: text[len(text.rstrip("\n")) :] for name, text in printed.items()}
        return {
            name: (printed[name], text.rstrip("\n") + ends[name]) for name, text in sources.items()
        }

    def _refuse_what_is_not_there(
        self,
        rules: Mapping[Any, Any],
        kernels: Sequence[str],
        pairs: Sequence[tuple[str, str]],
    ) -> None:
        for target in rules.keys() - {node.target for node in self.module.graph.nodes}:
            raise LoweringError(
                f"The graph has no {target}: if the program calls it, it was decomposed before; "
                "give the rule with lab.compiler.rule, and make the programs again."
            )
        for name in set(kernels) - {kernel.name for kernel in self.kernels}:
            known = ", ".join(kernel.name for kernel in self.kernels)
            raise LoweringError(f"There is no kernel {name}; there are: {known or 'none'}.")
        loops = [node for kernel in self.kernels for node in kernel.nodes]
        known_names = {name for node in loops for name in (node.buffer.name, node.origin)}
        for name in {name for pair in pairs for name in pair} - known_names:
            known = ", ".join(node.buffer.name for node in loops)
            raise LoweringError(f"{name} has no loop of its own; these have: {known or 'none'}.")

    def _culprit(self) -> str:
        """The first operator whose value is off where each is stored."""
        module, nodes = with_every_value(self.module)
        try:
            with in_effect(self.changes.rules):
                every = Program(module, target=self.changes.target)
            found = comparisons(module, every, self.given())
        except (CannotLower, LoweringError, RuntimeError):
            return "Which operator it is was not found: its values cannot be had one by one."
        wrong = {one.value for one in found if one.verdict == "wrong"}
        for at, node in enumerate(nodes):
            if f"result {at}" in wrong:
                line = line_of(node)
                at_line = f", at the line `{line}`" if line else ""
                return (
                    f"The first value that is off is that of {node.name} ({node.target}){at_line}."
                )
        return self._fault_of_kernels()

    def _fault_of_kernels(self) -> str:
        """No rule is to blame: what was forced, with the line that it computes, or the rest."""
        said = "No operator's own value is off: the fault lies in how loops were fused or printed."
        forced = next((one for one in self.schedule.verdicts if one.despite), None)
        if forced is None:
            return said
        nodes = {node.name: node for node in self.module.graph.nodes}
        last = next(n for k in self.kernels for n in k.nodes if n.buffer.name == forced.second[-1])
        line = line_of(nodes[last.origin]) if last.origin in nodes else ""
        at_line = f", which computes the line `{line}`" if line else ""
        pair = f"{'+'.join(forced.first)} with {'+'.join(forced.second)}"
        return f"{pair}{at_line}, was forced into one kernel although {forced.despite}."


def _told(one: Comparison) -> str:
    if one.reason:
        return f"Not eager's: of {one.value}, {one.reason}."
    off = "not a number" if one.absolute is None else f"off by up to {one.absolute:.3g}"
    return f"Not eager's numbers: {one.value} is {off} (allowed: {one.tolerance})."


def _wait() -> None:
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()
