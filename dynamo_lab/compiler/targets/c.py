"""C, for the CPU: `build` makes machine code of it, whose functions take addresses and numbers."""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler import build as building
from dynamo_lab.compiler.printers.c import CPrinter
from dynamo_lab.compiler.printers.c_tuned import c_printer
from dynamo_lab.compiler.targets.target import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.compiler.kernel import Kernel


class C(Target):
    """Kernels as C, printed by `printer`."""

    language = "c"
    by_address = True

    def __init__(self, printer: type[CPrinter] = CPrinter) -> None:
        super().__init__(printer)

    def printed(self, kernel: Kernel) -> tuple[str, dict[int, str]]:
        """Its text, and by line the node that it computes for."""
        made = c_printer(kernel, self.printer)
        return made.text(), made.origins

    def begin(self, kernels: Sequence[Kernel], sources: Sequence[str]) -> None:
        """Have the C compiler begin.

        Raises:
            NoCCompiler: no C compiler was found.
        """
        building.begin(_nameless(kernels, sources))

    def functions(
        self, kernels: Sequence[Kernel], sources: Sequence[str]
    ) -> dict[str, Callable[..., None]]:
        """Compiled, each text once.

        Raises:
            NoCCompiler: no C compiler was found.
            BuildError: the compiler refused a kernel, whose nodes it names.
        """
        texts = _nameless(kernels, sources)
        try:
            functions = building.build(texts)
        except building.BuildError as refused:
            at = next(at for at, text in enumerate(texts) if refused.source.endswith(text))
            nodes = kernels[at].origins
            raise building.BuildError(refused.message, refused.source, nodes) from None
        for kernel, function in zip(kernels, functions, strict=True):
            function.restype, function.argtypes = None, _argument_types(kernel)
        return {kernel.name: made for kernel, made in zip(kernels, functions, strict=True)}


def _nameless(kernels: Sequence[Kernel], sources: Sequence[str]) -> list[str]:
    """The texts under one name, by which equal kernels are one."""
    named = zip(kernels, sources, strict=True)
    return [re.sub(rf"\b{kernel.name}\b", building.NAME, source) for kernel, source in named]


def _argument_types(kernel: Kernel) -> list[Any]:
    numbers = {torch.float64: ctypes.c_double, torch.int64: ctypes.c_long}
    return [
        *[ctypes.c_void_p] * (len(kernel.ins) + len(kernel.outs)),
        *[ctypes.c_long] * len(kernel.sizes),
        *(numbers.get(dtype, ctypes.c_ubyte) for dtype in kernel.scalars.values()),
        *([ctypes.POINTER(ctypes.c_int)] if kernel.checks else []),
        ctypes.c_int,
    ]
