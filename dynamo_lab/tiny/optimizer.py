"""The optimizer of a plan: stochastic gradient descent as `torch.optim.SGD` does it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dynamo_lab.errors import OptionError


@dataclass(frozen=True)
class Optimizer:
    """The learning rate, the share of the last step that goes on, and the pull towards zero."""

    lr: float = 0.01
    momentum: float = 0.0
    weight_decay: float = 0.0


def optimizer_of(asked: Any) -> Optimizer:
    """An optimizer from "sgd", or a mapping as {"lr": 0.1, "momentum": 0.9}.

    Raises:
        OptionError: there is no such optimizer or setting.
    """
    if asked == "sgd":
        return Optimizer()
    if not isinstance(asked, Mapping):
        raise OptionError(
            f'There is no optimizer {asked!r}: give "sgd", or its settings as '
            '{"lr": 0.1, "momentum": 0.9, "weight_decay": 1e-4}.'
        )
    known = Optimizer.__dataclass_fields__
    unknown = [name for name in asked if name not in known]
    if unknown:
        raise OptionError(f"SGD has no setting {unknown[0]!r}: it has {', '.join(known)}.")
    wrong = [name for name, value in asked.items() if not _is_share(value)]
    if wrong:
        raise OptionError(f"{wrong[0]}={asked[wrong[0]]!r} is no number that is not negative.")
    return Optimizer(**{name: float(value) for name, value in asked.items()})


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
