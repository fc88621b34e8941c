"""Benchmarks with fixed times for recordings that were only lowered."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from dynamo_lab.model.benchmarks import (
    Benchmark,
    EagerCall,
    Group,
    KernelTime,
    Machine,
    Overhead,
    Series,
    Way,
)
from dynamo_lab.model.recording import Recording

_ROUNDS = 25


def timed(
    facts: Any,
    *,
    eager: float,
    overhead: float,
    kernels: Sequence[float],
    operators: Sequence[float] = (),
    whole: float | None = None,
    device: str = "cpu",
    precision: str = "highest",
    peaks: tuple[int | None, int | None] = (None, None),
) -> Recording:
    """A recording with a benchmark: microseconds of eager, of overhead, of each kernel.

    `operators` are those that eager runs in place of each kernel; `whole` is the sum by default,
    `peaks` are the bytes of both.
    """
    recording: Recording = facts.facts if hasattr(facts, "facts") else facts
    total = overhead + sum(kernels) if whole is None else whole
    found = Benchmark(
        title="made up",
        machine=Machine(device=device, settings={"float32_matmul_precision": precision}),
        ways=(
            Way(name="eager", kind="eager", peak_bytes=peaks[0]),
            Way(name="compiled", kind="compiled", peak_bytes=peaks[1]),
        ),
        series=(_series(0, eager), _series(1, total)),
        kernels=tuple(_kernel(recording, at, took) for at, took in enumerate(kernels)),
        eager_calls=tuple(_operator(recording, at, took) for at, took in enumerate(operators)),
        groups=tuple(Group(kernels=(at,), eager=(at,)) for at in range(len(operators))),
        overheads=(
            Overhead(way=0, phase="forward", whole=_times(max(eager, sum(operators)))),
            Overhead(
                way=1,
                phase="forward",
                whole=_times(total),
                stubbed=_times(overhead),
                launch=_times(0.2),
            ),
        ),
    )
    return replace(recording, benchmark=found)


def with_steps(facts: Any, *, eager: float, compiled: float, is_busy: bool = False) -> Recording:
    """The recording with a benchmark of both phases: a training step took so many microseconds."""
    recording: Recording = facts.facts if hasattr(facts, "facts") else facts
    took = {0: eager, 1: compiled}
    found = Benchmark(
        title="made up",
        machine=Machine(device="cpu", cores=2, load=5.0 if is_busy else 0.1),
        ways=(Way(name="eager", kind="eager"), Way(name="compiled", kind="compiled")),
        series=(
            *(_series(way, 100.0) for way in took),
            *(replace(_series(way, time), phase="step") for way, time in took.items()),
        ),
    )
    return replace(recording, benchmark=found)


def _times(microseconds: float) -> tuple[float, ...]:
    return tuple(microseconds * 1e-6 * (1 + 0.001 * (at % 5)) for at in range(_ROUNDS))


def _series(way: int, took: float) -> Series:
    return Series(way=way, phase="forward", cache="warm", loops=1, seconds=_times(took))


def _kernel(recording: Recording, at: int, took: float) -> KernelTime:
    own = recording.kernels[at]
    return KernelTime(
        kernel=at,
        way=1,
        phase="forward",
        buffers=own.buffers,
        warm=_times(took),
        cold=_times(took * 1.2),
    )


def _operator(recording: Recording, at: int, took: float) -> EagerCall:
    """The operator that made the first node of a kernel, in the graph that was lowered."""
    own = recording.kernels[at]
    node = own.nodes[0] if own.nodes else None
    name = recording.graphs[own.graph or 0].nodes[node or 0].target
    warm, cold = _times(took), _times(took * 1.2)
    return EagerCall(operator=name, graph=own.graph, node=node, warm=warm, cold=cold)
