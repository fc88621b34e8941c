"""A Triton kernel compiled for a GPU that need not be present: the files that its driver loads."""

import tempfile
from pathlib import Path
from typing import Any

from dynamo_lab.capture.assembly import hooks
from dynamo_lab.capture.assembly.triton import compiled_for
from dynamo_lab.model.assembly import Binary
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.targets import Target

_LEVELS = ("ptx", "cubin", "amdgcn", "hsaco")
"""What Triton's compilers for NVIDIA's and AMD's chips end with, text and binary."""


def binary_of(kernel: Kernel, target: Target) -> tuple[Binary, dict[str, bytes]]:
    """How a kernel is launched, and its files by their endings.

    Raises:
        AssemblyError: there is no Triton, or it refuses the kernel.
    """
    with tempfile.TemporaryDirectory(prefix="dynamo_lab_assembly_") as folder:
        compiled, tuner = compiled_for(kernel, target, Path(folder))
    files = {level: compiled.asm[level] for level in _LEVELS if compiled.asm.get(level)}
    config = tuner.configs[0]
    return Binary(
        name=kernel.name,
        entry=compiled.metadata.name,
        files=tuple(f"{kernel.name}.{level}" for level in ("py", *files)),
        block_sizes={name: int(value) for name, value in config.kwargs.items()},
        tried=len(tuner.configs),
        threads=config.num_warps * compiled.metadata.target.warp_size,
        shared=compiled.metadata.shared,
        grid=str(_meta(tuner).get("grid_type", "")),
        arguments={name: str(kind) for name, kind in tuner.triton_meta["signature"].items()},
    ), {level: _bytes(one) for level, one in files.items()}


def _meta(tuner: Any) -> dict[str, Any]:
    return hooks.TUNER_META.of(tuner) or {}


def _bytes(text: Any) -> bytes:
    return text if isinstance(text, bytes) else str(text).encode()
