"""Whether a program takes the fast path, and what that is worth: `fast_path(model, ...)`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from dynamo_lab.record.recorders import refuse_compiled, refuse_uncallable

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.model.fast_path.trial import Trial
    from dynamo_lab.view.fast_path.trial import TrialView


def fast_path(
    fn: Callable[..., Any],
    *args: Any,
    grad: bool = False,
    rounds: int = 25,
    seconds: float = 20.0,
    **kwargs: Any,
) -> FastPaths:
    """Which of its transformer modules take their fast path, why the others do not, and the time.

    `nn.TransformerEncoderLayer` and `nn.MultiheadAttention` have an operator for the whole module,
    and `nn.TransformerEncoder` skips padding, under conditions that their `forward` looks at
    without a word. `fn` is called eagerly and under `torch.compile`, and PyTorch's own `forward`
    is heard on what it decided. Then eager and compiled, each with and without the fast path, are
    timed in turns.

    Args:
        fn: A function or an nn.Module; it is called as `fn(*args, **kwargs)`.
        *args: Arguments of `fn`.
        grad: True records gradients, as it is by default in PyTorch; then nothing that can be
            trained takes it. By default it runs under `no_grad()`.
        rounds: The number of rounds of timing, if time allows; 0 times nothing.
        seconds: The approximate limit of time for that.
        **kwargs: Keyword arguments of `fn`. Results are not compared where a
            `src_key_padding_mask` among them hides tokens.

    Raises:
        OptionError: `fn` cannot be called or is compiled already.
        AlreadyRecordingError: a recording is running.
    """
    refuse_uncallable(fn)
    refuse_compiled(fn)
    from dynamo_lab.bench.fast_path import tried
    from dynamo_lab.measure.rounds import Plan

    return FastPaths(tried(fn, args, kwargs, Plan(rounds=rounds, seconds=seconds), grad=grad))


class FastPaths:
    """What took the fast path: print it. `trial` has the facts, `view` what is shown of them."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial

    @cached_property
    def view(self) -> TrialView:
        """The calls, reasons and times in words."""
        from dynamo_lab.view.fast_path.trial import trial_view

        return trial_view(self.trial)

    def __str__(self) -> str:
        from dynamo_lab.render.terminal.fast_path.fast_path import trial_text

        return trial_text(self.view)

    __repr__ = __str__

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.fallback.fast_path.fast_path import trial_html

        return {"text/plain": str(self), "text/html": trial_html(self.view)}
