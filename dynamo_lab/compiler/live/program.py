"""Programs that can be made again with something changed, and held against eager.

In comes a function with its arguments; out comes a `LiveProgram` for each graph of it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler.backend import boxed, by_aot
from dynamo_lab.compiler.live.eager import (
    comparisons,
    line_of,
    same_arguments,
    with_every_value,
)
from dynamo_lab.compiler.live.rules import in_effect
from dynamo_lab.compiler.lower import CannotLower
from dynamo_lab.compiler.program import Program
from dynamo_lab.compiler.rules import RULES
from dynamo_lab.errors import LoweringError, WrongProgramError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from torch import fx

    from dynamo_lab.compiler.fusion import Choices
    from dynamo_lab.compiler.rules import Rule
    from dynamo_lab.compiler.targets.target import Target
    from dynamo_lab.model.benchmarks import Comparison


class LiveProgram(Program):
    """A program that keeps the arguments of its first call, to be checked and timed with."""

    def __init__(
        self,
        module: fx.GraphModule,
        *,
        choices: Choices | None = None,
        target: Target | None = None,
        arguments: Sequence[Any] | None = None,
    ) -> None:
        super().__init__(module, choices=choices, target=target)
        self.choices = choices
        self.rules: Mapping[Any, Rule] = dict(RULES)
        """The table that it was lowered by."""
        self.arguments = arguments
        """Those of its first call; None before it."""

    def __call__(self, args: list[Any]) -> Any:
        """Run it, and keep the arguments if they are the first."""
        if self.arguments is None:
            self.arguments = same_arguments(args)
        return super().__call__(args)

    def relower(
        self,
        *,
        rules: Mapping[Any, Rule] | None = None,
        choices: Choices | None = None,
        target: Target | None = None,
        sources: Mapping[str, str] | None = None,
    ) -> LiveProgram:
        """The same graph compiled again with something changed; what is not given stays.

        Where this program was called before, the new one is checked with the same arguments.

        Args:
            rules: other rules, by overload.
            choices: what fusion may decide otherwise.
            target: another language, or the same one with another printer.
            sources: other texts, by name of the kernel. They run as they are: one that writes
                beyond its memory can end the process.

        Raises:
            LoweringError: there is nothing in the graph for the change.
            WrongProgramError: its numbers are not eager's.
        """
        self._refuse_what_is_not_there(rules or {}, sources or {})
        with in_effect({**self.rules, **(rules or {})}):
            try:
                made = LiveProgram(
                    self.module,
                    choices=choices or self.choices,
                    target=target or self.target,
                    arguments=self.arguments,
                )
            except CannotLower as refusal:
                raise LoweringError(f"The graph cannot be lowered: {refusal}.") from None
        for at, kernel in enumerate(made.kernels):
            if kernel.name in (sources or {}):
                made.sources[at], made.origins[at] = (sources or {})[kernel.name], {}
        made.build()
        if made.arguments is not None:
            made.check()
        return made

    def check(self) -> tuple[Comparison, ...]:
        """Hold each result, and each argument as it was left, against eager's.

        The tolerance is that of `lab.bench`.

        Raises:
            LoweringError: it was not called yet, so there are no arguments to check it with.
            WrongProgramError: a value is off. The message says which, and the first operator whose
                value is, if one by itself is.
        """
        found = comparisons(self.module, self, self._given())
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
            args = same_arguments(self._given())
            _wait()
            start = time.perf_counter()
            self(args)
            _wait()
            taken.append(time.perf_counter() - start)
        return min(taken)

    def _given(self) -> Sequence[Any]:
        if self.arguments is None:
            raise LoweringError("The program was not called yet: there are no arguments for it.")
        return self.arguments

    def _refuse_what_is_not_there(
        self, rules: Mapping[Any, Rule], sources: Mapping[str, str]
    ) -> None:
        for target in rules.keys() - {node.target for node in self.module.graph.nodes}:
            raise LoweringError(
                f"The graph has no {target}: if the program calls it, it was decomposed before; "
                "give the rule with lab.compiler.rule, and make the programs again."
            )
        for name in sources.keys() - {kernel.name for kernel in self.kernels}:
            known = ", ".join(kernel.name for kernel in self.kernels)
            raise LoweringError(f"There is no kernel {name}; there are: {known or 'none'}.")

    def _culprit(self) -> str:
        """The first operator whose value is off where each is stored."""
        module, nodes = with_every_value(self.module)
        try:
            with in_effect(self.rules):
                every = Program(module, choices=self.choices, target=self.target)
            found = comparisons(module, every, self._given())
        except (CannotLower, RuntimeError):
            return "Which operator it is was not found: its values cannot be had one by one."
        wrong = {one.value for one in found if one.verdict == "wrong"}
        for at, node in enumerate(nodes):
            if f"result {at}" in wrong:
                line = line_of(node)
                at_line = f", at the line `{line}`" if line else ""
                return (
                    f"The first value that is off is that of {node.name} ({node.target}){at_line}."
                )
        return "No operator's own value is off: the fault lies in how loops were fused or printed."


def _told(one: Comparison) -> str:
    if one.reason:
        return f"Not eager's: of {one.value}, {one.reason}."
    off = "not a number" if one.absolute is None else f"off by up to {one.absolute:.3g}"
    return f"Not eager's numbers: {one.value} is {off} (allowed: {one.tolerance})."


def _wait() -> None:
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()


def programs(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> list[LiveProgram]:
    """Compile a function with backend `lab`, run it once, and give a program for each graph.

    A graph a break leaves behind is one of its own. A backward is compiled when it runs, so its
    program comes only from a function that calls `backward` itself. All that was compiled before is
    forgotten, as by `torch.compiler.reset`.

    Raises:
        LoweringError: no graph was compiled by it.
    """
    made: list[LiveProgram] = []
    refused: list[str] = []

    def compile_graph(gm: fx.GraphModule, _: Sequence[Any]) -> Callable[[list[Any]], Any]:
        try:
            made.append(LiveProgram(gm))
        except CannotLower as refusal:
            refused.append(str(refusal))
            return boxed(lambda args: gm(*args))
        return boxed(made[-1].build())

    torch.compiler.reset()
    torch.compile(fn, backend=lambda module, inputs: by_aot(module, inputs, compile_graph))(
        *args, **kwargs
    )
    if not made:
        why = "; ".join(refused) or "nothing in it was captured"
        raise LoweringError(f"No graph was compiled: {why}.")
    return made
