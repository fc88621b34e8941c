"""A call of attention that was tried: what PyTorch chose here, and how long each kernel takes."""

from typing import Literal

from msgspec import Struct

from dynamo_lab.model.attention.calls import Kernel, Problem


class KernelTimes(Struct, frozen=True, kw_only=True):
    """The seconds of a call by one kernel, one for each round; `error` if it could not run."""

    kernel: Kernel
    seconds: tuple[float, ...] = ()
    error: str = ""


class Trial(Struct, frozen=True, kw_only=True):
    """A call on this machine. `chosen` is PyTorch's own word, empty where it finds no kernel.

    `refusals` are the reasons that PyTorch gives, by kernel, empty where it gives none; `measured`
    are of those that can run.
    """

    device: str
    problem: Problem
    chosen: Kernel | Literal[""] = ""
    refusals: dict[Kernel, str] = {}
    measured: tuple[KernelTimes, ...] = ()
