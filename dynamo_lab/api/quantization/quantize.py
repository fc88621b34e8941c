"""A model by several schemes of quantization: `quantize(model, *example)`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from dynamo_lab.api.recording import Recording
from dynamo_lab.errors import OptionError
from dynamo_lab.record.recorders import refuse_unless_evaluated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import torch

    from dynamo_lab.model.quantization.trial import Quantization
    from dynamo_lab.view.quantization.quantization import QuantizationView


def quantize(
    model: torch.nn.Module,
    *example: Any,
    schemes: Iterable[str] = ("int8", "int8-dynamic", "int8-weights", "int4-weights"),
    calibration: Iterable[tuple[Any, ...]] = (),
    rounds: int = 25,
    seconds: float = 10.0,
) -> Quantized:
    """What a model becomes by each scheme of quantization, with torchao.

    Each is made of a copy, compared with the float model on `example`, part by part, compiled while
    it is recorded, and timed in turns with the compiled float model. The model stays as it is.

    Args:
        model: The module in float, in evaluation mode.
        *example: Its arguments.
        schemes: Some of "int8" (weights and activations, with ranges from calibration: pt2e for
            X86), "int8-dynamic" (ranges found in each call), "int8-weights" and "int4-weights".
            On a GPU the first and the last are not tried: their kernels are the CPU's.
        calibration: Arguments of calls from which "int8" learns its ranges; by default `example`.
        rounds: The number of rounds of timing, if time allows; 0 times nothing.
        seconds: The approximate limit of time for that.

    Raises:
        OptionError: it is no module, it trains, there is no such scheme, or torchao is missing.
    """
    refuse_unless_evaluated(model)
    from dynamo_lab.bench.quantization.run import tried
    from dynamo_lab.bench.quantization.schemes import SCHEMES
    from dynamo_lab.measure.rounds import Plan

    asked = tuple(schemes)
    unknown = [name for name in asked if name not in SCHEMES]
    if unknown:
        raise OptionError(f"There is no scheme {unknown[0]!r}: pass some of {', '.join(SCHEMES)}.")
    known: Any = tuple(name for name in SCHEMES if name in asked)
    shown = tuple(calibration) or (example,)
    plan = Plan(rounds=rounds, seconds=seconds)
    facts, recorded = tried(model, example, known, shown, plan)
    return Quantized(facts, {name: Recording.of(*one) for name, one in recorded.items()})


class Quantized:
    """What each scheme makes of the model: print it.

    `facts` has what was found, `view` what is shown of it, `recordings` the compilation of each
    scheme by its name.
    """

    def __init__(self, facts: Quantization, recordings: Mapping[str, Recording]) -> None:
        self.facts = facts
        self.recordings = recordings

    @cached_property
    def view(self) -> QuantizationView:
        """The schemes in words."""
        from dynamo_lab.view.quantization.quantization import build

        return build(self.facts)

    def __str__(self) -> str:
        from dynamo_lab.render.terminal.quantization.quantization import quantization_text

        return quantization_text(self.view)

    __repr__ = __str__

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.fallback.quantization.quantization import quantization_html

        return {"text/plain": str(self), "text/html": quantization_html(self.view)}
