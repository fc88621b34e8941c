"""What a pass won: the step's memory, operations and time before and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from dynamo_lab.view.core.words import flops, size
from dynamo_lab.view.tiny.tiny import took

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dynamo_lab.model.recording import Recording
    from dynamo_lab.model.tiny import StepMeasure, TinyPass

_UNKNOWN = "unknown"
_MEMORY = "memory at the worst moment"
_COUNTED = {
    "float32": _MEMORY,
    "int8": f"{_MEMORY}, counted in int8",
    "mixed": f"{_MEMORY}, counted in int8 with gradients in float32",
}
"""By the precision that a plan's bytes are counted in."""


class PassCost(Struct, frozen=True, kw_only=True):
    """A number of the graph before and after a pass, None where it is unknown.

    `text` is '14.8 kB → 7.2 kB', or one of them where both are alike. A time is the median of
    rounds, in seconds, and where rounds vary by much its text has the quartiles in place of it.
    """

    name: str
    before: float | None
    after: float | None
    text: str


def costs(recording: Recording) -> Mapping[int, tuple[PassCost, ...]]:
    """By pass of a planned training step what it won; of other passes it is not known."""
    training = recording.training
    if training is None or training.pipeline is None:
        return {}
    first = recording.pipelines[training.pipeline].first
    memory = _COUNTED.get(training.plan.precision, _MEMORY)
    return {at: tuple(_of(one, memory)) for at, one in enumerate(training.plan.passes, first)}


def _of(item: TinyPass, memory: str) -> Iterator[PassCost]:
    before, after = item.before, item.after
    yield _cost(memory, before.bytes, after.bytes, lambda n: size(int(n)))
    yield _cost("operations", before.operations, after.operations, lambda n: f"{n:,.0f}")
    yield _cost("products", before.flops, after.flops, flops)
    if before.seconds is not None or after.seconds is not None:
        yield PassCost(
            name="a step in PyTorch on one thread",
            before=_median(before),
            after=_median(after),
            text=_changed(took(before), took(after)),
        )


def _median(measure: StepMeasure) -> float | None:
    return None if measure.seconds is None else measure.seconds[1]


def _cost(
    name: str, before: float | None, after: float | None, words: Callable[[float], str]
) -> PassCost:
    texts = [_UNKNOWN if value is None else words(value) for value in (before, after)]
    return PassCost(name=name, before=before, after=after, text=_changed(*texts))


def _changed(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"
