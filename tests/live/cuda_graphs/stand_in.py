"""PyTorch's own manager of CUDA graphs on the CPU: its memory and its graphs are stood in for.

What decides what is recorded and replayed is PyTorch's: paths, liveness, addresses. A stand-in
records by running the function, and a replay computes nothing.
"""

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any
from unittest import mock

import torch
from torch import Tensor
from torch._inductor import cudagraph_trees
from torch._inductor.cudagraph_trees import CUDAGraphNode, StorageWeakRefWrapper
from torch.multiprocessing.reductions import StorageWeakRef

POOL = (0, 7)
_SIZE = 1 << 16
_ROUND = 512


class Arena:
    """A pool of one segment, whose snapshot is in the format of `torch.cuda.memory_snapshot`."""

    def __init__(self) -> None:
        self._memory = ctypes.create_string_buffer(_SIZE)
        self.address = ctypes.addressof(self._memory)
        self._blocks: list[tuple[int, int, StorageWeakRef]] = []

    def place(self, value: Tensor) -> Tensor:
        """The tensor once more, in the first bytes of the pool that are free."""
        nbytes = value.untyped_storage().nbytes()
        rounded = -(-nbytes // _ROUND) * _ROUND
        taken = sorted((at, size) for at, size, ref in self._blocks if not ref.expired())
        offset = 0
        for at, size in taken:
            if offset + rounded <= at:
                break
            offset = at + size
        storage = torch._C._construct_storage_from_data_pointer(
            self.address + offset, value.device, nbytes
        )
        self._blocks = [one for one in self._blocks if not one[2].expired()]
        self._blocks.append((offset, rounded, StorageWeakRef(storage)))
        made = torch.empty(0, dtype=value.dtype)
        made.set_(storage, 0, value.size(), value.stride())  # type: ignore[arg-type]
        return made.copy_(value)

    def holds(self, value: Any) -> bool:
        """Whether a tensor lies in the pool."""
        at = value.untyped_storage().data_ptr() - self.address
        return 0 <= at < _SIZE

    def snapshot(self, pool: Any = None) -> list[dict[str, Any]]:
        """What the allocator would say; one segment is of another pool, one of another device."""
        blocks: list[dict[str, Any]] = []
        end = 0
        taken = sorted((at, size) for at, size, ref in self._blocks if not ref.expired())
        for at, size in taken:
            blocks += [self._block(end, at - end, "inactive")] if at > end else []
            blocks.append(self._block(at, size, "active_allocated"))
            end = at + size
        blocks.append(self._block(end, _SIZE - end, "inactive"))
        segment = {
            "device": 0,
            "address": self.address,
            "total_size": _SIZE,
            "allocated_size": sum(size for _, size in taken),
            "segment_pool_id": POOL,
            "blocks": blocks,
        }
        return [segment, segment | {"segment_pool_id": (0, 0)}, segment | {"device": 1}]

    def _block(self, at: int, size: int, state: str) -> dict[str, Any]:
        frames = [
            {"filename": torch.__file__, "line": 1, "name": "empty"},
            {"filename": __file__, "line": 40, "name": "place"},
        ]
        facts = {"address": self.address + at, "size": size, "requested_size": size - 4}
        return facts | {"state": state, "frames": frames}


class _Graph:
    """In place of `torch.cuda.CUDAGraph`."""

    def replay(self) -> None:
        """Nothing is computed."""

    def register_generator_state(self, state: Any) -> None:
        """There is none."""


class _Stream:
    """In place of a stream."""

    def wait_stream(self, other: Any) -> None:
        """Nothing is awaited."""


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _context(*_: Any, **__: Any) -> Any:
    return nullcontext()


def _same_addresses(
    values: Sequence[Any], addresses: Sequence[int | None], at: Sequence[int]
) -> bool:
    return all(values[i].data_ptr() == addresses[i] for i in at)


def _tensor(facts: dict[str, Any], storage: Any) -> Tensor:
    made = torch.empty(0, dtype=facts["dtype"])
    return made.set_(storage, facts["storage_offset"], facts["size"], facts["stride"])


def _recording_in(arena: Arena) -> dict[str, Any]:
    """How a node records in the arena. What PyTorch does before and after is its own."""

    def copied(self: Any, inputs: list[Any]) -> list[Any]:
        made = list(inputs)
        for at in getattr(self, "input_copy_idxs", self.non_static_input_idx):
            made[at] = arena.place(inputs[at])
            inputs[at] = None
        return made

    def recorded(self: Any, model: Any, inputs: list[Any]) -> Any:
        static = {
            inputs[at].untyped_storage().data_ptr(): StorageWeakRefWrapper(inputs[at])
            for at in self.wrapped_function.static_input_idxs
            if not arena.holds(inputs[at])
        }
        made = model(inputs)
        kept = [
            one if arena.holds(one) or one.data_ptr() in static else arena.place(one)
            for one in made
        ]
        del made
        self._add_first_outputs(kept, static)
        return kept

    return {"_allocate_and_copy_recording_inputs": copied, "_record": recorded}


@contextmanager
def device() -> Iterator[Arena]:
    """The manager in this block has a GPU of its own."""
    arena = Arena()
    trees = {
        "_use_cuda_memory_pool_manager": _context,
        "_update_current_stream_external_object": _context,
        "clear_cublas_manager": _context,
        "disable_conv_cache_emptying": _context,
    }
    cuda = {
        "device": _context,
        "synchronize": _nothing,
        "Stream": _Stream,
        "current_stream": _Stream,
        "CUDAGraph": _Graph,
        "graph": _context,
        "graph_pool_handle": lambda: POOL,
        "memory_snapshot": arena.snapshot,
    }
    private = {
        "_tensors_data_ptrs_at_indices_equal": _same_addresses,
        "_construct_CUDA_Tensor_From_Storage_And_Metadata": _tensor,
        "_cuda_getCheckpointState": lambda *_: object(),
        "_cuda_setCheckpointPoolState": _nothing,
        "_cuda_cudaCachingAllocator_raw_delete": _nothing,
        "_cuda_checkPoolLiveAllocations": lambda *_: True,
        "_has_Standard_Deleter": lambda *_: True,
        "_free_And_Remove_DeleterFn": _nothing,
        "_set_storage_access_error_msg": _nothing,
        "_set_storage_data_ptr_access_error_msg": _nothing,
    }
    with ExitStack() as stack:
        for owner, names in (
            (CUDAGraphNode, _recording_in(arena)),
            (cudagraph_trees, trees),
            (torch.cuda, cuda),
            (torch._C, private),
        ):
            for name, value in names.items():
                stack.enter_context(mock.patch.object(owner, name, value, create=True))
        stack.enter_context(mock.patch.object(torch, "_check", _nothing))
        stack.callback(cudagraph_trees.reset_cudagraph_trees)
        cudagraph_trees.reset_cudagraph_trees()
        yield arena
