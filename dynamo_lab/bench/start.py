"""Where every call of a benchmark starts: the values that the program had, and the same seed."""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import BenchError
from dynamo_lab.record.reach import cells_of, names_in, reachable
from dynamo_lab.record.replay import seed, told

if TYPE_CHECKING:
    from collections.abc import Iterable

    import torch

    from dynamo_lab.record.state import State


class Start:
    """The state of a program before any variant of it ran."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.has_changed, self.holds = state.has_changed, state.holds
        self._seeded = _generators()

    @property
    def is_written(self) -> bool:
        """Whether calls so far changed something else than the values of tensors."""
        return self._state.is_written

    def changes(self) -> list[str]:
        """What else the last call changed than the values of tensors."""
        return [
            *(["random numbers"] if self._drawn() else []),
            *(["attributes, containers or variables"] if self._state.is_written else []),
        ]

    def _drawn(self) -> bool:
        """Whether a generator of PyTorch moved since it was seeded."""
        found = _generators()
        return any(not a.equal(b) for a, b in zip(self._seeded, found, strict=True))

    def again(self, number: int = 0) -> None:
        """Restore all of it, and seed.

        Raises:
            BenchError: something cannot be restored.
        """
        self._started(self._state.put_back(), number)

    def quickly(self) -> None:
        """The same; of the memory of tensors, only what `again` found to be written."""
        self._started(self._state.rewind(), 0)

    def _started(self, failed: list[Exception], number: int) -> None:
        if failed:
            raise BenchError(
                "Variants cannot be compared, because what the program writes cannot be restored: "
                f"{told(failed[0])}."
            )
        seed(number)
        self._seeded = _generators()


def _generators() -> list[torch.Tensor]:
    """The states of PyTorch's own generators."""
    import torch

    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []
    return [torch.get_rng_state(), *cuda]


def reached_tensors(fn: Any, roots: Iterable[Any]) -> dict[str, torch.Tensor]:
    """The tensors that a program reaches, by the name of the variable or attribute, or a number."""
    import torch

    named = {id(value): name for name, value in _variables(fn) if isinstance(value, torch.Tensor)}
    found = (value for value in reachable(roots) if isinstance(value, torch.Tensor))
    return {
        named.get(id(value), f"tensor {at} that it reaches"): value
        for at, value in enumerate(found)
    }


def _variables(fn: Any) -> list[tuple[str, Any]]:
    """The names by which a program knows values: of closures, globals, attributes, parameters."""
    import torch

    if isinstance(fn, torch.nn.Module):
        return [*((f"parameter {name}", value) for name, value in fn.named_parameters())]
    if isinstance(fn, MethodType):
        own = [(f"self.{name}", value) for name, value in vars(fn.__self__).items()]
        return [*own, *_variables(fn.__func__)]
    if isinstance(fn, FunctionType):
        known = {id(cell): value for cell, value in cells_of(fn)}
        cells = zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
        closure = [(name, known.get(id(cell))) for name, cell in cells]
        named = [(name, fn.__globals__.get(name)) for name in names_in(fn.__code__)]
        return [*((f"`{name}`", value) for name, value in [*closure, *named])]
    return [(f"self.{name}", value) for name, value in getattr(fn, "__dict__", {}).items()]
