"""What a program computes with less precision, and how fast: `precision(model, ...)`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from dynamo_lab.api.recording import Recording
from dynamo_lab.errors import OptionError
from dynamo_lab.record.recorders import refuse_compiled, refuse_uncallable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dynamo_lab.model.precision.trial import Trial
    from dynamo_lab.view.precision.trial import TrialView


def precision(
    fn: Callable[..., Any],
    *args: Any,
    backend: str | None = "inductor",
    precisions: Iterable[str] | None = None,
    rounds: int = 25,
    seconds: float = 20.0,
    **kwargs: Any,
) -> Precisions:
    """How exact and how fast a program is in several precisions.

    The names of `torch.set_float32_matmul_precision`, "highest", "high" and "medium"; autocast to
    bfloat16 and float16; of a module, weights and inputs in bfloat16; of complex numbers complex32.
    Each is compared with float64, module by module, in units in the last place of float32, and the
    operators whose results have another type are listed with the line that calls them. What a
    setting changes here is observed: where its results are those of "highest" bit by bit, that is
    said. Each is compiled once while it is recorded: which kernels it has, on which line these are
    not those of "highest", and the peak of memory of a call. Then all take turns, eagerly and
    compiled. Settings are as they were afterwards. Gradients are not recorded.

    Args:
        fn: A function or an nn.Module; it is called as `fn(*args, **kwargs)`. A module is copied,
            for float64 and for bfloat16.
        *args: Arguments of `fn`.
        backend: What compiles it; None compiles nothing.
        precisions: Some of "highest", "high", "medium", "autocast bf16", "autocast fp16", of a
            module "bf16 weights", of complex64 "complex32"; by default all. "highest" is always
            among them.
        rounds: The number of rounds of timing, if time allows; 0 times nothing.
        seconds: The approximate limit of time for that.
        **kwargs: Keyword arguments of `fn`.

    Raises:
        OptionError: `fn` cannot be called or is compiled already, or there is no such precision.
        AlreadyRecordingError: a recording is running.
    """
    refuse_uncallable(fn)
    refuse_compiled(fn)
    from dynamo_lab.bench.precision.precision import names_for, tried
    from dynamo_lab.measure.rounds import Plan

    known = names_for(fn, args, kwargs)
    asked = known if precisions is None else ("highest", *precisions)
    unknown = [name for name in asked if name not in known]
    if unknown:
        raise OptionError(f"There is no precision {unknown[0]!r}: pass some of {', '.join(known)}.")
    plan = Plan(rounds=rounds, seconds=seconds)
    names = tuple(name for name in known if name in asked)
    trial, recorded = tried(fn, args, kwargs, names, plan, backend)
    return Precisions(trial, {name: Recording.of(*one) for name, one in recorded.items()})


class Precisions:
    """A program in several precisions: print it.

    `trial` has the facts, `recordings` the compilation in each precision that had one, by its name,
    `view` what is shown of both.
    """

    def __init__(self, trial: Trial, recordings: Mapping[str, Recording]) -> None:
        self.trial = trial
        self.recordings = recordings

    @cached_property
    def view(self) -> TrialView:
        """The errors, types and times in words."""
        from dynamo_lab.view.precision.trial import trial_view

        return trial_view(self.trial, self.recordings)

    def __str__(self) -> str:
        from dynamo_lab.render.terminal.precision.precision import trial_text

        return trial_text(self.view)

    __repr__ = __str__

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.fallback.precision.precision import trial_html

        return {"text/plain": str(self), "text/html": trial_html(self.view)}
