"""What runs a kernel's text, a file a target, and which of them runs on a device."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from dynamo_lab.compiler.targets.c import C
from dynamo_lab.compiler.targets.metal import Metal
from dynamo_lab.compiler.targets.triton import Triton

if TYPE_CHECKING:
    import torch

    from dynamo_lab.compiler.targets.target import Target


def target_of(device: torch.device) -> Target:
    """The target that runs kernels on a device; C where none does."""
    if device.type == "cuda":
        return Triton()
    return Metal() if device.type == "mps" else C()


def why_none(device: torch.device) -> str:
    """Why no kernels run on a device; nothing if they do."""
    if device.type not in ("cpu", "cuda", "mps"):
        return f"on {device.type}, for which no kernels are run"
    if device.type == "cuda" and not find_spec("triton"):
        return "on cuda, where kernels need Triton, which is not installed"
    return ""
