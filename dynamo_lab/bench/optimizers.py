"""Optimizers whose step is compiled: their state is there before anything is timed.

An optimizer makes its state in its first step. Restored to none before each round it would make new
tensors, which compiled code is guarded against: every round would compile again. On a GPU Dynamo
also changes the optimizer (`_dynamo/variables/optimizer.py`): the count of its steps moves to the
device, and a group is `capturable` from then on. So that is done before, and each variant that
compiles the step has an optimizer of its own.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.bench.start import Start
from dynamo_lab.errors import OptionError
from dynamo_lab.record.reach import reachable
from dynamo_lab.record.replay import without_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from dynamo_lab.model.benchmarks import Way

    Optimizer = torch.optim.Optimizer

_GPUS = ("cuda", "xpu")
"""Devices for which Dynamo changes an optimizer."""


def refuse_no_step(ways: Sequence[Way], optimizer: Any, training: bool) -> None:
    """A variant that compiles the optimizer's step needs one.

    Raises:
        OptionError: there is no optimizer, or no step is run.
    """
    asked = [way.name for way in ways if way.steps]
    if asked and not (training and isinstance(optimizer, torch.optim.Optimizer)):
        raise OptionError(
            f"{asked[0]!r} compiles an optimizer's step, and there is none: pass training=True "
            "and optimizer=."
        )


@contextmanager
def started(
    roots: Sequence[Any], optimizer: Any, ways: Sequence[Way], call: Callable[[], object]
) -> Generator[tuple[Start, dict[int, Optimizer]], None, None]:
    """Where each call starts, and the optimizer of each variant that compiles its step.

    Optimizers that may be compiled and have no state get it by a run of `call`, of which nothing
    else is kept. Afterwards all is as it was.
    """
    asked = [at for at, way in enumerate(ways) if way.steps]
    with without_trace(roots) as before:
        within = [one for one in _optimizers(roots) if one is not optimizer]
        if not within and not asked:
            yield Start(before), {}
            return
        _make_state(within, optimizer if asked else None, call, before.put_back)
        twins = {at: twin_of(optimizer) for at in asked}
        with without_trace([*roots, *twins.values()]) as state:
            yield Start(state), twins


def twin_of(optimizer: Optimizer) -> Optimizer:
    """An optimizer for the same parameters with a state of its own, as Dynamo would change it."""
    twin = copy.copy(optimizer)
    twin.param_groups = [dict(group) for group in optimizer.param_groups]
    twin.state = defaultdict(dict)
    for parameter, state in optimizer.state.items():
        twin.state[parameter] = {name: _own(value) for name, value in state.items()}
        if isinstance(count := state.get("step"), torch.Tensor):
            twin.state[parameter]["step"] = count.to(parameter.device, copy=True)
    return twin


def _own(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else copy.copy(value)


def _optimizers(roots: Sequence[Any]) -> list[Optimizer]:
    return [one for one in reachable(roots) if isinstance(one, torch.optim.Optimizer)]


def _make_state(
    within: Sequence[Optimizer],
    optimizer: Optimizer | None,
    call: Callable[[], object],
    put_back: Callable[[], list[Exception]],
) -> None:
    """Keep what a call makes of the state of optimizers without one, and put the rest back."""
    every = [*within, *([] if optimizer is None else [optimizer])]
    empty = [one for one in every if not one.state]
    if not empty:
        return
    fresh = [one for one in within if not one.state]
    for one in fresh:
        _let_capture(one)
    call()
    made = [(one, dict(one.state)) for one in empty]
    put_back()
    for one in fresh:
        _let_capture(one)
    for one, state in made:
        one.state.update(state)


def _let_capture(optimizer: Optimizer) -> None:
    """What Dynamo sets for parameters on a GPU, where there is no state yet."""
    for group in optimizer.param_groups:
        if "capturable" in group and all(p.device.type in _GPUS for p in group["params"]):
            group["capturable"] = True
