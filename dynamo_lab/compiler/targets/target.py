"""What a target is, and the one for a device."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, Protocol

from dynamo_lab.compiler.targets.c import C
from dynamo_lab.compiler.targets.metal import Metal
from dynamo_lab.compiler.targets.triton import Triton

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import torch

    from dynamo_lab.compiler.kernel import Kernel

Origins = dict[int, str]
"""By line of a text, from 1: the node of the graph that the line computes for."""


class Target(Protocol):
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

    language: Literal["c", "triton", "metal"]
    printer: Any
    by_address: bool
    rows: int
    adds: Collection[torch.dtype]

    def printed(self, kernel: Kernel) -> tuple[str, Origins]:
        """The text of a kernel.

        Raises:
            Unsupported: the language has no words for it.
        """
        ...

    def begin(self, kernels: Sequence[Kernel], sources: Sequence[str]) -> None:
        """Begin to make what `functions` hands out, where that takes long."""
        ...

    def functions(
        self, kernels: Sequence[Kernel], sources: Sequence[str]
    ) -> dict[str, Callable[..., None]]:
        """By name of the kernel: what runs it."""
        ...


def target_of(device: torch.device) -> Target:
    """The target that runs kernels on a device; C where none does."""
    kinds: dict[str, type[Target]] = {"cuda": Triton, "mps": Metal}
    return kinds.get(device.type, C)()


def why_none(device: torch.device) -> str:
    """Why no kernels run on a device; nothing if they do."""
    if device.type not in ("cpu", "cuda", "mps"):
        return f"on {device.type}, for which no kernels are run"
    if device.type == "cuda" and not find_spec("triton"):
        return "on cuda, where kernels need Triton, which is not installed"
    return ""
