"""What PyTorch itself chooses on a device that is here, and the reasons that it gives."""

import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from dynamo_lab.capture.attention import hooks
from dynamo_lab.capture.core.private import installed
from dynamo_lab.model.attention.calls import KERNELS, Kernel
from dynamo_lab.model.attention.platforms import Platform

BACKENDS: dict[Kernel, SDPBackend] = {
    "math": SDPBackend.MATH,
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
}
_HEADINGS: dict[str, Kernel] = {
    "flash attention kernel not used": "flash",
    "memory efficient kernel not used": "efficient",
    "cudnn attention kernel not used": "cudnn",
}


def platform_here(device: torch.device) -> Platform | None:
    """The platform of a device that is here; None where its rules are not known."""
    if device.type == "cpu":
        return Platform(name="cpu", device="cpu", release=installed())
    if device.type != "cuda" or torch.version.hip:
        return None
    major, minor = torch.cuda.get_device_capability(device)
    return Platform(
        name=f"cuda:sm_{major}{minor}",
        device="cuda",
        capability=(major, minor),
        cudnn=torch.backends.cudnn.version() or 0,
        release=installed(),
    )


def chosen(*tensors: torch.Tensor | None, **options: Any) -> Kernel | None:
    """What PyTorch chooses for query, key, value and mask; None if it finds no kernel."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it gives the reasons when there is none
        try:
            number = hooks.CHOSEN.get()(*tensors, **options)
        except RuntimeError:
            return None
    return KERNELS[number] if 0 <= number < len(KERNELS) else None


def refusal(kernel: Kernel, *tensors: torch.Tensor | None, **options: Any) -> str | None:
    """PyTorch's words why a kernel cannot run; None if it can.

    It warns of the reasons when it is allowed nothing else, and finds that it cannot. The words are
    empty where it gives none, and where it gives them once in a process (`TORCH_WARN_ONCE`).
    """
    with warnings.catch_warnings(record=True) as told, sdpa_kernel([BACKENDS[kernel]]):
        warnings.simplefilter("always")
        try:
            hooks.CHOSEN.get()(*tensors, **options)
        except RuntimeError:
            return " ".join(_about(kernel, [str(one.message) for one in told]))
    return None


def _about(kernel: Kernel, messages: list[str]) -> Iterator[str]:
    about = None
    for message in messages:
        heading = [k for start, k in _HEADINGS.items() if message.lower().startswith(start)]
        if heading:
            about = heading[0]
        elif about == kernel:
            yield message.partition(" (Triggered internally")[0].strip()
