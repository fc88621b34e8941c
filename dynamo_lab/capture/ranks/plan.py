"""A rank of a job that does not run: process groups and tensors are fakes, in this one process.

PyTorch's own fake process group says that every collective is done, and its fake tensors have sizes
but no numbers. What is compiled is captured, and its graphs run on fakes, so nothing is computed.
"""

from __future__ import annotations

import functools
import sys
import time
import traceback
from typing import TYPE_CHECKING, Any

from dynamo_lab.capture.core.hooks import LOOKUP_BACKEND, PYTREE, TRACING_CONTEXT
from dynamo_lab.capture.ranks import hooks
from dynamo_lab.capture.ranks.flight import groups, is_backward, is_compiled, stack_of, through
from dynamo_lab.capture.ranks.models import ModelFacts
from dynamo_lab.model.ranks.ranks import Call, Ending, Group, Rank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.capture.core.undo import Undo

_NAMESPACES = ("c10d", "_c10d_functional", "_c10d_functional_autograd")
_WAITS = ("wait_tensor", "monitored_barrier_")
_MESH_CODE = ("torch/distributed/device_mesh.py", "torch/distributed/_mesh_layout.py")
_FAR = 30
"""Frames from an operator to the code of meshes that asked for it, at most."""
_TYPES = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16",
    "int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte",
    "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip
"""The names that the flight recorder has for types."""


class PlannedRank:
    """Rank `number` of `size`, planned: what it would call; `freeze` is for the recorder."""

    def __init__(self, recorder: Recorder, number: int, size: int) -> None:
        self._recorder = recorder
        self._number, self._size = number, size
        self._calls: list[Call] = []
        self._counts: dict[str, int] = {}
        self._groups: tuple[Group, ...] = ()
        self._mode: Any = None
        self.model = ModelFacts(self._owns)
        self.ending = Ending()

    def wrapped(self, module: Any) -> None:
        """A module under DDP, whose reducer runs in no plan."""

    def freeze(self) -> Rank:
        """What is known so far."""
        return Rank(
            number=self._number,
            size=self._size,
            backend="fake",
            groups=self._own_groups() or self._groups,
            calls=tuple(self._calls),
            ending=self.ending,
            **self.model.frozen(),
        )

    def run(self, program: Callable[[], Any]) -> None:
        """Run a program on fakes as this rank: its process groups are gone afterwards."""
        import torch.distributed as dist

        groups_of: Any = dist.distributed_c10d  # by which the program does not come to them
        groups_of.init_process_group(
            "fake", rank=self._number, world_size=self._size, store=hooks.FAKE_STORE.get()()
        )
        forget_meshes()
        self._mode = _mode(self.called)
        try:
            with self._mode:
                program()
        finally:
            self._groups = self._own_groups()
            forget_meshes()
            groups_of.destroy_process_group()

    def _own_groups(self) -> tuple[Group, ...]:
        """The groups that it is in: PyTorch also knows those that it helped to make for others."""
        return tuple(one for one in groups() if self._number in one.ranks)

    def _owns(self, tensor: Any) -> bool:
        return getattr(tensor, "fake_mode", None) is self._mode

    def called(self, function: Any, args: Sequence[Any], results: Any) -> None:
        """A collective was called, outside of what the compiler traces."""
        name = function.name().split("::")[1].split(".")[0]
        group = _group_of(function, args)
        if group is None or name in _WAITS:
            return
        self._counts[group] = self._counts.get(group, 0) + 1
        frames = _frames()
        brings, gets = _tensors(function, args, results)
        is_message = name in ("send", "recv_", "recv_any_source_")
        self._calls.append(
            Call(
                name=name.rstrip("_"),
                group=group,
                number=self._counts[group],
                backend="fake",
                is_message=is_message,
                sizes=_sizes(brings),
                dtypes=_types(brings),
                results=_sizes(gets),
                result_dtypes=_types(gets),
                is_done=True,
                started=time.time(),
                is_compiled=is_compiled(frames, self._recorder.texts),
                is_backward=is_backward(frames),
                through=through(frames, self._recorder.texts),
                stack=stack_of(frames, self._recorder.texts),
            )
        )


