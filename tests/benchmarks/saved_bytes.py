# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# torch annotates its functions only in part.
"""What forwards keep for their backwards: as recorded, as autograd packs it, as memory grows."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile

import dynamo_lab
from dynamo_lab.render.tables import table
from tests.benchmarks.core.ratio import options


class Kept(NamedTuple):
    """Bytes kept beyond parameters and inputs, from three sources.

    `recorded` are the partitions', `packed` the storages that `saved_tensors_hooks` sees,
    `retained` what PyTorch's profiler sees allocated and not freed, outputs left out.
    """

    recorded: int
    packed: int
    retained: int


def kept(loss: Callable[..., Tensor], args: tuple[Any, ...], living: Iterable[Tensor]) -> Kept:
    """Record a program whose loss is a scalar, compile it anew, and weigh what its run keeps.

    `living` are the tensors that stay between calls: parameters, buffers and inputs.
    """
    recording = dynamo_lab.explore(loss, *args, grad=True)
    assert not recording.breaks, "what runs eagerly keeps memory that no partition knows of"
    torch.compiler.reset()
    compiled = torch.compile(loss)
    compiled(*args).backward()
    recorded = sum(part.activation_bytes for part in recording.partitions)
    packed = packed_bytes(lambda: compiled(*args), living)
    scalar = 4  # the loss itself, which the caller holds
    return Kept(recorded, packed, retained_bytes(lambda: compiled(*args)) - scalar)


def packed_bytes(run: Callable[[], Any], living: Iterable[Tensor]) -> int:
    """The bytes of the storages that autograd packs in a run, those of `living` left out."""
    alive = {tensor.untyped_storage().data_ptr() for tensor in living}
    packed: dict[int, int] = {}

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        packed[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = run()
    del result
    return sum(size for place, size in packed.items() if place not in alive)


def retained_bytes(run: Callable[[], Any]) -> int:
    """The bytes on the CPU that were allocated and not freed while `run` ran."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as watched:
        result = run()
    events: Any = watched.profiler
    found = events.kineto_results.events()
    del result
    return sum(event.nbytes() for event in found if event.name() == "[memory]")


def _resnet() -> tuple[nn.Module, tuple[Any, ...], Callable[..., Tensor]]:
    from tests.benchmarks.core.resnet import resnet

    return resnet()


def _gpt2() -> tuple[nn.Module, tuple[Any, ...], Callable[..., Tensor]]:
    from tests.benchmarks.core.gpt2 import gpt2
    from tests.benchmarks.core.resnet import training

    model, ids = gpt2(layers=4)
    return model.train(), (model, ids), training().spread_of_scores


_PROGRAMS = {"GPT-2, 4 layers": _gpt2, "ResNet-50": _resnet}


def main() -> None:
    """Weigh each program once and print."""
    options(__doc__, rounds=1)
    rows = [("in training, on the CPU", *(name.replace("_", " ") for name in Kept._fields))]
    for name, made in _PROGRAMS.items():
        torch.manual_seed(0)
        model, args, loss = made()
        tensors = [a for a in args if isinstance(a, Tensor)]
        found = kept(loss, args, [*model.parameters(), *model.buffers(), *tensors])
        rows.append((name, *(f"{size:,} B" for size in found)))
    print("\n".join(table(rows, right=(1, 2, 3))))


if __name__ == "__main__":
    main()
