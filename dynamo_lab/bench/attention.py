"""One call of attention by each kernel that can run here, timed in turns."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.attention import sdpa_kernel

from dynamo_lab.capture.attention.attention import problem_of
from dynamo_lab.capture.attention.here import BACKENDS, chosen, platform_here, refusal
from dynamo_lab.capture.attention.settings import settings
from dynamo_lab.measure.devices import device_of
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.model.attention.trial import KernelTimes, Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dynamo_lab.model.attention.calls import Kernel
    from dynamo_lab.model.attention.platforms import Platform

_ASKED = ("dropout_p", "is_causal", "scale", "enable_gqa")


def tried(arguments: dict[str, Any], plan: Plan) -> tuple[Trial, Platform | None]:
    """A call by its arguments' names: PyTorch's choice here, its reasons, and measured times."""
    tensors = [arguments[name] for name in ("query", "key", "value", "attn_mask")]
    options = {name: arguments[name] for name in _ASKED}
    device = tensors[0].device
    platform = platform_here(device)
    kernels: tuple[Kernel, ...] = () if platform is None else platform.kernels
    refusals: dict[Kernel, str] = {
        kernel: told
        for kernel in kernels
        if kernel != "math" and (told := refusal(kernel, *tensors, **options)) is not None
    }
    runs = _attending(tensors, options)
    problem = problem_of(arguments, settings())
    able: list[Kernel] = [k for k in kernels if k not in refusals and k in problem.allowed]
    trial = Trial(
        device=str(device),
        problem=problem,
        chosen=chosen(*tensors, **options) or "",
        refusals=refusals,
        measured=tuple(_times(runs, able, tensors[0], plan)),
    )
    return trial, platform


def _attending(tensors: list[Any], options: dict[str, Any]) -> Callable[[Kernel], object]:
    def attend(kernel: Kernel) -> object:
        with sdpa_kernel([BACKENDS[kernel]]):
            return torch.nn.functional.scaled_dot_product_attention(*tensors, **options)

    return attend


def _times(
    run: Callable[[Kernel], object], kernels: Iterable[Kernel], tensor: torch.Tensor, plan: Plan
) -> Iterator[KernelTimes]:
    """Each kernel is run once, so that one which fails is told and not timed."""
    able: dict[str, Callable[[], object]] = {}
    for kernel in kernels if plan.rounds else ():
        try:
            run(kernel)
        except RuntimeError as error:
            yield KernelTimes(kernel=kernel, error=str(error).partition("\n")[0])
        else:
            able[kernel] = partial(run, kernel)
    if able:
        for name, times in take_turns(able, device_of([tensor]), plan).items():
            found: Any = name
            yield KernelTimes(kernel=found, seconds=times.seconds)
