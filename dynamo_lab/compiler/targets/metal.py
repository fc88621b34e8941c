"""Metal, for a Mac's GPU: PyTorch compiles the shaders of a graph as one library.

Nothing here has run on a Mac; elsewhere the shaders run as C++, their threads as threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler.printers.metal import MetalPrinter
from dynamo_lab.compiler.printers.metal_text import PRELUDE
from dynamo_lab.compiler.targets.target import Accelerator
from dynamo_lab.errors import LoweringError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.compiler.kernel import Kernel
    from dynamo_lab.compiler.printers.metal_text import Launch


class Metal(Accelerator):
    """Kernels as Metal, printed by `printer`; `compiled` is what makes functions of the text."""

    language = "metal"
    adds = ()

    def __init__(
        self,
        printer: type[MetalPrinter] = MetalPrinter,
        compiled: Callable[[str], Any] = torch.mps.compile_shader,
    ) -> None:
        super().__init__(printer)
        self._compiled = compiled

    def _loaded(self, sources: Sequence[str]) -> Any:
        if self._compiled is torch.mps.compile_shader and not torch.backends.mps.is_available():
            raise LoweringError(
                "Metal kernels need a Mac's GPU to run, and there is none here: "
                'torch.compile(fn, backend="lab", options={"target": "metal"}) prints them without '
                "running them."
            )
        return self._compiled("\n".join([PRELUDE, *sources]))

    def _launched(self, function: Any, launch: Launch, kernel: Kernel) -> Callable[..., None]:
        """It raises IndexError where an index is out of range; what it wrote is worth nothing."""
        first = len(kernel.ins) + len(kernel.outs)

        def run(*args: Any) -> None:
            threads = launch.threads(dict(zip(kernel.sizes, args[first:], strict=False)))
            if not threads:
                return
            flags = [args[0].new_zeros(1, dtype=torch.int32)] if kernel.checks else []
            function(*args, *flags, threads=threads, group_size=launch.group)
            if any(int(flag) for flag in flags):
                raise IndexError("index out of range: a kernel read beyond the size of its tensor")

        return run
