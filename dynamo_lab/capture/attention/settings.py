"""Which attention kernels are allowed, now and along a captured graph."""

from collections.abc import Iterable
from typing import Any

import torch
from msgspec import Struct
from torch import fx

from dynamo_lab.capture.attention import hooks
from dynamo_lab.model.attention.calls import DEFAULT_ORDER, KERNELS, Kernel


class Settings(Struct, frozen=True, kw_only=True):
    """What is allowed, the order in which it is tried, and whether results must not vary."""

    allowed: tuple[Kernel, ...] = KERNELS
    order: tuple[Kernel, ...] = DEFAULT_ORDER
    deterministic: bool = False


def settings() -> Settings:
    """Those of this process at this moment."""
    asked = torch.backends.cuda
    is_allowed = {
        "math": asked.math_sdp_enabled(),
        "flash": asked.flash_sdp_enabled(),
        "efficient": asked.mem_efficient_sdp_enabled(),
        "cudnn": asked.cudnn_sdp_enabled(),
        "overrideable": hooks.OVERRIDEABLE.get()(),
    }
    warns = torch.is_deterministic_algorithms_warn_only_enabled()
    return Settings(
        allowed=tuple(kernel for kernel in KERNELS if is_allowed[kernel]),
        order=_order(hooks.ORDER.get()()) or DEFAULT_ORDER,
        deterministic=torch.are_deterministic_algorithms_enabled() and not warns,
    )


def _order(numbers: Iterable[int]) -> tuple[Kernel, ...]:
    return tuple(KERNELS[number] for number in numbers if 0 <= number < len(KERNELS))


def settings_after(node: fx.Node, before: Settings) -> Settings:
    """The settings once a node of a captured graph has run: `sdpa_kernel` is a node there."""
    changes = hooks.SET_IN_GRAPH.get()
    if changes is None or node.target is not changes:
        return before
    backends, keeps_order = (*node.args, False)[:2]
    named: Any = backends if isinstance(backends, list | tuple) else (backends,)
    kernels: tuple[Kernel, ...] = tuple(
        kernel for one in named if (kernel := _kernel(one)) is not None
    )
    return Settings(
        allowed=tuple(kernel for kernel in KERNELS if kernel in kernels),
        order=kernels if keeps_order else before.order,
        deterministic=before.deterministic,
    )


def _kernel(backend: Any) -> Kernel | None:
    """The kernel of an argument: a node that makes it of its name, or the member itself."""
    name = backend.args[0] if isinstance(backend, fx.Node) and backend.args else backend
    short = str(getattr(name, "name", name)).removesuffix("_ATTENTION").lower()
    return next((kernel for kernel in KERNELS if kernel == short), None)
