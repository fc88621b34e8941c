"""Recorded calls of a kernel, with all the memory of their arguments, to be repeated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

GUARD = 4096
"""Bytes on either side of an argument's memory that show whether a kernel wrote beyond it."""

_PATTERN = 0xA5


@dataclass(frozen=True)
class _Laid:
    """A tensor, as a place in recorded memory."""

    storage: int
    dtype: torch.dtype
    size: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int


@dataclass(frozen=True)
class Memory:
    """Arguments, with a copy of each memory of the tensors among them, shared as in the call."""

    storages: list[torch.Tensor]
    arguments: list[Any]

    @classmethod
    def of(cls, args: Sequence[Any]) -> "Memory":
        """Of these arguments, as they are now."""
        places: dict[int, int] = {}
        storages: list[torch.Tensor] = []
        arguments: list[Any] = []
        for arg in args:
            if not isinstance(arg, torch.Tensor):
                arguments.append(arg)
                continue
            whole = arg.untyped_storage()
            if whole.data_ptr() not in places:
                places[whole.data_ptr()] = len(storages)
                flat = torch.empty(0, dtype=torch.uint8, device=arg.device)
                storages.append(flat.set_(whole).clone())
            at, layout = places[whole.data_ptr()], (tuple(arg.size()), arg.stride())
            arguments.append(_Laid(at, arg.dtype, *layout, int(arg.storage_offset())))
        return cls(storages, arguments)

    @property
    def bytes(self) -> int:
        """How much memory it takes."""
        return sum(storage.numel() for storage in self.storages)

    def laid_out(self, guard: int = 0) -> tuple[list[Any], list[torch.Tensor]]:
        """The arguments in fresh memory, and that memory with `guard` bytes on either side."""
        buffers = [_guarded(storage, guard) for storage in self.storages]

        def tensor(at: _Laid) -> torch.Tensor:
            buffer = buffers[at.storage]
            empty = torch.empty(0, dtype=at.dtype, device=buffer.device)
            start = guard // at.dtype.itemsize + at.offset
            return empty.set_(buffer.untyped_storage(), start, at.size, at.stride)

        return [tensor(a) if isinstance(a, _Laid) else a for a in self.arguments], buffers


def _guarded(storage: torch.Tensor, guard: int) -> torch.Tensor:
    buffer = storage.new_full((storage.numel() + 2 * guard,), _PATTERN)
    buffer[guard : guard + storage.numel()] = storage
    return buffer


def was_overrun(buffer: torch.Tensor, guard: int = GUARD) -> bool:
    """Whether something was written before or behind the memory in a guarded buffer."""
    sides = torch.cat([buffer[:guard], buffer[buffer.numel() - guard :]])
    return bool((sides != _PATTERN).any())


@dataclass(frozen=True)
class Call:
    """A call of a kernel: its arguments before and after it, and the options that it had."""

    before: Memory
    after: Memory
    options: dict[str, Any]


def launcher(kernel: Any) -> Callable[..., Any]:
    """How a kernel is called: those of Triton and Metal are objects that hold it."""
    for name in ("run", "generated_kernel"):
        if hasattr(kernel, name):
            return getattr(kernel, name)
    return kernel


def options_here(options: dict[str, Any], args: Sequence[Any]) -> dict[str, Any]:
    """The options of a call for this process: the stream is the one in use here."""
    if "stream" not in options:
        return options
    device = next(arg.device for arg in args if isinstance(arg, torch.Tensor) and not arg.is_cpu)
    stream: Any = torch.get_device_module(device).current_stream(device)
    raw = getattr(stream, f"{device.type}_stream", None) or getattr(stream, "sycl_queue", 0)
    return {**options, "stream": raw}
