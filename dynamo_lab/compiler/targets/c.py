"""C, for the CPU: `build` makes machine code of it."""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING, Any, Literal

import torch

from dynamo_lab.compiler import build as building
from dynamo_lab.compiler.operators import TYPES
from dynamo_lab.compiler.printers.c import CPrinter
from dynamo_lab.compiler.printers.c_tuned import c_printer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from dynamo_lab.compiler.kernel import Kernel


class C:
    """Kernels as C, printed by `printer`."""

    language: Literal["c", "triton", "metal"] = "c"
    by_address = True
    rows = 0
    adds: Collection[torch.dtype] = TYPES

    def __init__(self, printer: type[CPrinter] = CPrinter) -> None:
        self.printer = printer

    def printed(self, kernel: Kernel) -> tuple[str, dict[int, str]]:
        """Its text, and by line the node that it computes for."""
        made = c_printer(kernel, self.printer)
        return made.text(), made.origins

    def functions(
        self, kernels: Sequence[Kernel], sources: Sequence[str]
    ) -> dict[str, Callable[..., None]]:
        """Compiled, each text once: under one name, equal kernels are one.

        Raises:
            NoCCompiler: no C compiler was found.
            BuildError: the compiler refused a kernel.
        """
        named = zip(kernels, sources, strict=True)
        functions = building.build(
            [re.sub(rf"\b{kernel.name}\b", building.NAME, source) for kernel, source in named]
        )
        for kernel, function in zip(kernels, functions, strict=True):
            function.restype, function.argtypes = None, _argument_types(kernel)
        return {kernel.name: made for kernel, made in zip(kernels, functions, strict=True)}


def _argument_types(kernel: Kernel) -> list[Any]:
    numbers = {torch.float64: ctypes.c_double, torch.int64: ctypes.c_long}
    return [
        *[ctypes.c_void_p] * (len(kernel.ins) + len(kernel.outs)),
        *[ctypes.c_long] * len(kernel.sizes),
        *(numbers.get(dtype, ctypes.c_ubyte) for dtype in kernel.scalars.values()),
        *([ctypes.POINTER(ctypes.c_int)] if kernel.checks else []),
        ctypes.c_int,
    ]
