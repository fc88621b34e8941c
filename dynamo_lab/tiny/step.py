"""The step in PyTorch: each operation as planned, its result at its place in one arena.

An operation computes as PyTorch does and its result is copied to its place, over whatever was
there; the next one reads it from there. So a place given away too early would show in the numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.fx.node import map_arg

from dynamo_lab.errors import OptionError
from dynamo_lab.tiny.graph import is_view, writes
from dynamo_lab.tiny.indices import check_indices
from dynamo_lab.tiny.work import work_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dynamo_lab.tiny.arena import Arena
    from dynamo_lab.tiny.graph import Node, StepGraph


class ArenaStep:
    """A training step that changes the parameters it was made with, in place.

    `steps` is how many it has made; `canary` bytes of a pattern lie after the arena's end, which
    `is_intact` looks at.
    """

    def __init__(
        self,
        step: StepGraph,
        arena: Arena,
        values: Mapping[str, torch.Tensor],
        canary: int = 64,
    ) -> None:
        self._step = step
        self._block = torch.zeros(arena.size + canary, dtype=torch.uint8)
        self._block[arena.size :] = 0xA5
        self._size = arena.size
        self.steps = 0
        work = work_of(step)
        self._offsets = {
            work.storages[storage].name: offset for storage, offset in arena.offsets.items()
        }
        self._known = self._parameters(values)

    def _parameters(self, values: Mapping[str, torch.Tensor]) -> dict[str, Any]:
        named = {**self._step.parameters, **self._step.buffers}
        known: dict[str, Any] = {node: values[name].detach() for node, name in named.items()}
        known |= self._step.constants
        for node in self._step.momentum:
            seen = self._step.nodes[node].meta["val"]
            known[node] = torch.zeros(seen.shape, dtype=seen.dtype)
        return known

    @property
    def is_intact(self) -> bool:
        """Whether nothing was written behind the arena's end."""
        return bool((self._block[self._size :] == 0xA5).all())

    @torch.no_grad()
    def __call__(self, sample: Sequence[torch.Tensor], lr: float) -> torch.Tensor:
        """The loss of a sample, and all parameters updated.

        Raises:
            OptionError: it is not of the shapes and types that the step was planned for, or has a
                class that there is not; nothing is changed then.
        """
        values: dict[str, Any] = {**self._known, "lr": lr, "seed": self.steps}
        self._fill(sample, values, self._step.inputs)
        self.steps += 1
        for node in self._step.graph.nodes:
            if node.op == "call_function":
                values[node.name] = self._run(node, values)
        return values[self._step.loss].clone()

    @torch.no_grad()
    def forward(self, inputs: Sequence[torch.Tensor], until: str) -> torch.Tensor:
        """The value of a node of the forward; nothing is updated.

        Raises:
            OptionError: the inputs are not those that the step was planned for, or there are more.
        """
        values = dict(self._known)
        self._fill(inputs, values, self._step.inputs[:-1])
        needed = _needed(self._step.nodes[until])
        for node in self._step.graph.nodes:
            if node in needed and node.op == "call_function":
                values[node.name] = self._run(node, values)
        return values[until].clone()

    def _fill(
        self, sample: Sequence[torch.Tensor], values: dict[str, Any], names: Sequence[str]
    ) -> None:
        fits(self._step, sample, names)
        for name, given in zip(names, sample, strict=True):
            values[name] = self._placed(name, given)

    def _run(self, node: Node, values: dict[str, Any]) -> Any:
        args = map_arg(node.args, lambda read: values[read.name])
        kwargs = map_arg(node.kwargs, lambda read: values[read.name])
        result: Any = node.target(*args, **kwargs)
        if is_view(node) or writes(node):
            return result
        if isinstance(result, tuple):
            return tuple(self._placed(f"{node.name}.{k}", one) for k, one in enumerate(result))
        return self._placed(node.name, result)

    def _placed(self, name: str, value: Any) -> Any:
        """A value at its place, if it has one."""
        start = self._offsets.get(name)
        if start is None or not isinstance(value, torch.Tensor):
            return value
        length = value.numel() * value.element_size()
        flat = self._block[start : start + length].view(value.dtype)
        place = flat.as_strided(value.shape, _dense(value))
        place.copy_(value)
        return place


def fits(step: StepGraph, sample: Sequence[torch.Tensor], names: Sequence[str]) -> None:
    """Refuse a sample that is not as planned; `names` are the inputs that it is for.

    Raises:
        OptionError: it has other shapes or types, or another number of tensors; or a class or a
            row that there is not.
    """
    if len(sample) != len(names):
        raise OptionError(f"A step takes {len(names)} tensors, and {len(sample)} were given.")
    for at, (name, given) in enumerate(zip(names, sample, strict=True)):
        asked = step.nodes[name].meta["val"]
        if given.shape != asked.shape or given.dtype != asked.dtype:
            raise OptionError(
                f"Tensor {at} of the sample is {given.dtype} {list(given.shape)}, and the step "
                f"was planned for {asked.dtype} {list(asked.shape)}: plan again with it."
            )
    check_indices(step, sample)


def _needed(node: Node) -> set[Node]:
    """A node and all that it is computed from."""
    found, waiting = {node}, [node]
    while waiting:
        fresh = set(waiting.pop().all_input_nodes) - found
        found |= fresh
        waiting += fresh
    return found


def _dense(value: torch.Tensor) -> tuple[int, ...]:
    """The strides that it has, if it fills its memory; else those of its elements in order."""
    order = sorted(zip(value.stride(), value.shape, strict=True), reverse=True)
    expected = 1
    for stride, size in reversed(order):
        if size != 1 and stride != expected:
            return torch.empty(value.shape, device="meta").stride()
        expected *= size
    return value.stride()
