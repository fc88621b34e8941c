"""The model of a rank: its parameters, and what it keeps in memory for them."""

from __future__ import annotations

import gc
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dynamo_lab.capture.ranks import hooks
from dynamo_lab.capture.ranks.meshes import is_dtensor, local_of, sharded
from dynamo_lab.model.ranks.memory import Amount, Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    import torch
    from torch import nn

    from dynamo_lab.capture.core.patches import Patches
    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.capture.core.undo import Undo
    from dynamo_lab.model.ranks.meshes import Mesh, ShardedTensor

_LOOKS = 2
"""How many backwards, and how many steps, are looked at: later ones are as these."""
_BLOCK = 512
"""CUDA's allocator gives out multiples of so many bytes (`kMinBlockSize`, CUDACachingAllocator)."""


class ModelFacts:
    """What is known of a rank's meshes, DTensors and memory; `owns` says which tensors are its."""

    def __init__(self, owns: Callable[[torch.Tensor], bool] = lambda tensor: True) -> None:
        self.owns = owns
        self.meshes: dict[Mesh, None] = {}
        self.tensors: dict[str, ShardedTensor] = {}
        self.memory: Memory | None = None

    def frozen(self) -> dict[str, Any]:
        """The fields of a `Rank` that it knows."""
        return {
            "meshes": tuple(self.meshes),
            "dtensors": tuple(self.tensors.values()),
            "memory": self.memory,
        }


class ModelProbes:
    """Looks at the program's models when its first backwards and steps of an optimizer are over."""

    def __init__(self, recorder: Recorder, undo: Undo) -> None:
        self._recorder = recorder
        self._undo = undo
        self._backwards = self._steps = 0

    def install(self, patches: Patches) -> None:
        """Watch backwards and optimizers, in a rank of a job."""
        if self._recorder.rank is None:
            return
        from torch.optim.optimizer import register_optimizer_step_post_hook

        patches.hook(hooks.BACKWARD, self.backward)
        self._undo.add(register_optimizer_step_post_hook(self.stepped).remove)

    def captured(self, *_: Any) -> None:
        """A graph was captured: nothing else may come of a program that does not train."""
        rank = self._recorder.rank
        if rank is None or rank.model.memory is not None:
            return
        from torch.distributed.fsdp import FSDPModule

        try:  # what comes after a graph is recorded does not depend on this
            found = _models(rank.model.owns)
            if not any(isinstance(part, FSDPModule) for root in found for part in root.modules()):
                self._look(found)  # FSDP has gathered its parameters while a forward is captured
        except Exception as error:
            self._recorder.note_failure("memory of a rank", error)

    def backward(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """A backward runs; FSDP has let go of what it gathered when it is over."""
        is_traced = hooks.is_traced()
        yield
        rank = self._recorder.rank
        if is_traced or rank is None or self._backwards >= _LOOKS:
            return
        self._backwards += 1
        found = _models(rank.model.owns)
        self._look(found)
        grads = [p.grad for root in found for p in root.parameters() if p.grad is not None]
        memory = rank.model.memory
        if grads and memory is not None:
            rank.model.memory = replace(memory, gradients=_amount(grads, memory.device))

    def stepped(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        """An optimizer made a step; in one that is traced this says nothing."""
        import torch

        rank = self._recorder.rank
        if torch.compiler.is_compiling() or rank is None or self._steps >= _LOOKS:
            return
        self._steps += 1
        try:
            memory = rank.model.memory
            values = (value for state in optimizer.state.values() for value in state.values())
            tensors = [one for one in values if isinstance(one, torch.Tensor)]
            if memory is not None:
                rank.model.memory = replace(memory, optimizer=_amount(tensors, memory.device))
        except Exception as error:
            self._recorder.note_failure("memory of a rank", error)

    def _look(self, models: Sequence[nn.Module]) -> None:
        """Note the parameters of models, of which each is no part of another."""
        rank = self._recorder.rank
        named = dict(_parameters(models))
        if rank is None or not named:
            return
        device = _device(named.values())
        buffers = [one for model in models for one in model.buffers()]
        rank.model.memory = replace(
            rank.model.memory or Memory(device=device),
            device=device,
            parameters=_amount(named.values(), device),
            buffers=_amount(buffers, device),
            reducer=_reducer(models, device),
        )
        for name, one in named.items():
            if is_dtensor(one):
                rank.model.tensors[name] = sharded(name, "parameter", one)


def _models(owns: Callable[[torch.Tensor], bool]) -> list[nn.Module]:
    """The modules with parameters that live now, each of them no part of another."""
    from torch import nn

    found = [one for one in gc.get_objects() if issubclass(type(one), nn.Module)]
    parts = {id(part) for one in found for part in vars(one).get("_modules", {}).values()}
    return [
        one for one in found if id(one) not in parts and any(owns(local_of(p)) for p in _first(one))
    ]


def _first(model: nn.Module) -> Iterator[torch.Tensor]:
    try:
        yield from islice(model.parameters(), 1)
    except AttributeError:  # it is being made
        return


def _parameters(models: Sequence[nn.Module]) -> Iterator[tuple[str, torch.Tensor]]:
    """The parameters by the names that they have in the program's own module."""
    from torch.nn.parallel import DistributedDataParallel

    for model in models:
        prefix = f"{type(model).__name__}." if len(models) > 1 else ""
        for name, one in model.named_parameters():
            name = name.removeprefix("_orig_mod.")
            if isinstance(getattr(model, "_orig_mod", model), DistributedDataParallel):
                name = name.removeprefix("module.")
            yield prefix + name.replace("_orig_mod.", ""), one


def _device(tensors: Iterable[torch.Tensor]) -> str:
    """The kind of device that most of them are on."""
    return Counter(one.device.type for one in tensors).most_common(1)[0][0]


def _amount(tensors: Iterable[torch.Tensor], device: str) -> Amount:
    """What a rank, and one process, hold of tensors, as far as they are on the device."""
    whole, storages = 0, dict[int, int]()
    for tensor in tensors:
        if tensor.device.type == device:
            whole += tensor.numel() * tensor.element_size()
            storage = local_of(tensor).untyped_storage()
            storages[int(storage._cdata)] = int(storage.nbytes())
    return Amount(
        sum(storages.values()), whole, sum(-(-own // _BLOCK) * _BLOCK for own in storages.values())
    )


def _reducer(models: Sequence[nn.Module], device: str) -> Amount | None:
    """The buckets of DDP; where gradients are views of them they are counted as gradients."""
    from torch.nn.parallel import DistributedDataParallel

    wrapped = [
        one
        for model in models
        for one in model.modules()
        if isinstance(one, DistributedDataParallel) and not one.gradient_as_bucket_view
    ]
    if not wrapped:
        return None
    reduced = [p for one in wrapped for p in one.parameters() if p.requires_grad]
    own = sum(p.numel() * p.element_size() for p in reduced if p.device.type == device)
    return Amount(own, 0, -(-own // _BLOCK) * _BLOCK)
