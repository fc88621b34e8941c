"""Triton without a GPU: a kernel run by Triton's interpreter, and a kernel as assembly."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.errors import CourseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import fx

HEADER = """\
import triton
import triton.language as tl


@triton.jit
def larger(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def tanh(x):
    e = tl.exp(-2 * tl.abs(x))
    return tl.where(x < 0, e - 1, 1 - e) / (1 + e)


"""
"""What stands before a Triton kernel: functions that Triton's own language lacks."""


def interpreted(
    text: str, launch: tuple[int, int], reads: Sequence[Any], writes: Sequence[fx.Node]
) -> list[torch.Tensor]:
    """What a Triton kernel writes, run by Triton's interpreter: on the CPU, element by element.

    Triton decides when it is imported whether it interprets, so this is a process of its own.

    Args:
        text: The kernel, `kernel0`.
        launch: How many programs there are, and the elements of a block.
        reads: The tensors that it is given.
        writes: The nodes whose memory it is given after them.

    Raises:
        CourseError: There is no Triton here, or it refused the kernel.
    """
    _need_triton()
    values = [node.meta["val"] for node in writes]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernels.py").write_text(HEADER + text)
        made = [torch.empty_strided(v.shape, v.stride(), dtype=v.dtype) for v in values]
        torch.save((launch, list(reads), made), Path(folder, "given.pt"))
        done = subprocess.run(
            [sys.executable, "-c", _INTERPRET],
            cwd=folder,
            env={**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise CourseError(f"Triton refused the kernel: {done.stderr.strip().splitlines()[-1]}")
        return torch.load(Path(folder, "made.pt"))


_INTERPRET = """\
import torch, kernels
(programs, block), reads, made = torch.load("given.pt")
kernels.kernel0[(programs,)](*reads, *made, BLOCK=block)
torch.save(made, "made.pt")
"""


def ptx(text: str, launch: tuple[int, int], nodes: Sequence[fx.Node]) -> str:
    """A Triton kernel as assembly for an NVIDIA GPU, which need not be there.

    Raises:
        CourseError: There is no Triton here, or it refused the kernel.
    """
    _need_triton()
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernels.py")
        path.write_text(HEADER + text)
        spec = importlib.util.spec_from_file_location("kernels", path)
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        types = {torch.float32: "*fp32", torch.bool: "*i1"}
        signature = {node.name: types[node.meta["val"].dtype] for node in nodes}
        source = ASTSource(
            module.kernel0, {**signature, "BLOCK": "constexpr"}, {"BLOCK": launch[1]}
        )
        return triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"]


def _need_triton() -> None:
    if importlib.util.find_spec("triton") is None:
        raise CourseError("Triton is not installed here: `pip install triton` needs no GPU.")
