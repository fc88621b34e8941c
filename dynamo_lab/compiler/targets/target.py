"""What a target is: a language that kernels are printed in, and what runs them.

In come kernels; out come their texts, and functions by the kernels' names. On a GPU the kernels of
a graph are one library, and take tensors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from dynamo_lab.compiler.operators import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import torch

    from dynamo_lab.compiler.kernel import Kernel

Origins = dict[int, str]
"""By line of a text, from 1: the node of the graph that the line computes for."""


class Target:
    """A language, and what runs it.

    Attributes:
        language: what its texts are written in.
        printer: the class that writes a kernel; a target is made with another one.
        by_address: do its functions take C's arguments: addresses, and how many threads? Else they
            take tensors.
        rows: a reduction of fewer rows than these is done in two steps, so that all of the machine
            is at work; 0 splits none.
        adds: the types of numbers that its kernels add where an index says.
    """

    language: ClassVar[Literal["c", "triton", "metal"]]
    by_address: ClassVar[bool] = False
    rows: ClassVar[int] = 0
    adds: ClassVar[Collection[torch.dtype]] = TYPES

    def __init__(self, printer: Any) -> None:
        self.printer = printer

    def printed(self, kernel: Kernel) -> tuple[str, Origins]:
        """The text of a kernel.

        Raises:
            Unsupported: the language has no words for it.
        """
        made = self.printer(kernel)
        return made.text(), made.origins

    def begin(self, kernels: Sequence[Kernel], sources: Sequence[str]) -> None:
        """Begin to make what `functions` hands out, where that takes long."""

    def functions(
        self, kernels: Sequence[Kernel], sources: Sequence[str]
    ) -> dict[str, Callable[..., None]]:
        """By name of the kernel: what runs it."""
        raise NotImplementedError


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
