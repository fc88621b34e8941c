"""Kernel by kernel: how long each takes, and the eager operators that it replaced, on its inputs.

The compiled program runs as it is, and again with a clock around each call of a kernel: that is
warm. Then each kernel runs alone on the arguments that it gets there, caches flushed: that is cold.
Eager PyTorch goes through the same, operator by operator.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dynamo_lab.kernel_groups import groups
from dynamo_lab.kernel_rounds import Compiled, Eager, cold_rounds, warm_rounds
from dynamo_lab.measure.devices import device_of
from dynamo_lab.measure.rounds import Plan, Watch
from dynamo_lab.model.benchmarks import EagerCall, Group, KernelTime, Overhead, Phase
from dynamo_lab.rerun import tensors_within, without_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dynamo_lab.measure.devices import Device
    from dynamo_lab.programs import Program
    from dynamo_lab.recording import Recording

    Run = Callable[[Callable[..., Any]], object]
    """Does a phase once with the function that it is given, compiled or not."""


class KernelTimes(Struct, frozen=True, kw_only=True):
    """What was measured, as a benchmark keeps it; `problem` says why it is nothing."""

    kernels: tuple[KernelTime, ...] = ()
    eager_calls: tuple[EagerCall, ...] = ()
    groups: tuple[Group, ...] = ()
    overheads: tuple[Overhead, ...] = ()
    problem: str = ""


def time_kernels(
    recording: Recording,
    *,
    phase: Phase = "forward",
    way: int = 1,
    eager_way: int | None = 0,
    device: Device | None = None,
    plan: Plan | None = None,
    watch: Watch | None = None,
    compiled: Callable[..., Any] | None = None,
    run: Run | None = None,
    changes: Iterable[Any] = (),
) -> KernelTimes:
    """Each kernel of a recorded program against the eager operators that it replaced.

    The program's tensors and the generators of random numbers are put back afterwards. It raises
    what the program raises; whatever else stands in the way is a `problem` in the result.

    Args:
        recording: A recording whose program is at hand.
        phase: "forward", or "step" for the backward too, from the sum of what is returned.
        way: The compiled way's place in the benchmark, for the facts to name.
        eager_way: Eager's place there; None keeps no time of eager as a whole.
        device: Where the kernels run; by default where the program's tensors lie.
        plan: How many rounds, and how many seconds for the warm and for the cold ones together.
        watch: Is told how far it is, and may stop it: whole rounds are kept.
        compiled: The program under `torch.compile`; by default it is compiled as recorded.
        run: Does the phase once, with the function that it is given: to train in another way.
        changes: What `run` changes beside the program, such as an optimizer, to put it back.
    """
    program = recording.program()
    if program is None:
        return KernelTimes(problem="There is no program at hand: record it again in this process.")
    roots = [*program.roots(), *changes]
    with without_trace(roots):
        function, default, values = _prepared(program, phase)
        run = run or default
        device = device or device_of(values)
        plan, watch = plan or Plan(), watch or Watch()
        inner = compiled or _compiled(function, recording, program)
        compiled_way = Compiled(recording, lambda: run(inner), device, tensors_within(changes))
        if compiled_way.problem:
            return KernelTimes(problem=compiled_way.problem)
        with Eager(recording, function, run, device) as eager:
            warm = warm_rounds(compiled_way, eager, device, plan, watch)
            cold = cold_rounds(compiled_way, eager, device, plan, watch)
    kernels = compiled_way.facts(way, phase, warm, cold)
    eager_calls = eager.facts(warm, cold)
    overheads = [compiled_way.overhead(way, phase, warm)]
    if eager_way is not None:
        overheads.append(Overhead(way=eager_way, phase=phase, whole=warm.eager))
    return KernelTimes(
        kernels=kernels,
        eager_calls=eager_calls,
        groups=groups(recording, kernels, eager_calls),
        overheads=tuple(overheads),
    )
