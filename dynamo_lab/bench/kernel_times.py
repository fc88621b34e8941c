"""The time of each kernel, and of the eager operators that it replaced, on its inputs.

The compiled program runs as it is, and again with each kernel call timed: these are the warm times.
Then each kernel runs alone on the same arguments, caches flushed: these are the cold times.
Eager PyTorch is measured in the same way, operator by operator. Whoever only asks which kernel is
the slowest waits for none of that but the warm times, and for as few rounds as tell.
"""

from __future__ import annotations

import copy
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from dynamo_lab.bench.kernel_groups import groups
from dynamo_lab.bench.start import Start
from dynamo_lab.measure.devices import device_of
from dynamo_lab.measure.rounds import Plan, Watch, calibrated, in_turns, prepared
from dynamo_lab.measure.statistics import rounds_needed
from dynamo_lab.model.benchmarks import EagerCall, Group, KernelTime, Overhead, Phase
from dynamo_lab.record.reach import reachable
from dynamo_lab.record.replay import without_trace
from dynamo_lab.view.benchmarks.slowest import is_told

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dynamo_lab.measure.devices import Device
    from dynamo_lab.measure.subject import Subject
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.state import State


class KernelTimes(Struct, frozen=True, kw_only=True):
    """The measurements, as a benchmark stores them; if there are none, an overhead says why."""

    kernels: tuple[KernelTime, ...] = ()
    eager_calls: tuple[EagerCall, ...] = ()
    groups: tuple[Group, ...] = ()
    overheads: tuple[Overhead, ...] = ()


def time_kernels(
    recording: Recording,
    subject: Subject,
    compiled: Callable[..., Any],
    *,
    phase: Phase = "forward",
    way: int = 1,
    eager_way: int = 0,
    cold: bool = True,
    device: Device | None = None,
    plan: Plan | None = None,
    watch: Watch | None = None,
    start: Start | None = None,
    backend: str = "inductor",
) -> KernelTimes:
    """Each kernel of a compiled program against the eager operators that it replaced.

    A step is timed without its optimizer, of which the benchmark has the whole. The program's
    tensors and the generators of random numbers are restored afterwards. It raises what the
    program raises; any other obstacle is a `problem` in the result.

    Args:
        recording: The recording of the program's compilation; its modules must still be loaded.
        subject: The program with its arguments.
        compiled: What `torch.compile` returned for it, as recorded.
        phase: "forward", or "step" for the backward too.
        way: The index of the compiled variant in the benchmark, for the facts.
        eager_way: The index of eager there.
        cold: False times no kernel alone.
        device: Where the kernels run; by default where the program's tensors are.
        plan: The number of rounds, and the approximate seconds for warm and for cold ones each.
        watch: Receives the progress, and may stop it: complete rounds are kept.
        start: Restores the program's state; by default the state that it has now.
        backend: What compiled the program, whose own call of a small kernel is timed too.
    """
    from dynamo_lab.bench.compiled_way import CompiledWay, NotTimed
    from dynamo_lab.bench.eager_way import EagerWay

    subject, roots = _without_optimizer(subject)
    device = device or device_of(reachable(roots))
    plan, watch = plan or Plan(), watch or Watch()
    dynamic = True if recording.symbols else None  # so that Dynamo captures the same graphs again
    launched: tuple[float, ...] = ()
    with without_trace(roots) if start is None else nullcontext() as state:
        start = start or Start(cast("State", state))
        start.again()
        try:
            ours = CompiledWay(recording, subject.call(compiled, phase), device, plan, roots)
        except NotTimed as problem:
            untimed = Overhead(way=way, phase=phase, problem=str(problem))
            return KernelTimes(overheads=(untimed,))
        with EagerWay(ours.captured(), subject, phase, device, plan, dynamic) as theirs:
            start.again()  # which learns what to restore in each round
            steps = _from(start, {**ours.warm(), **theirs.warm()})
            warm = in_turns("kernels, warm caches", steps, plan, watch)
            steps = _from(start, {**ours.cold(), **theirs.cold()} if cold else {})
            alone = in_turns("kernels, cold caches", steps, plan, watch)
            if not watch.stopped:
                launched = _launches(device, plan, backend)
    kernels, eager_calls = ours.times(way, phase, warm, alone), theirs.calls(warm, alone)
    own = Overhead(
        way=way,
        phase=phase,
        whole=_column(warm, "whole"),
        stubbed=() if ours.not_stubbed else _column(warm, "stubbed"),
        launch=launched,
        problem=ours.not_stubbed,
    )
    eager = Overhead(
        way=eager_way,
        phase=phase,
        whole=_column(warm, "eager whole"),
        problem=theirs.problem,
    )
    return KernelTimes(
        kernels=kernels,
        eager_calls=eager_calls,
        groups=groups(recording, kernels, eager_calls),
        overheads=(own, eager),
    )


