"""Benchmarks: variants of one program, how long each took, and whether each computed the same.

Raw times are stored; medians, intervals and verdicts are computed where they are shown.
"""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Plain, Ref

WayKind = Literal["eager", "compiled", "baseline", "edited", "other"]
"""Eager PyTorch, `torch.compile` in some mode or backend, a hand-written baseline, code that the
user edited, or any other function."""

Phase = Literal["forward", "step"]
"""Only a call, or a training step: forward, backward and, if there is one, the optimizer's."""

Cache = Literal["warm", "cold"]
"""Whether the data was in the processor's caches when a call began, or was flushed from them."""

Verdict = Literal["equal", "close", "wrong", "not compared"]
"""Bit-identical; within the tolerance; beyond it; or it could not be compared."""


OPTIMIZER = "parameters, by the optimizer"
"""What an optimizer changes between calls, in `Benchmark.changes`."""


class Launches(Struct, frozen=True, kw_only=True):
    """What one call starts on the GPU from the host: kernels, CUDA graphs, and copies or fills."""

    kernels: Annotated[int, Plain("how many")] = 0
    graphs: Annotated[int, Plain("how many")] = 0
    copies: Annotated[int, Plain("how many")] = 0


class Way(Struct, frozen=True, kw_only=True):
    """A variant of the program. The first of a benchmark is what the others are compared with.

    `compile_seconds` is the first call's time beyond a later one's, `compile_by_phase` each
    phase's; `peak_bytes` is the peak memory of a call beyond what was allocated before it, None
    if the device does not track it. `problem` says why it was not timed: it raised, or it
    computed something else. `code` is the source of a hand-written or edited one, in `language`
    ("cpp", "triton", "metal"). `steps` says that the optimizer's step is compiled too. `launches`
    are those of a call, in training of a step; None where no profiler counted them.
    """

    name: str
    kind: WayKind
    options: dict[str, str] = {}
    compile_seconds: float | None = None
    compile_by_phase: dict[str, float] = {}
    peak_bytes: int | None = None
    problem: str = ""
    code: str = ""
    language: str = ""
    steps: bool = False
    launches: Launches | None = None


class Series(Struct, frozen=True, kw_only=True):
    """The raw times of a variant, one per round: the seconds of one call, each the mean of `loops`.

    Series of one phase and cache were measured in turns: their rounds belong together. `warmup`
    holds earlier rounds, which do not count.
    """

    way: Annotated[int, Ref("Benchmark.ways")]
    phase: Phase
    cache: Cache
    loops: int
    seconds: tuple[float, ...]
    warmup: tuple[float, ...] = ()


class Comparison(Struct, frozen=True, kw_only=True):
    """A tensor that a variant computed, compared with eager's and with one computed in float64.

    `value` names it ("output 0", "gradient of fc.weight"). Differences are the largest of any
    element: `absolute`, `relative` to the larger magnitude, and `ulp`, in units of the last place
    of its type. `error_ulp` and `eager_error_ulp` are the distances from float64, where that ran.
    `share` of the elements was compared: less than 1 where the time was over.
    """

    way: Annotated[int, Ref("Benchmark.ways")]
    phase: Phase
    value: str
    verdict: Verdict
    absolute: float | None = None
    relative: float | None = None
    ulp: float | None = None
    error_ulp: float | None = None
    eager_error_ulp: float | None = None
    tolerance: str = ""
    reason: str = ""
    share: float = 1.0


class Machine(Struct, frozen=True, kw_only=True):
    """Where a benchmark ran, as far as it affects times; empty or None is not known.

    `device` is the device of the program's tensors, `clocks_mhz` its clock before and
    after, `load` the processes that wanted to run in the minute before. `settings` are those of
    PyTorch that change speed and numbers, such as float32 matmul precision. `caches` are the bytes
    that all caches of the device hold, 0 where that is not known.
    """

    device: str = ""
    processor: str = ""
    cores: int = 0
    threads: int = 0
    clocks_mhz: tuple[float, ...] = ()
    governor: str = ""
    load: float | None = None
    driver: str = ""
    torch: str = ""
    triton: str = ""
    python: str = ""
    platform: str = ""
    settings: dict[str, str] = {}
    caches: Annotated[int, Plain("bytes of memory")] = 0

    @property
    def is_busy(self) -> bool:
        """Whether more processes wanted to run than there are cores: times may be inaccurate."""
        return bool(self.cores and self.load and self.load > self.cores)


class Limits(Struct, frozen=True, kw_only=True):
    """The limits of the machine, as measured.

    `bandwidth` is the bytes a second of a copy, read and write counted, `flops` the floating-point
    operations a second of a matrix product, by dtype.
    """

    device: str
    bandwidth: float
    flops: dict[str, float] = {}
    measured: str = ""


class Work(Struct, frozen=True, kw_only=True):
    """The minimal work of one call of a kernel: bytes moved to and from memory, and arithmetic.

    `flops` counts floating-point operations (an exponential is one), by `dtype`; `counted` says
    from what: the loop IR, or the formula of the operator that an extern kernel computes; for
    "arguments" there is no formula, so only bytes are known.
    """

    bytes_read: int
    bytes_written: int
    flops: int
    dtype: str = ""
    counted: Literal["loop IR", "formula", "arguments"] = "loop IR"


