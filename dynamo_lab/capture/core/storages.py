"""The memory of tensors: saved to be restored, or copied, once if they share it.

A tensor may cover a place of its memory several times (`expand`), and several tensors may share it.
So memory is saved and copied, not tensors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_ALIGNED = 64  # copies begin at such a boundary of the original, so that they are aligned like it


def has_memory(tensor: torch.Tensor) -> bool:
    """Whether a tensor's numbers lie in memory of its own, and not in that of tensors inside it."""
    if hasattr(tensor, "__tensor_flatten__") or torch.nn.parameter.is_lazy(tensor):
        return False
    return tensor.layout is torch.strided and tensor.untyped_storage().device.type != "meta"


_Saved = tuple[torch.UntypedStorage, torch.UntypedStorage]


class Memory:
    """The memory of tensors as it was, to restore it."""

    def __init__(self, tensors: Iterable[Any]) -> None:
        storages = {
            t.untyped_storage()._cdata: t.untyped_storage()
            for t in tensors
            if isinstance(t, torch.Tensor) and has_memory(t)
        }
        self._saved = [(storage, storage.clone()) for storage in storages.values()]
        self._known = {storage._cdata: before for storage, before in self._saved}
        self._written: set[int] = set()

    def put_back(self) -> None:
        """Copy it back."""
        for storage, before in self._saved:
            storage.copy_(before)

    def put_changes_back(self) -> list[Exception]:
        """Copy back what differs (the rest may be read-only); what failed, after all was tried."""
        return self._restored(self._saved)

    def rewind(self) -> list[Exception]:
        """Copy back what differed before, without looking at the rest."""
        return self._restored([one for one in self._saved if one[0]._cdata in self._written])

    def has_changed(self, tensor: torch.Tensor) -> bool:
        """Whether the memory of one of the tensors differs from what it was, or is other memory."""
        if not has_memory(tensor):
            return False
        storage = tensor.untyped_storage()
        before = self._known.get(storage._cdata)
        return before is None or not _same(storage, before)

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor lies in this memory."""
        return has_memory(tensor) and tensor.untyped_storage()._cdata in self._known

    def _restored(self, saved: Iterable[_Saved]) -> list[Exception]:
        tried = (_tried(self._restore, storage, before) for storage, before in saved)
        return [error for error in tried if error]

    def _restore(self, storage: torch.UntypedStorage, before: torch.UntypedStorage) -> None:
        if not _same(storage, before):
            self._written.add(storage._cdata)
            if storage.nbytes() != before.nbytes():
                storage.resize_(before.nbytes())
            storage.copy_(before)


class Tensors:
    """Tensors as they were, with their memory and gradients, to restore them."""

    def __init__(self, tensors: Iterable[torch.Tensor]) -> None:
        kept = [t for t in tensors if has_memory(t)]
        kept += [t.grad for t in kept if t.is_leaf and t.grad is not None and has_memory(t.grad)]
        self._memory = Memory(kept)
        self._tensors = [_Kept(t, t.detach(), t.grad if t.is_leaf else None) for t in kept]
        self._flags = [(t, t.requires_grad) for t in kept if t.is_leaf]

    def put_back(self) -> list[Exception]:
        """Restore all of them; the failures, after all were tried."""
        return [*self._memory.put_changes_back(), *self._point_back()]

    def rewind(self) -> list[Exception]:
        """Restore all of them, of their memory what had changed before."""
        return [*self._memory.rewind(), *self._point_back()]

    def has_changed(self, tensor: torch.Tensor) -> bool:
        """Whether the memory of one of them differs from what it was."""
        return self._memory.has_changed(tensor)

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor lies in their memory."""
        return self._memory.holds(tensor)

    def _point_back(self) -> list[Exception]:
        tried = [_tried(_be_leaf, *one) for one in self._flags]
        tried += [_tried(_point_back, *one) for one in self._tensors]
        return [error for error in tried if error]


class _Kept(NamedTuple):
    tensor: torch.Tensor
    before: torch.Tensor
    grad: torch.Tensor | None


def _be_leaf(tensor: torch.Tensor, requires_grad: bool) -> None:
    """Undo what gave a tensor a history, as writing a parameter into it does."""
    if not tensor.is_leaf:
        tensor.detach_()
    if tensor.requires_grad != requires_grad:
        tensor.requires_grad_(requires_grad)


def _tried(step: Callable[..., None], *args: Any) -> Exception | None:
    try:
        step(*args)
    except Exception as error:
        return error
    return None


def _same(storage: torch.UntypedStorage, before: torch.UntypedStorage) -> bool:
    same_size = storage.nbytes() == before.nbytes()
    return same_size and torch.equal(_bytes(storage), _bytes(before))


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


class Clones:
    """Copies of tensors, laid out as the originals: those that share memory share it again.

    Of memory, only the part is copied that these tensors reach.
    """

    def __init__(self, tensors: Iterable[torch.Tensor]) -> None:
        self._parts: dict[int, _Part] = {}
        self._others: dict[int, torch.Tensor] = {}  # what is copied by itself
        self._copied: dict[int, torch.Tensor] = {}
        self._made: dict[int, torch.Tensor] = {}
        for tensor in tensors:
            if not _is_plain(tensor):
                self._others[id(tensor)] = tensor
                continue
            start, end = _reach(tensor)
            storage = tensor.untyped_storage()
            known = self._parts.setdefault(storage._cdata, _Part(storage, start, end))
            widened = _Part(storage, min(known.start, start), max(known.end, end))
            self._parts[storage._cdata] = widened

    def size(self) -> int:
        """How many bytes the copies take."""
        others = sum(t.numel() * t.element_size() for t in self._others.values())
        return others + sum(part.end - part.start for part in self._parts.values())

    def of(self, tensor: torch.Tensor) -> torch.Tensor:
        """The copy of one of the tensors."""
        if id(tensor) not in self._made:
            copy = tensor.detach().clone() if id(tensor) in self._others else self._again(tensor)
            self._made[id(tensor)] = copy.requires_grad_(tensor.requires_grad)
        return self._made[id(tensor)]

    def _again(self, tensor: torch.Tensor) -> torch.Tensor:
        key = tensor.untyped_storage()._cdata
        storage, start, end = self._parts[key]
        if key not in self._copied:
            self._copied[key] = _bytes(storage)[start:end].clone()
        at = tensor.storage_offset() - start // tensor.element_size()
        copy = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        memory: Any = self._copied[key].untyped_storage()
        return copy.set_(memory, at, tensor.shape, tensor.stride())


class _Part(NamedTuple):
    storage: torch.UntypedStorage
    start: int
    end: int


def _is_plain(tensor: torch.Tensor) -> bool:
    """Whether a tensor is no more than a view of its memory."""
    is_more = tensor.is_quantized or tensor.is_conj() or tensor.is_neg()
    return type(tensor) in (torch.Tensor, torch.nn.Parameter) and has_memory(tensor) and not is_more


def _reach(tensor: torch.Tensor) -> tuple[int, int]:
    """The bytes of its memory from the first that a tensor reaches, aligned, up to the last."""
    size = tensor.element_size()
    start = int(tensor.storage_offset()) * size
    steps = ((n - 1) * stride for n, stride in zip(tensor.shape, tensor.stride(), strict=True))
    end = start + (sum(steps) + 1) * size if tensor.numel() else start
    return start - start % _ALIGNED, end
