"""Which kernel a call of attention is: `attention(q, k, v, ...)`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import torch

    from dynamo_lab.model.attention.platforms import Platform
    from dynamo_lab.model.attention.trial import Trial
    from dynamo_lab.view.attention.trial import TrialView


def attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    *,
    targets: Iterable[str] = ("cpu", "cuda:sm_80", "cuda:sm_90"),
    rounds: int = 25,
    seconds: float = 5.0,
) -> AttentionChoices:
    """Which kernel `scaled_dot_product_attention` is for these tensors, and why no other.

    Takes what that function takes. For the device of the tensors PyTorch is asked, and each kernel
    that can run there is timed, in turns. For `targets`, which need not be here, PyTorch's own
    rules are followed (`aten/src/ATen/native/transformers/cuda/sdp_utils.cpp`).

    Args:
        query: Of the shape (batch, heads, queries, head size), as are
        key: and
        value: with as many keys.
        attn_mask: What is added to the scores; where it is Boolean, what may be seen.
        dropout_p: The share of the weights that is dropped.
        is_causal: True hides the keys that come after a query.
        scale: The factor of the scores.
        enable_gqa: True lets several heads of the query share one of key and value.
        targets: Names of targets: "cpu", "cuda:sm_80".
        rounds: The number of rounds of timing, if time allows; 0 times nothing.
        seconds: The approximate limit of time for that.

    Raises:
        OptionError: an argument is no tensor, or there is no such target.
    """
    import torch

    operands: dict[str, Any] = {"query": query, "key": key, "value": value}
    for name, given in operands.items():
        if not isinstance(given, torch.Tensor):
            raise OptionError(f"{name} is {type(given).__name__}: pass a tensor.")
    _refuse_unknown(targets := tuple(targets))
    from dynamo_lab.bench.attention import tried
    from dynamo_lab.measure.rounds import Plan

    arguments: dict[str, Any] = {
        "query": query, "key": key, "value": value, "attn_mask": attn_mask,
        "dropout_p": dropout_p, "is_causal": is_causal, "scale": scale, "enable_gqa": enable_gqa,
    }  # fmt: skip
    trial, platform = tried(arguments, Plan(rounds=rounds, seconds=seconds))
    return AttentionChoices(trial, platform, targets)


def _refuse_unknown(targets: tuple[str, ...]) -> None:
    from dynamo_lab.model.targets import known, parse

    for name in targets:
        if parse(name) is None:
            raise OptionError(f"There is no target {name!r}: pass any of {', '.join(known())}.")


class AttentionChoices:
    """What runs where: print it. `trial` has the facts, `view` what is shown of them."""

    def __init__(self, trial: Trial, platform: Platform | None, targets: tuple[str, ...]) -> None:
        self.trial = trial
        self._platform = platform
        self._targets = targets

    @cached_property
    def view(self) -> TrialView:
        """The choices, reasons and times in words."""
        from dynamo_lab.model.core.host import version_of
        from dynamo_lab.view.attention.choices import release_of
        from dynamo_lab.view.attention.trial import trial_view

        release = release_of(version_of("torch"))
        return trial_view(self.trial, self._platform, self._targets, release)

    def __str__(self) -> str:
        from dynamo_lab.render.terminal.attention import trial_text

        return trial_text(self.view)

    __repr__ = __str__

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.fallback.attention.attention import trial_html

        return {"text/plain": str(self), "text/html": trial_html(self.view)}
