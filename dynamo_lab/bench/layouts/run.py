"""A network in each way: compiled while it is recorded, compared, then timed in turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from msgspec import structs

from dynamo_lab.bench.layouts.graph_fusion import joined
from dynamo_lab.bench.layouts.ways import Way
from dynamo_lab.bench.recorded_call import Recorded, recorded_call
from dynamo_lab.capture.core.compat import many_ways
from dynamo_lab.errors import AlreadyRecordingError
from dynamo_lab.measure.checks import relative_error
from dynamo_lab.measure.devices import device_of
from dynamo_lab.measure.machine import describe_machine
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.model.layouts.trial import Trial, WayTrial
from dynamo_lab.record.replay import told
from dynamo_lab.view.layouts.reading import concats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.model.layouts.trial import WayName

_ON_CPU: tuple[WayName, ...] = ("one thread", "frozen, unpacked", "oneDNN Graph")
"""Threads are a CPU's, and so is oneDNN here."""

_ON_CONVOLUTIONS: tuple[WayName, ...] = ("layout kept", "channels last")


def tried(
    model: torch.nn.Module, example: tuple[Any, ...], names: Sequence[WayName], plan: Plan
) -> tuple[Trial, Recorded]:
    """What is found of each way that can make a difference, and the recording of each compiled."""
    device = device_of([*model.parameters(), *example])
    recorded: Recorded = {}
    able: dict[WayName, Way] = {}
    found: list[WayTrial] = []
    with torch.no_grad():
        expected = model(*example)
    with many_ways():
        for name in names:
            if _changes_nothing(name, device.name, found, recorded):
                continue
            try:
                way = Way(name, model, example)
                trial, result = _trial(way, recorded)
            except AlreadyRecordingError:
                raise
            except Exception as error:  # any: what cannot be had here is told
                found.append(WayTrial(name=name, problem=f"{told(error)}."))
                continue
            found.append(structs.replace(trial, difference=relative_error(result, expected)))
            able[name] = way
        seconds = _times(able, device, plan) if plan.rounds else {}
    machine = describe_machine(device.name)
    facts = Trial(
        title=type(model).__name__,
        machine=machine.processor if device.name == "cpu" else machine.device,
        device=device.name,
        ways=tuple(structs.replace(one, seconds=seconds.get(one.name, ())) for one in found),
    )
    return facts, recorded


def _changes_nothing(
    name: WayName, device: str, found: Sequence[WayTrial], recorded: Recorded
) -> bool:
    """Whether it is known not to: by the device, or by what was compiled as it is."""
    if name in _ON_CPU and device != "cpu":
        return True
    if name == "one thread":
        return torch.get_num_threads() == 1
    compiled = next((one for one in found if one.name == "compiled"), None)
    if compiled is None or compiled.problem:
        return False
    if name in _ON_CONVOLUTIONS:
        return not any(one.convolutions for one in recorded["compiled"][0].layout_choices)
    return name == "concat as loop" and not any(concats(recorded["compiled"][0]))


def _trial(way: Way, recorded: Recorded) -> tuple[WayTrial, Any]:
    if not way.is_compiled:
        result = way.call()
        groups = joined(way.call) if way.name == "oneDNN Graph" else None
        return WayTrial(name=way.name, threads=way.threads, groups=groups), result

    def compiling() -> Any:
        with way.compiling():
            return way.call()

    result, recorded[way.name] = recorded_call(way.name, compiling, fresh=not recorded)
    return WayTrial(name=way.name, threads=way.threads), result


def _times(able: dict[WayName, Way], device: Any, plan: Plan) -> dict[WayName, tuple[float, ...]]:
    """Seconds in turns; each way has its own number of threads, set before its time counts."""
    before = torch.get_num_threads()
    calls: dict[str, Callable[[], object]] = {name: way.call for name, way in able.items()}
    threads: dict[str, int] = {name: way.threads for name, way in able.items()}
    try:
        times = take_turns(
            calls, device, plan, before=lambda name: torch.set_num_threads(threads[name])
        )
    finally:
        torch.set_num_threads(before)
    return {name: times[name].seconds for name in able}
