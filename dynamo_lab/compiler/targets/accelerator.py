"""What the targets of GPUs share: kernels of a graph are one library, and take tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.compiler.targets.target import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.compiler.kernel import Kernel

ROWS = 256
"""About twice the multiprocessors of a large GPU, and the simdgroups that a Mac's can use."""


class Accelerator(Target):
    """Kernels printed by `printer`, loaded together and launched one by one."""

    rows = ROWS

    def functions(
        self, kernels: Sequence[Kernel], sources: Sequence[str]
    ) -> dict[str, Callable[..., None]]:
        """What launches each."""
        if not kernels:
            return {}
        library = self._loaded(sources)
        return {
            kernel.name: self._launched(
                getattr(library, kernel.name), self.printer(kernel).launch, kernel
            )
            for kernel in kernels
        }

    def _loaded(self, sources: Sequence[str]) -> Any:
        """The library of these texts: its kernels are attributes."""
        raise NotImplementedError

    def _launched(self, function: Any, launch: Any, kernel: Kernel) -> Callable[..., None]:
        """A function of tensors, sizes and numbers that launches a kernel."""
        raise NotImplementedError
