"""The results of each variant of a program, compared with eager before any time is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.measure.checks import compare, is_wrong, not_compared
from dynamo_lab.model.benchmarks import Comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    from dynamo_lab.bench.start import Start
    from dynamo_lab.measure.checks import Tolerance
    from dynamo_lab.measure.subject import Subject
    from dynamo_lab.model.benchmarks import Phase

_RANDOM = "the program draws random numbers: for dropout, call .eval() first"
_UNLIKE = (
    "eager gives something else when it is called again with the same values and seed: it keeps "
    "state that cannot be restored, or is not deterministic"
)


class Asked(NamedTuple):
    """How results are compared: by which rule, and for how long each time.

    If `is_seeded`, variants draw the random numbers that eager draws from the same seed.
    """

    tolerance: Tolerance | None
    seconds: float
    clock: Callable[[], float]
    is_seeded: bool = False


class Checks:
    """One phase of a program: its values in eager, and in float64 if all of it runs in that.

    Each call starts from the same values and seed.
    """

    def __init__(
        self,
        subject: Subject,
        eager: Callable[..., Any],
        phase: Phase,
        start: Start,
        asked: Asked,
    ) -> None:
        self._subject, self._start, self._asked = subject, start, asked
        self._phase: Phase = phase
        self._way = eager
        start.again()
        self._eager = self._own(subject.observe(eager, phase, start.has_changed))
        drawn = start.changes()
        self.changes = (*subject.written, *drawn)
        """What a call of eager leaves to the next one."""
        self.draws = False
        """Whether its results depend on the seed; known where variants draw what eager draws."""
        self.unlike = self._unlike_itself(eager)
        """Why nothing can be compared with eager; empty if it can."""
        self.is_restored = self.unlike != _UNLIKE
        """Whether each call is known to start from what the program had, so that eager repeats."""
        self.has_cast = False
        """Whether the program casts to a dtype below float64, whatever its inputs are."""
        draws_alike = asked.is_seeded and "random numbers" in drawn
        # in float64 other numbers are drawn
        self._exact = None if self.unlike or draws_alike else self._in_float64()

    @property
    def has_float64(self) -> bool:
        """Whether the program runs in float64."""
        return self._exact is not None

    def differs_by_layout(self) -> bool:
        """Whether eager returns something else for the same arguments, copied to lie in a row."""
        self._start.again()
        copied = self._subject.laid_out()
        if copied is None:
            return False
        try:
            found = copied.results(copied.fn, "forward")
        except Exception:  # it needs the layout that it was given
            return False
        eager = {name: value for name, value in self._eager.items() if name in found}
        return is_wrong(compare(eager, found, way=0, phase=self._phase))

    def of(self, number: int, way: Callable[..., Any]) -> tuple[Comparison, ...]:
        """A variant's results, value by value, against eager, and both against float64."""
        if self.unlike:
            return not_compared(self.unlike, way=number, phase=self._phase)
        found = self._compared(number, self._results(way), self._exact)
        return *found, *self._written_alone(number)

    def of_step(self, number: int, way: Callable[..., Any]) -> tuple[Comparison, ...]:
        """What a variant's own step of the optimizer does, against the eager one.

        Both have eager's gradients: an optimizer that divides by their size would make much of
        how they are rounded.
        """
        if self.unlike or self._phase != "step":
            return ()
        self._start.again()
        eager = self._subject.stepped(self._way, self._way)
        self._start.again()
        found = self._subject.stepped(way, self._way)
        return compare(eager, found, way=number, phase=self._phase)

    def _written_alone(self, number: int) -> list[Comparison]:
        """The tensors that the variant has just written to, and eager does not."""
        reason = "it writes to it, eager does not"
        return [
            Comparison(way=number, phase=self._phase, value=name, verdict="wrong", reason=reason)
            for name in self._subject.also_written(self._start.has_changed)
        ]

    def _compared(
        self,
        number: int,
        results: Mapping[str, torch.Tensor],
        exact: Mapping[str, torch.Tensor] | None,
    ) -> tuple[Comparison, ...]:
        asked: Any = self._asked._asdict()
        del asked["is_seeded"]
        return compare(self._eager, results, exact, way=number, phase=self._phase, **asked)

    def _unlike_itself(self, eager: Callable[..., Any]) -> str:
        """Why nothing can be compared with eager: called again, it gives another result."""
        if is_wrong(self._compared(0, self._results(eager), None)):
            return _UNLIKE
        if self._asked.is_seeded:
            self.draws = is_wrong(self._compared(0, self._results(eager, 1), None))
            return ""
        return _RANDOM if is_wrong(self._compared(0, self._results(eager, 1), None)) else ""

    def _results(self, way: Callable[..., Any], seed: int = 0) -> dict[str, torch.Tensor]:
        """What a variant computes, to be compared before anything else runs."""
        self._start.again(seed)
        return self._subject.results(way, self._phase)

    def _own(self, found: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """The same, copied where it lies in memory that the program writes or that is restored."""
        kept: dict[str, torch.Tensor] = {}
        for name, value in found.items():
            value = value.detach()
            kept[name] = value.clone() if self._start.holds(value) else value
        return kept

    def _in_float64(self) -> Mapping[str, torch.Tensor] | None:
        """What the program computes in float64; None if it does not run in that."""
        from dynamo_lab.bench.widened import widened

        try:
            self._start.again()
            exact = self._subject.exact()
            if exact is None:
                return None
            with widened() as mode:
                found = self._own(exact.results(exact.fn, self._phase))
        except Exception:  # it is below float64 in a way that cannot be mended, or memory is short
            return None
        self.has_cast = mode.has_cast
        return found


def off(found: Sequence[Comparison]) -> str:
    """Which value is wrong, and by how much."""
    one = next(one for one in found if one.verdict == "wrong")
    if one.reason or one.absolute is None:
        return f"{one.value}: {one.reason or 'not a number, or infinite, where eager is not'}"
    return f"{one.value} is off by {one.absolute:.3g}, allowed: {one.tolerance}"
