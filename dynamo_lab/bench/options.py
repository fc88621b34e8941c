"""The options of a benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dynamo_lab.errors import OptionError
from dynamo_lab.measure.rounds import Plan

if TYPE_CHECKING:
    from dynamo_lab.model.benchmarks import Phase


class BenchOptions(Struct, frozen=True, kw_only=True):
    """The options of a benchmark: `dynamo_lab.bench` explains each.

    With `only_kernels`, one is compiled with the caches as they are, and its kernels are timed warm
    until the slowest is told from the others. Nothing is checked, or compared with eager.
    """

    ways: Any = ("compiled",)
    backend: str | None = None
    training: bool = False
    optimizer: Any = None
    loss: Any = None
    grad: bool = False
    cold: bool = True
    kernels: bool = True
    only_kernels: bool = False
    tolerance: Any = None
    plan: Plan = Plan()

    @property
    def phases(self) -> tuple[Phase, ...]:
        """What is timed of the program: a step holds its forward, whose kernels it times too."""
        if not self.training:
            return ("forward",)
        return ("step",) if self.only_kernels else ("forward", "step")


def bench_options(*, rounds: int = 25, seconds: float = 20.0, **options: Any) -> BenchOptions:
    """The options of these names, with a plan of this many rounds and seconds.

    Raises:
        OptionError: there is no such option, or no round would be run.
    """
    unknown = sorted(options.keys() - set(BenchOptions.__struct_fields__))
    if unknown:
        known = ", ".join(["rounds", "seconds", *BenchOptions.__struct_fields__[:-1]])
        raise OptionError(f"There is no option {unknown[0]!r}: pass some of {known}.")
    if rounds < 1 or seconds <= 0:
        raise OptionError("No round would be run: pass rounds from 1 and seconds above 0.")
    plan = Plan(rounds=rounds, fewest=min(rounds, Plan().fewest), seconds=seconds)
    return BenchOptions(plan=plan, **options)
