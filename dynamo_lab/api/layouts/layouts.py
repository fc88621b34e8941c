"""Where a network's values lie in memory, and what each choice is worth: `layouts(model, ...)`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

from dynamo_lab.api.recording import Recording
from dynamo_lab.errors import OptionError
from dynamo_lab.model.layouts.trial import WayName
from dynamo_lab.record.recorders import refuse_compiled, refuse_unless_evaluated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import torch

    from dynamo_lab.model.layouts.trial import Trial
    from dynamo_lab.view.layouts.layouts import LayoutsView

WAYS: tuple[WayName, ...] = get_args(WayName)


def layouts(
    model: torch.nn.Module,
    *example: Any,
    ways: Iterable[str] = WAYS,
    rounds: int = 25,
    seconds: float = 20.0,
) -> Layouts:
    """What is chosen in silence about where a network's values lie, with and without each choice.

    Channels last for convolutions, and why; concatenations written in place or by a loop; freezing,
    with what is folded into weights, packed for oneDNN and fused into its kernels; oneDNN Graph in
    TorchScript; one thread. Each is compiled once while it is recorded, compared with eager on
    `example`, and timed in turns. Nothing records gradients. The model stays as it is.

    Args:
        model: The module, in evaluation mode.
        *example: Its arguments.
        ways: Some of "eager", "compiled", "layout kept", "channels last", "concat as loop", "one
            thread", "frozen", "frozen, unpacked" and "oneDNN Graph". Those of which "compiled" or
            the device shows that they change nothing are left out: where there is no convolution,
            no concatenation, one thread, or no CPU.
        rounds: The number of rounds of timing, if time allows; 0 times nothing.
        seconds: The approximate limit of time for that.

    Raises:
        OptionError: it is no module, it trains, it is compiled already, or there is no such way.
        AlreadyRecordingError: a recording is running.
    """
    refuse_compiled(model)
    refuse_unless_evaluated(model)
    asked = tuple(ways)
    unknown = [name for name in asked if name not in WAYS]
    if unknown:
        raise OptionError(f"There is no way {unknown[0]!r}: pass some of {', '.join(WAYS)}.")
    from dynamo_lab.bench.layouts.run import tried
    from dynamo_lab.measure.rounds import Plan

    known: Any = tuple(name for name in WAYS if name in asked)
    plan = Plan(rounds=rounds, seconds=seconds)
    trial, recorded = tried(model, example, known, plan)
    return Layouts(trial, {name: Recording.of(*one) for name, one in recorded.items()})


class Layouts:
    """A network in each way: print it.

    `trial` has what was found, `recordings` the compilation in each way by its name, `view` what is
    shown of both.
    """

    def __init__(self, trial: Trial, recordings: Mapping[str, Recording]) -> None:
        self.trial = trial
        self.recordings = recordings

    @cached_property
    def view(self) -> LayoutsView:
        """The ways in words."""
        from dynamo_lab.view.layouts.layouts import build

        return build(self.trial, self.recordings)

    def __str__(self) -> str:
        from dynamo_lab.render.terminal.layouts.layouts import layouts_text

        return layouts_text(self.view)

    __repr__ = __str__

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.fallback.layouts.layouts import layouts_html

        return {"text/plain": str(self), "text/html": layouts_html(self.view)}
