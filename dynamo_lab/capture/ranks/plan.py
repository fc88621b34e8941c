"""A rank of a job that does not run: process groups and tensors are fakes, in this one process.

PyTorch's own fake process group says that every collective is done, and its fake tensors have sizes
but no numbers. What is compiled is captured, and its graphs run on fakes, so nothing is computed.
"""

from __future__ import annotations

import functools
import inspect
import sys
import time
from typing import TYPE_CHECKING, Any

from dynamo_lab.capture.core.hooks import LOOKUP_BACKEND, PYTREE
from dynamo_lab.capture.ranks import hooks
from dynamo_lab.capture.ranks.comm_hooks import CommHooks
from dynamo_lab.capture.ranks.fakes import fakes, moving
from dynamo_lab.capture.ranks.flight import (
    frames_now,
    groups,
    is_backward,
    stack_of,
    way_of,
)
from dynamo_lab.capture.ranks.members import OutsideCalls
from dynamo_lab.capture.ranks.models import ModelFacts
from dynamo_lab.capture.ranks.ranks import handled_by
from dynamo_lab.capture.ranks.reducers import Reducers
from dynamo_lab.model.ranks.ranks import Call, Ending, Group, Handled, MadeGroup, Rank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.capture.core.undo import Undo

_WAITS = ("wait_tensor", "monitored_barrier_")
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
        self._made: list[MadeGroup] = []
        self._mode: Any = None
        self._reducers = Reducers(recorder.texts, is_planned=True)
        self._comm_hooks = CommHooks()
        self.backwards = None  # each call is made in the thread that called the backward
        self.model = ModelFacts(self._owns)
        self.outside = OutsideCalls(recorder.texts)
        self.ending = Ending()
        self._within: Handled | None = None

    def install(self, undo: Undo) -> None:
        """Have what the program tells DDP's reducers come here, and the groups that it makes."""
        self._comm_hooks.install(undo)
        if hooks.NEW_GROUP.exists:
            undo.replace(*hooks.NEW_GROUP.place(), self._making(hooks.NEW_GROUP.get()))
        for row in hooks.MOVES:
            if row.exists:
                undo.replace(*row.place(), moving(row.get()))

    def _making(self, make: Callable[..., Any]) -> Callable[..., Any]:
        """What makes groups, of fakes whatever backend the program names, and notes their ranks."""
        signature = inspect.signature(make)

        @functools.wraps(make)
        def making(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs)
            if given.arguments.get("backend") is not None:
                given.arguments["backend"] = "fake"
            ranks = given.arguments.get("ranks")
            if ranks is not None:  # perhaps a generator, which is read once
                ranks = given.arguments["ranks"] = list(ranks)
            self._note_made(range(self._size) if ranks is None else ranks)
            return make(*given.args, **given.kwargs)

        return making

    def _note_made(self, ranks: Sequence[Any]) -> None:
        """The program makes a group of these ranks, which may be numbers of NumPy."""
        try:
            place = stack_of(frames_now(above=2), self._recorder.texts)
            self._made.append(MadeGroup(ranks=tuple(map(int, ranks)), stack=place))
        except Exception as error:
            self._recorder.note_failure("groups", error)

    def wrapped(self, module: Any) -> None:
        """The code that now runs has wrapped a module in DDP."""
        self._reducers.wrapped(module)
        if getattr(module, "reducer", None) is not None:
            self._comm_hooks.wrapped(module)

    def reduced(self) -> None:
        """A backward is over, in which modules under DDP may have reduced their gradients."""
        self._reducers.freeze()

    def freeze(self) -> Rank:
        """What is known so far."""
        return Rank(
            number=self._number,
            size=self._size,
            backend="fake",
            groups=self._own_groups() or self._groups,
            made=tuple(self._made),
            calls=tuple(self._calls),
            outside=self.outside.freeze(),
            reducers=self._reducers.freeze(),
            handled=self._within,
            ending=self.ending,
            **self.model.frozen(),
        )

    def ended(self, error: BaseException) -> None:
        """The exception ended the program, which perhaps was handling another one of its own."""
        self._within = handled_by(error, self._recorder.texts)
        self.outside.ended(error)

    def ending_groups(self) -> None:
        """The program would end its groups, which stay until it is over."""

    def run(self, program: Callable[[], Any]) -> None:
        """Run a program on fakes as this rank: its process groups are gone afterwards."""
        import torch.distributed as dist

        groups_of: Any = dist.distributed_c10d  # by which the program does not come to them
        groups_of.init_process_group(
            "fake", rank=self._number, world_size=self._size, store=hooks.FAKE_STORE.get()()
        )
        forget_meshes()
        self._mode = fakes(self.called)
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
        frames = frames_now(above=1)
        brings, gets = _tensors(function, args, results)
        through, is_compiled = way_of(frames, self._recorder.texts)
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
                is_compiled=is_compiled,
                is_backward=is_backward(frames),
                through=through,
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
