"""The results of each variant of a program, compared with eager before any time is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.measure.checks import compare, is_wrong, not_compared
from dynamo_lab.record.replay import without_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    from dynamo_lab.measure.subject import Subject
    from dynamo_lab.model.benchmarks import Comparison, Phase


class Checks:
    """One phase of a program: its values in eager, and in float64 if it runs in that."""

    def __init__(
        self,
        subject: Subject,
        eager: Callable[..., Any],
        phase: Phase,
        roots: Sequence[object],
        tolerance: Any,
    ) -> None:
        self._subject, self._roots = subject, roots
        self._phase: Phase = phase
        self._tolerance = tolerance
        with without_trace(roots):
            subject.observe(eager, phase)
        self._eager = self._results(eager)
        self._unlike = self._unlike_itself(eager)
        self._exact = None if self._unlike else self._in_float64()

    def of(self, number: int, way: Callable[..., Any]) -> tuple[Comparison, ...]:
        """A variant's results, value by value, against eager, and both against float64."""
        if self._unlike:
            return not_compared(self._unlike, way=number, phase=self._phase)
        return self._compared(number, self._results(way), self._exact)

    def _compared(
        self,
        number: int,
        results: Mapping[str, torch.Tensor],
        exact: Mapping[str, torch.Tensor] | None,
    ) -> tuple[Comparison, ...]:
        asked: Any = {"way": number, "phase": self._phase, "tolerance": self._tolerance}
        return compare(self._eager, results, exact, **asked)

    def _unlike_itself(self, eager: Callable[..., Any]) -> str:
        """Why nothing can be compared with eager: another seed gives another result."""
        if is_wrong(self._compared(0, self._results(eager, seed=1), None)):
            return "the program draws random numbers: for dropout, call .eval() first"
        return ""

    def _results(self, way: Callable[..., Any], seed: int = 0) -> dict[str, torch.Tensor]:
        import torch

        untyped: Any = torch
        with without_trace(self._roots):
            untyped.manual_seed(seed)
            found = self._subject.results(way, self._phase)
            return {name: value.detach().clone() for name, value in found.items()}

    def _in_float64(self) -> Mapping[str, torch.Tensor] | None:
        """What the program computes in float64; None if it does not run in that."""
        try:
            with without_trace(self._roots):
                exact = self._subject.exact()
                return None if exact is None else exact.results(exact.fn, self._phase)
        except Exception:  # a dtype is hard-coded in the program, or memory is short
            return None


def off(found: Sequence[Comparison]) -> str:
    """Which value is wrong, and by how much."""
    one = next(one for one in found if one.verdict == "wrong")
    if one.reason or one.absolute is None:
        return f"{one.value}: {one.reason or 'not a number, or infinite, where eager is not'}"
    return f"{one.value} is off by {one.absolute:.3g}, allowed: {one.tolerance}"
