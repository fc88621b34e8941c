"""The machine's limits: `limits()`, measured once and saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    from dynamo_lab.model.benchmarks import Limits


def limits(device: str = "", *, again: bool = False) -> MachineLimits:
    """How fast this machine moves memory and multiplies matrices: the limits of kernels.

    Measuring takes a few seconds the first time; then the numbers are saved in a file of yours,
    separately for each number of threads and each setting of float32 precision.

    Args:
        device: A device that PyTorch knows: "cpu", "cuda", "mps"; by default the available
        accelerator, else the CPU.
        again: True measures them again, for example if the machine was busy the first time.

    Raises:
        OptionError: there is no such device here.
    """
    from dynamo_lab.measure.limits import limits_of

    return MachineLimits(limits_of(present(device), again=again))


class MachineLimits:
    """The limits of a device: print them. `facts` has them in bytes and operations a second."""

    def __init__(self, facts: Limits) -> None:
        self.facts = facts

    def __str__(self) -> str:
        from dynamo_lab.render.terminal.benchmarks.roofline import limits_text

        return limits_text(self.facts)

    __repr__ = __str__


def present(device: str) -> str:
    """The device's type, if it is here; without a name, that of the accelerator or the CPU.

    Raises:
        OptionError: it is not.
    """
    import torch

    accelerator = torch.accelerator.current_accelerator(check_available=True)
    here = ["cpu"] if accelerator is None else [accelerator.type, "cpu"]
    name = device.partition(":")[0] or here[0]
    if name not in here:
        raise OptionError(f"There is no device {device!r} here: pass {' or '.join(here)}.")
    return name