def capture_only(undo: Undo) -> None:
    """From now on what would go to Inductor is captured, and traced, and runs as it is."""
    lookup = LOOKUP_BACKEND.get()

    def planned(module: Any, inputs: Any, *_: Any, **__: Any) -> Any:
        return lookup("aot_eager")(module, inputs)

    module, name = hooks.INDUCTOR.place()
    undo.replace(module, name, planned)


def _mode(called: Callable[[Any, Sequence[Any], Any], None]) -> Any:
    """A mode in which tensors are fakes, but for those of meshes, which hold the ranks."""
    base, fake, without = (
        one.get() for one in (hooks.FAKE_MODE, hooks.FAKE_TENSOR, hooks.WITHOUT_FAKES)
    )

    class Planning(base):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if func.namespace in _NAMESPACES and TRACING_CONTEXT.get()() is None:
                result = super().__torch_dispatch__(func, types, args, kwargs)
                called(func, (*args, *(kwargs or {}).values()), result)
                return result
            values = PYTREE.tree_leaves((args, kwargs))
            if not any(isinstance(value, fake) for value in values) and _is_of_meshes():
                with without():
                    return func(*args, **(kwargs or {}))
            return super().__torch_dispatch__(func, types, args, kwargs)

    return Planning(allow_non_fake_inputs=True)


def _is_of_meshes() -> bool:
    """Whether PyTorch's code of meshes asked for the operator that is dispatched."""
    frame: FrameType | None = sys._getframe(2)
    for _ in range(_FAR):
        if frame is None:
            return False
        if frame.f_code.co_filename.replace("\\", "/").endswith(_MESH_CODE):
            return True
        frame = frame.f_back
    return False


def _frames() -> list[dict[str, Any]]:
    """The Python frames now, innermost first, as the flight recorder writes them."""
    return [
        {"filename": frame.f_code.co_filename, "line": line, "name": frame.f_code.co_name}
        for frame, line in traceback.walk_stack(sys._getframe(2))
    ]


def _group_of(function: Any, args: Sequence[Any]) -> str | None:
    """The name of the process group that a collective is called with."""
    import torch.distributed as dist

    names = [one.name for one in function._schema.arguments]
    group = next(
        (value for name, value in zip(names, args, strict=False)
         if name in ("process_group", "group_name", "group")), None
    )  # fmt: skip
    if group is None or isinstance(group, str):
        return group
    name = getattr(group, "group_name", None)
    return name if isinstance(name, str) else str(dist.ProcessGroup.unbox(group).group_name)


def forget_meshes() -> None:
    """Empty what PyTorch keeps by mesh: the meshes of two ranks may be equal, their groups not."""
    for row in hooks.FORGET_MESHES:
        row.get()()
    for name, module in list(sys.modules.items()):
        if name.startswith("torch.distributed."):
            for value in list(vars(module).values()):
                if type(value) is functools._lru_cache_wrapper:
                    value.cache_clear()


def _tensors(function: Any, args: Sequence[Any], results: Any) -> tuple[list[Any], list[Any]]:
    """What a rank brings to a collective, and what it gets: of one in place the same."""
    names = [one.name for one in function._schema.arguments]
    leaves = PYTREE.tree_leaves
    own = list(zip(names, args, strict=False))
    outputs = list(_only(leaves([value for name, value in own if name.startswith("out")])))
    inputs = list(_only(leaves([value for name, value in own if not name.startswith("out")])))
    return inputs, outputs or list(_only(leaves(results)))


def _only(values: Sequence[Any]) -> Iterator[Any]:
    import torch

    return (value for value in values if isinstance(value, torch.Tensor))


def _sizes(tensors: Sequence[Any]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(int, one.shape)) for one in tensors)


def _types(tensors: Sequence[Any]) -> tuple[str, ...]:
    names = (str(one.dtype).removeprefix("torch.") for one in tensors)
    return tuple(_TYPES.get(name, name) for name in names)
