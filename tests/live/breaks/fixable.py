"""Small programs that break, each with a fix that works."""

import functools
import logging
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo
from torch import nn

WEIGHT = torch.ones(4, requires_grad=True)
log = logging.getLogger(__name__)


def assigns(x: torch.Tensor) -> torch.Tensor:
    y = x.sin()
    if y.sum() > 0:  # noqa: SIM108
        y = y * 2
    else:
        y = y - 1
    return y + 1


def assigns_on_one_side(x: torch.Tensor) -> torch.Tensor:
    y = x.sin()
    if (y < 0).any():
        y = y * 2
    return y + 1


def returns(x: torch.Tensor) -> torch.Tensor:
    if not x.sum():
        return x * 2
    return x - 1


def prints(x: torch.Tensor) -> torch.Tensor:
    y = x.sin()
    print("total", y.sum())
    return y + 1


def warns(x: torch.Tensor) -> torch.Tensor:
    y = x.sin()
    warnings.warn("careful")  # noqa: B028  (from torch 2.15 on, keywords are refused)
    return y + 1


def logs(x: torch.Tensor) -> torch.Tensor:
    y = x.sin()
    log.info("a step")
    return y + 1


def counts(x: torch.Tensor) -> torch.Tensor:
    return x / x.max().item()


def masks(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0].sum() + 1


def takes_gradient(x: torch.Tensor) -> torch.Tensor:
    return torch.autograd.grad((WEIGHT * x).sum(), WEIGHT)[0]


def breaks_on_purpose(x: torch.Tensor) -> torch.Tensor:
    y = x.sin()
    torch._dynamo.graph_break()
    return y + 1


class Method:
    scale = 2

    def run(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x * self.scale
        return x


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTM(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.rnn(x.reshape(1, 1, 4))[0]


def closure(scale: int) -> Callable[[torch.Tensor], torch.Tensor]:
    def scaled(x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x * scale
        return x

    return scaled


def doubled(f: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    @functools.wraps(f)
    def wrapper(x: torch.Tensor) -> torch.Tensor:
        return f(x) * 2

    return wrapper


@doubled
def decorated(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        x = x + 1
    return x


def calls_another(x: torch.Tensor) -> torch.Tensor:
    return assigns(x) * 3


WORKING: dict[str, tuple[Any, str]] = {
    "both sides assign": (assigns, "torch.where"),
    "both sides assign, cond": (assigns, "torch.cond"),
    "one side assigns": (assigns_on_one_side, "torch.where"),
    "one side assigns, cond": (assigns_on_one_side, "torch.cond"),
    "both return": (returns, "torch.where"),
    "print kept": (prints, "reorderable_logging_functions"),
    "print removed": (prints, "remove the call"),
    "warning kept": (warns, "reorderable_logging_functions"),
    "log ignored": (logs, "ignore_logging_functions"),
    "log removed": (logs, "remove the call"),
    "item": (counts, "capture_scalar_outputs"),
    "mask": (masks, "capture_dynamic_output_shape_ops"),
    "gradient": (takes_gradient, "trace_autograd_ops"),
    "on purpose": (breaks_on_purpose, "remove the call"),
    "recurrent": (Recurrent(), "allow_rnn"),
    "method": (Method().run, "torch.where"),
    "closure": (closure(3), "torch.where"),
    "decorated": (decorated, "torch.where"),
    "inlined": (calls_another, "torch.where"),
}


def told_shape(x: torch.Tensor) -> torch.Tensor:
    x = x + 1
    assert x.shape[0] == 4, x.shape
    return x * 2


def told_plainly(x: torch.Tensor) -> torch.Tensor:
    x = x + 1
    assert x.shape[0] == 4, "four rows"
    return x * 2
