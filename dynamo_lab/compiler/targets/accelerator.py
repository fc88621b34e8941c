"""What the targets of GPUs share: kernels of a graph are one library, and take tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import torch

    from dynamo_lab.compiler.kernel import Kernel

ROWS = 256
"""About twice the multiprocessors of a large GPU, and the simdgroups that a Mac's can use."""


class Accelerator:
    """Kernels printed by `printer`, loaded together and launched one by one."""

    by_address = False
    rows = ROWS
    adds: Collection[torch.dtype]

    def __init__(self, printer: Any) -> None:
        self.printer = printer

    def printed(self, kernel: Kernel) -> tuple[str, dict[int, str]]:
        """Its function, without the helpers that stand before the kernels of a library.

        Raises:
            Unsupported: the language has no words for it.
        """
        made = self.printer(kernel)
        return made.text() + self._launch_line(made), made.origins

    def _launch_line(self, printed: Any) -> str:
        """A last line that says how the kernel is started, for who compiles the text alone."""
        return ""

    def begin(self, kernels: Sequence[Kernel], sources: Sequence[str]) -> None:
        """Nothing: a library is loaded at once."""

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
