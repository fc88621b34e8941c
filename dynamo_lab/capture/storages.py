"""The memory that tensors lie in: kept to be put back, or copied, once where they share it.

A tensor may cover a place of its memory several times (`expand`), and several tensors may share it.
So what is kept and copied is memory, not tensors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def has_memory(tensor: torch.Tensor) -> bool:
    """Whether a tensor's numbers lie in memory of its own, and not in that of tensors inside it."""
    if hasattr(tensor, "__tensor_flatten__") or torch.nn.parameter.is_lazy(tensor):
        return False
    return tensor.layout is torch.strided and tensor.untyped_storage().device.type != "meta"


class Memory:
    """The memory of tensors as it was, to put it back."""

    def __init__(self, tensors: Iterable[Any]) -> None:
        storages = {
            t.untyped_storage()._cdata: t.untyped_storage()
            for t in tensors
            if isinstance(t, torch.Tensor) and has_memory(t)
        }
        self._saved = [(storage, storage.clone()) for storage in storages.values()]

    def put_back(self) -> None:
        """Copy it back."""
        for storage, before in self._saved:
            storage.copy_(before)

    def put_changes_back(self) -> list[Exception]:
        """Copy back what differs (the rest may be read-only); what failed, after all was tried."""
        tried = (_tried(_restore, storage, before) for storage, before in self._saved)
        return [error for error in tried if error]


class Tensors:
    """Tensors as they were, with their memory and gradients, to put them back."""

    def __init__(self, tensors: Iterable[torch.Tensor]) -> None:
        kept = [t for t in tensors if has_memory(t)]
        kept += [t.grad for t in kept if t.is_leaf and t.grad is not None and has_memory(t.grad)]
        self._memory = Memory(kept)
        self._tensors = [(t, t.detach(), t.grad if t.is_leaf else None) for t in kept]

    def put_back(self) -> list[Exception]:
        """Put all of them back; what failed, after all was tried."""
        failed = self._memory.put_changes_back()
        tried = (_tried(_point_back, *one) for one in self._tensors)
        return [*failed, *(error for error in tried if error)]


def _tried(step: Callable[..., None], *args: Any) -> Exception | None:
    try:
        step(*args)
    except Exception as error:
        return error
    return None


def _restore(storage: torch.UntypedStorage, before: torch.UntypedStorage) -> None:
    if storage.nbytes() != before.nbytes():
        storage.resize_(before.nbytes())
    if not torch.equal(_bytes(storage), _bytes(before)):
        storage.copy_(before)


def _bytes(storage: torch.UntypedStorage) -> torch.Tensor:
    """The bytes of a storage: unlike NaN, each equals itself."""
    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(cast("Any", storage))


def _point_back(tensor: torch.Tensor, before: torch.Tensor, grad: torch.Tensor | None) -> None:
    """Undo what gave a tensor other memory, another shape or another gradient."""
    if _place(tensor) != _place(before):
        tensor.data = before
    if tensor.is_leaf and tensor.grad is not grad:
        tensor.grad = grad


def _place(tensor: torch.Tensor) -> Any:
    storage = tensor.untyped_storage()._cdata
    return storage, tensor.dtype, tensor.shape, tensor.stride(), tensor.storage_offset()
