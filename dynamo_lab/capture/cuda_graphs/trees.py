"""The trees of CUDA graphs: PyTorch's manager is watched, where there is one.

Whether the outputs of a CUDA graph are still held decides what PyTorch replays and what it records
anew. So a probe here looks only at what PyTorch itself is about to look at, keeps numbers, and lets
go of everything before the manager goes on. The allocator is asked after a recording alone: a
replay tells it nothing.

Source: torch/_inductor/cudagraph_trees.py, `CUDAGraphTreeManager` and `CUDAGraphNode`.
"""

import threading
import weakref
from collections.abc import Generator, Iterable, Mapping
from typing import Any

import torch

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.cuda_graphs import hooks
from dynamo_lab.capture.cuda_graphs.managers import Manager
from dynamo_lab.capture.cuda_graphs.pools import snapshot
from dynamo_lab.model.cuda_graphs.trees import CudaRefusal, CudaTrees, StepKind


class CudaTreeProbes:
    """Records what the managers of CUDA graphs do, each for a device and a thread."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._managers: weakref.WeakKeyDictionary[Any, Manager] = weakref.WeakKeyDictionary()
        self._all: list[Manager] = []  # also of managers that are gone
        self._local = threading.local()
        self._patches: Patches | None = None

    def install(self, patches: Patches) -> None:
        """Watch the manager, or wait for the first graph that is to be one: most have none."""
        self._recorder.cuda_trees = self.freeze
        self._patches = patches
        if hooks.TREES.is_loaded:
            self._watch(patches)
        else:
            patches.hook(hooks.WRAPPED, self.wrapping)

    def freeze(self) -> tuple[CudaTrees, ...]:
        """What is known of each manager that was called."""
        return tuple(one.freeze() for one in self._all)

    def wrapping(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """A graph is about to be one of CUDA's, which imports the manager."""
        if self._patches is not None:
            self._watch(self._patches)
            self._patches = None
        yield

    def _watch(self, patches: Patches) -> None:
        patches.hook(hooks.CALL, self.calling)
        patches.hook(hooks.OVERWRITE, self.overwriting)
        patches.hear(hooks.CHECK, self.checked)
        patches.hear(hooks.RECORD, self.recorded)
        patches.hear(hooks.REPLAY, self.replayed)
        patches.hear(hooks.WARM_UP, self.warmed_up)

    @property
    def _refusals(self) -> list[tuple[Any, str, tuple[str, ...]]]:
        """Of the call that runs in this thread: a weak reference to the node, and why."""
        return self._local.__dict__.setdefault("refusals", [])

    def _of(self, manager: Any) -> Manager:
        found = self._managers.get(manager)
        if found is None:
            found = self._managers[manager] = Manager(self._recorder, manager)
            self._all.append(found)
        return found

    def calling(
        self, manager: Any, inputs: Any, function_id: Any, *_: Any
    ) -> Generator[None, Any, None]:
        """A call: it warms up, records, replays, or else runs without a CUDA graph.

        PyTorch may begin a call once more inside of itself, which is then the one that counts.
        """
        self._refusals.clear()
        self._local.function = function_id
        known = self._of(manager)
        before = known.steps
        yield
        if known.steps == before:
            kind = _without(manager, function_id)
            known.step(manager, kind, function_id, begins=hooks.CURRENT.of(manager) is None)

    def checked(self, result: Any, node: Any, inputs: Any, *_: Any) -> None:
        """Whether a CUDA graph may be replayed; it is the hot path where it may."""
        reason = getattr(result[0], "name", str(result[0]))
        if reason != "SUCCESS":
            moved = tuple(_moved(node, inputs, reason))
            self._refusals.append((weakref.ref(node), reason, moved))

    def recorded(self, result: Any, manager: Any, inputs: Any, function_id: Any) -> None:
        """A CUDA graph was recorded: the manager's current one. What it returns is let alone."""
        with self._recorder.lock:
            known = self._of(manager)
            node = known.recorded(manager, tuple(self._told(known, manager)))
            self._step(manager, "recorded", function_id)
            device = hooks.DEVICE.of(manager)
            found = torch.cuda.memory_snapshot(known.pool)
            known.remember(snapshot(found, device, known.pool, node, self._span_of))

    def replayed(self, result: Any, manager: Any, node: Any, inputs: Any) -> None:
        """A CUDA graph was replayed."""
        with self._recorder.lock:
            self._step(manager, "replayed", node.wrapped_function.id)

    def warmed_up(self, result: Any, manager: Any, inputs: Any, function_id: Any) -> None:
        """A function ran as it is, in the memory of the pool."""
        with self._recorder.lock:
            self._step(manager, "warm-up", function_id)

    def overwriting(self, manager: Any) -> Generator[None, Any, None]:
        """A new step takes the memory of the last one, whatever the program still holds of it."""
        function = getattr(self._local, "function", None)
        if function is not None:
            self._of(manager).overwriting(manager, function)
        yield

    def _step(self, manager: Any, kind: StepKind, function_id: Any) -> None:
        begins = hooks.PARENT.of(hooks.CURRENT.of(manager)) is None
        self._of(manager).step(manager, kind, function_id, begins=begins)

    def _told(self, known: Manager, manager: Any) -> Iterable[CudaRefusal]:
        for ref, reason, moved in self._refusals:
            node = ref()
            if node is not None:
                yield known.refusal(manager, node, reason, moved)

    def _span_of(self, frames: Iterable[Mapping[str, Any]]) -> int | None:
        """The innermost of the reader's frames, of those that the allocator noted; it is first."""
        texts = self._recorder.texts
        for frame in frames:
            if texts.is_users(frame["filename"]):
                return texts.span(frame["filename"], frame["line"], frame["name"])
        return None


def _without(manager: Any, function_id: Any) -> StepKind:
    """Why a call ran without a CUDA graph: PyTorch has these two reasons.

    Newer releases also give one up whose inputs keep moving, but never one that writes to them.
    """
    wrapped = hooks.FUNCTIONS.of(manager).get(function_id)
    current = hooks.CURRENT.of(manager)
    anew = hooks.RECORDED_ANEW.of(manager).get(None if current is None else current.id) or {}
    is_written = wrapped is not None and len(hooks.WRITTEN.of(wrapped)) > 0
    return "written" if is_written and anew.get(function_id, 0) <= hooks.LIMIT.get() else "limit"


def _moved(node: Any, inputs: Any, reason: str) -> Iterable[str]:
    """The names of the inputs that lie elsewhere than when the CUDA graph was recorded."""
    if "Dead" in reason:
        return
    looked_at = hooks.MANAGED.of(node) if "Managed" in reason else hooks.STATIC.of(node)
    known, names = hooks.ADDRESSES.of(node), hooks.PLACEHOLDERS.of(node.wrapped_function)
    for at in looked_at:
        if at < len(inputs) and at < len(known) and _address(inputs[at]) != known[at]:
            yield getattr(names[at], "name", "") if at < len(names) else f"input {at}"


def _address(value: Any) -> int | None:
    return value.data_ptr() if isinstance(value, torch.Tensor) else None