def time_until_told(
    recording: Recording,
    subject: Subject,
    compiled: Callable[..., Any],
    *,
    phase: Phase,
    way: int,
    device: Device,
    plan: Plan,
    watch: Watch,
    start: Start,
) -> KernelTimes:
    """The warm times of each kernel, for as many rounds as tell which is the slowest.

    Where the times do not tell, the plan bounds them. The arguments are as for `time_kernels`.
    """
    from dynamo_lab.bench.compiled_way import CompiledWay, NotTimed

    subject, roots = _without_optimizer(subject)
    start.again()
    try:
        ours = CompiledWay(recording, subject.call(compiled, phase), device, plan, roots)
    except NotTimed as problem:
        return KernelTimes(overheads=(Overhead(way=way, phase=phase, problem=str(problem)),))
    start.again()  # which learns what to restore in each round

    def is_enough(rounds: list[dict[str, Any]]) -> bool:
        return len(rounds) >= rounds_needed() and is_told(ours.times(way, phase, rounds, []))

    steps = _from(start, ours.in_place())
    warm = in_turns("timing kernels, not told apart yet", steps, plan, watch, is_enough)
    kernels = ours.times(way, phase, warm, [])
    return KernelTimes(
        kernels=kernels,
        groups=groups(recording, kernels, ()),
        overheads=(Overhead(way=way, phase=phase, whole=_column(warm, "whole")),),
    )


def _without_optimizer(subject: Subject) -> tuple[Subject, list[Any]]:
    """The program without its optimizer's step, and what it reaches."""
    alone = copy.copy(subject)
    alone.optimizer = None
    return alone, [alone.fn, alone.args, dict(alone.kwargs), dict(alone.leaves)]


def _from(start: Start, steps: Mapping[str, Callable[[], Any]]) -> dict[str, Callable[[], Any]]:
    """The steps, each from the program's own state."""
    return {name: prepared(start.quickly, step) for name, step in steps.items()}


def joined(one: KernelTimes, other: KernelTimes) -> KernelTimes:
    """The times of two phases together."""
    kernels, eager = len(one.kernels), len(one.eager_calls)
    moved = tuple(
        Group(
            kernels=tuple(at + kernels for at in group.kernels),
            eager=tuple(at + eager for at in group.eager),
        )
        for group in other.groups
    )
    return KernelTimes(
        kernels=(*one.kernels, *other.kernels),
        eager_calls=(*one.eager_calls, *other.eager_calls),
        groups=(*one.groups, *moved),
        overheads=(*one.overheads, *other.overheads),
    )


_LAUNCH = "def launch(number):\n    return number + 1\n"


def _launches(device: Device, plan: Plan, backend: str) -> tuple[float, ...]:
    """The time to call a kernel that does almost nothing: it adds one to one number."""
    import torch

    from dynamo_lab.bench.compiled_way import last_call
    from dynamo_lab.record.explore import record

    untyped: Any = torch
    namespace: dict[str, Any] = {"__name__": "launch"}
    exec(_LAUNCH, namespace)  # a new function, which Dynamo has not compiled before
    compiled = untyped.compile(namespace["launch"], dynamic=False, backend=backend)
    number = torch.zeros(1, device=device.place)
    with torch.no_grad(), record("launch", fresh=False) as recorder:
        compiled(number)
        kernel = last_call(recorder.recording, lambda: compiled(number))
    if kernel is None:
        return ()
    loops = calibrated(kernel, device, plan.round_seconds)
    return tuple(device.seconds(kernel, loops) / loops for _ in range(plan.rounds))


def _column(rounds: list[dict[str, Any]], name: str) -> tuple[float, ...]:
    return tuple(found[name] for found in rounds)
