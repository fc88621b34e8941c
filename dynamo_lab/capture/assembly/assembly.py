"""Assemble a kernel for a target, on demand: never while a program is recorded."""

import tempfile
from pathlib import Path

from dynamo_lab.capture.assembly import cpp, triton
from dynamo_lab.errors import AssemblyError
from dynamo_lab.model.assembly import Assembly
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.targets import Target

_GPUS = ("cuda", "rocm")


def assemble(kernel: Kernel, target: Target) -> Assembly:
    """The kernel's levels down to machine code. It compiles the kernel's text, and runs none of it.

    Raises:
        AssemblyError: there is no tool here to assemble it, or not for this target.
    """
    if kernel.language == "metal":
        raise AssemblyError(
            "Metal kernels are assembled only on a Mac, by Apple's compiler: there is none here."
        )
    if kernel.language not in ("cpp", "triton") or not kernel.code:
        raise AssemblyError(
            f"{kernel.name} is {kernel.language} and has no generated code: choose a Triton or a "
            "C++ kernel."
        )
    if (kernel.language == "triton") != (target.kind in _GPUS):
        wanted = "cuda:sm_90 or rocm:gfx942" if kernel.language == "triton" else "cpu"
        raise AssemblyError(
            f"{kernel.name} is {kernel.language}, which is not for {target.name}: use {wanted}."
        )
    assembler = triton if kernel.language == "triton" else cpp
    with tempfile.TemporaryDirectory(prefix="dynamo_lab_assembly_") as folder:
        return assembler.assemble(kernel, target, Path(folder))