class KernelTime(Struct, frozen=True, kw_only=True):
    """A kernel call of the compiled program, timed by itself on its own inputs.

    `kernel` is its id in the recording's kernels. One that is called at several lines of its
    wrapper, as the matrix products of all layers are, has an entry for each `line`; `buffers` are
    the names of those that this call produces. `calls` is how often the line runs in one call of
    the program. `warm` holds, for each round, the seconds of all these together while the program
    ran; `cold` the seconds of one call with caches flushed, measured once for all calls of a kernel
    on tensors of the same layout. `problem` says why it could not be timed.
    """

    kernel: Annotated[int, Ref("kernels")]
    way: Annotated[int, Ref("Benchmark.ways")]
    phase: Phase
    line: int | None = None
    buffers: tuple[str, ...] = ()
    calls: Annotated[int, Plain("how often it is called")] = 1
    warm: tuple[float, ...] = ()
    cold: tuple[float, ...] = ()
    work: Work | None = None
    problem: str = ""


class EagerCall(Struct, frozen=True, kw_only=True):
    """An operator that eager PyTorch runs where the compiled program runs kernels of a group.

    `graph` and `node` name the node of a captured graph that it belongs to, in the backward the
    one whose gradient it computes. `calls` counts the node's calls of the operator on arguments of
    the same layout; times are as for kernels.
    """

    operator: str
    graph: Annotated[int | None, Ref("graphs")]
    node: Annotated[int | None, Ref("graphs[graph].nodes")]
    is_backward: bool = False
    arguments: str = ""
    calls: Annotated[int, Plain("how often it is called")] = 1
    warm: tuple[float, ...] = ()
    cold: tuple[float, ...] = ()
    problem: str = ""


class Group(Struct, frozen=True, kw_only=True):
    """Kernels, and the eager operators that they replaced.

    It is the smallest set that shares no operator with another; an operator that several kernels
    compute, each for itself, belongs to the first of them. Both are positions in the benchmark's
    tuples.
    Without kernels, nothing of the operators is left to run: views, and unused results. Without
    operators, the kernels replace none of eager's: layout copies.
    """

    kernels: Annotated[tuple[int, ...], Ref("Benchmark.kernels")]
    eager: Annotated[tuple[int, ...], Ref("Benchmark.eager_calls")]


class Overhead(Struct, frozen=True, kw_only=True):
    """The time of a variant's call beyond its kernels, measured in the same rounds.

    `whole` holds, for each round, the seconds of a call as it is; `stubbed` those of a call whose
    kernels do nothing: guards, allocation and the wrapper's Python. `launch` is the seconds that
    the wrapper's call of an empty kernel takes; it is part of each kernel's time on a CPU.

    A CPU does one thing after the other: the kernels and `stubbed` together are `whole`. A GPU
    works while the processor prepares the next kernels: there the kernels are the device's time,
    `stubbed` the processor's, and the rest of `whole` beyond the kernels is when the device waited.
    For eager PyTorch, only `whole` is known.
    """

    way: Annotated[int, Ref("Benchmark.ways")]
    phase: Phase
    whole: tuple[float, ...] = ()
    stubbed: tuple[float, ...] = ()
    launch: tuple[float, ...] = ()
    problem: str = ""


class MemoryHolder(Struct, frozen=True, kw_only=True):
    """What holds memory at a peak: `count` allocations in an operator, called at a line of a file.

    Without an operator it is generated code that allocated; without a line that is not known.
    """

    operator: str
    bytes: int
    count: Annotated[int, Plain("how many allocations")] = 1
    path: str = ""
    line: Annotated[int | None, Plain("a line number")] = None


class MemoryCourse(Struct, frozen=True, kw_only=True):
    """How much a variant's call held beyond what was there before, at shares of its duration.

    `at` runs from 0 to 1, `bytes` beside it; of many points those with the most were kept. `peak`
    is exact, `holders` are what held it, the largest first.
    """

    way: Annotated[int, Ref("Benchmark.ways")] = 0
    phase: Phase = "forward"
    at: tuple[float, ...] = ()
    bytes: tuple[int, ...] = ()
    peak: int = 0
    holders: tuple[MemoryHolder, ...] = ()


class Benchmark(Struct, frozen=True, kw_only=True):
    """One program in several variants. Indices `way` are positions in `ways`.

    `state` says whether it finished, or was stopped with the results so far. `work` is the minimal
    work of one call, if that is known of the program as a whole.

    `changes` names what a call leaves to the next one: tensors that it writes, random numbers, what
    Python keeps. Each round starts without them; the calls in a round see them. None is not known.
    `recorded_with` are the options of `torch.compile` that the recording was made with, which a
    variant has only if it was asked for so.
    """

    title: str
    state: Literal["done", "stopped", "refused"] = "done"
    machine: Machine = Machine()
    ways: tuple[Way, ...] = ()
    series: tuple[Series, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    kernels: tuple[KernelTime, ...] = ()
    eager_calls: tuple[EagerCall, ...] = ()
    groups: tuple[Group, ...] = ()
    overheads: tuple[Overhead, ...] = ()
    courses: tuple[MemoryCourse, ...] = ()
    limits: Limits | None = None
    work: Work | None = None
    created: str = ""
    changes: tuple[str, ...] | None = None
    recorded_with: dict[str, str] = {}
