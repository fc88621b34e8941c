"""The mode of a planned rank: its tensors are fakes, but for the few whose numbers PyTorch reads.

Those are of meshes, which hold ranks, and of DDP, which counts parameters and numbers buckets. DDP
makes them in C++, as small tensors of integers, and reads them there: they are real, on the CPU,
and so is whatever is computed of them alone.
"""

from __future__ import annotations

import functools
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

from dynamo_lab.capture.core.hooks import PYTREE, TRACING_CONTEXT
from dynamo_lab.capture.ranks import hooks
from dynamo_lab.capture.ranks.comm_hooks import answered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    Called = Callable[[Any, Sequence[Any], Any], None]
    """Is told of a collective: the function, its arguments and its results."""

_NAMESPACES = ("c10d", "_c10d_functional", "_c10d_functional_autograd")
_MESH_CODE = ("torch/distributed/device_mesh.py", "torch/distributed/_mesh_layout.py")
_DDP_CODE = ("torch/nn/parallel/distributed.py", "torch/distributed/utils.py")
"""The code from which DDP goes to C++."""
_STORAGE_CODE = "torch/storage.py"
"""The code that copies a storage, as Dynamo's guards do with a mesh: a fake has none to copy."""
_DISPATCH_CODE = ("torch/_compile.py", "torch/_dynamo/eval_frame.py")
"""The code between an operator and what is dispatched of it."""
_FAR = 30
"""Frames from an operator to the code of meshes that asked for it, at most."""
_COUNTED = "_dynamo_lab_counted"
"""An attribute of the tensors of meshes, which are copied with them, and of those in which DDP
counts; the latter live in C++, and keep it there."""


def fakes(called: Called) -> Any:
    """A mode in which tensors are fakes; it tells of each collective that is called."""
    base, fake, without = (
        one.get() for one in (hooks.FAKE_MODE, hooks.FAKE_TENSOR, hooks.WITHOUT_FAKES)
    )

    def _is_anothers(tensors: Sequence[Any]) -> bool:
        """Whether the compiler made the tensors for its tracing: its mode is then to be asked."""
        modes = [one.fake_mode for one in tensors if isinstance(one, fake)]
        return bool(modes) and not any(isinstance(one, Planning) for one in modes)

    class Planning(base):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            kwargs = kwargs or {}
            tensors = _tensors((args, kwargs))
            is_call = func.namespace in _NAMESPACES and TRACING_CONTEXT.get()() is None
            is_counted = _is_counted(tensors, kwargs)
            has_fakes = any(isinstance(one, fake) for one in tensors)
            if is_counted or (not (is_call or has_fakes) and _is_of_meshes()):
                with without():
                    result = func(*args, **(_on_cpu(kwargs) if is_counted else kwargs))
                for one in _tensors(result):
                    setattr(one, _COUNTED, True)
            elif _is_anothers(tensors):
                with without():
                    result = func(*args, **kwargs)
            else:
                result = super().__torch_dispatch__(func, types, args, kwargs)
            if is_call:
                called(func, (*args, *kwargs.values()), result)
                result = answered(result)
            return result

    return Planning(allow_non_fake_inputs=True)


def moving(move: Callable[..., None]) -> Callable[..., None]:
    """What moves the tensors of a module to FSDP's device: a fake then says that it is there.

    It gives each its data of that device, by which PyTorch's fakes do not change what they say.
    """

    @functools.wraps(move)
    def moved(parameters: Sequence[Any], buffers: Sequence[Any], device: Any) -> None:
        move(parameters, buffers, device)
        for one in (*parameters, *buffers):
            if hasattr(one, "fake_device") and one.device.type != "meta":
                one.fake_device = device

    return moved


def _tensors(values: Any) -> list[Any]:
    import torch

    return [one for one in PYTREE.tree_leaves(values) if isinstance(one, torch.Tensor)]


def _is_counted(tensors: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether it is on numbers of meshes or of DDP alone, or makes integers for DDP to count in."""
    import torch

    if tensors:
        return all(hasattr(one, _COUNTED) for one in tensors)
    if kwargs.get("dtype") not in (torch.int32, torch.int64):
        return False
    return next(_files()).endswith(_DDP_CODE)


def _on_cpu(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments without a device: the machine that plans need not have the program's."""
    return {**kwargs, "device": "cpu"} if kwargs.get("device") is not None else kwargs


def _is_of_meshes() -> bool:
    """Whether PyTorch's code of meshes asked for the operator, or what copies a mesh's numbers."""
    files = list(islice(_files(), _FAR))
    return files[0].endswith(_STORAGE_CODE) or any(one.endswith(_MESH_CODE) for one in files)


def _files() -> Iterator[str]:
    """The files of the code that asked for the operator that is dispatched, innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file != __file__ and not file.replace("\\", "/").endswith(_DISPATCH_CODE):
            yield file.replace("\\", "/")
        frame = frame.f_back
    yield ""
