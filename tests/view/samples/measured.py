"""Benchmarks with times as a laptop measures them: ways, kernels against eager, one that loses."""

import random

from msgspec.structs import replace

from dynamo_lab.model.benchmarks import (
    Benchmark,
    Cache,
    Comparison,
    EagerCall,
    Group,
    KernelTime,
    Limits,
    Machine,
    MemoryCourse,
    MemoryHolder,
    Overhead,
    Phase,
    Series,
    Way,
    Work,
)
from dynamo_lab.model.recording import Recording

from .big import big
from .block import KERNELS, block

PATH = "/home/me/block.py"
_US = 1e-6
_ROUNDS = 25


def _times(
    name: str, microseconds: float, rounds: int = _ROUNDS, spread: float = 0.02
) -> tuple[float, ...]:
    """Times around a value, now and then one that something else delayed; the same every day."""
    dice = random.Random(name)
    found: list[float] = []
    for _ in range(rounds):
        late = 1.2 if dice.random() < 0.06 else 1.0
        noise = 1 + spread * (dice.random() + dice.random() - 1)
        found.append(microseconds * _US * noise * late)
    return tuple(found)


def measured() -> Recording:
    """A block of a transformer in five ways, one of them wrong, forward and as a training step."""
    return replace(block(), benchmark=_benchmark())


def measured_otherwise() -> Recording:
    """The same block, a bit faster compiled; on the same machine, a day later."""
    found = _benchmark()
    series = tuple(
        replace(one, seconds=tuple(t * (0.8 if one.way == 1 else 1.0) for t in one.seconds))
        for one in found.series
    )
    return replace(block(), benchmark=replace(found, series=series, created="2026-11-22 09:10"))


def measured_elsewhere() -> Recording:
    """The same block on a GPU with another PyTorch."""
    found = _benchmark()
    machine = replace(
        found.machine, device="cuda: NVIDIA H200", torch="2.11.0", driver="570.12", governor=""
    )
    return replace(block(), benchmark=replace(found, machine=machine))


def measured_large(kernels: int = 60) -> Recording:
    """Sixty kernels, each against the ten operators that it replaced; stopped before its end."""
    made = big(kernels * 10)
    times = tuple(
        KernelTime(
            kernel=at,
            way=1,
            phase="forward",
            warm=_times(f"w{at}", 4 + at % 17 * 9),
            cold=_times(f"c{at}", 7 + at % 17 * 11),
        )
        for at in range(kernels)
    )
    calls = tuple(
        EagerCall(
            operator="aten.mul.Tensor",
            graph=0,
            node=1 + at,
            warm=_times(f"ew{at}", (2 + at // 10 % 13) * 0.7),
            cold=_times(f"ec{at}", (3 + at // 10 % 13) * 1.3),
        )
        for at in range(kernels * 10)
    )
    groups = tuple(
        Group(kernels=(at,), eager=tuple(range(10 * at, 10 * at + 10))) for at in range(kernels)
    )
    whole = sum(4 + at % 17 * 9 for at in range(kernels)) * 1.12
    found = Benchmark(
        title="big",
        state="stopped",
        machine=_MACHINE,
        ways=(Way(name="eager", kind="eager"), Way(name="compiled", kind="compiled")),
        series=(
            Series(way=0, phase="forward", cache="warm", loops=1, seconds=_times("be", 6900, 6)),
            Series(way=1, phase="forward", cache="warm", loops=1, seconds=_times("bc", whole, 6)),
        ),
        kernels=times,
        eager_calls=calls,
        groups=groups,
        overheads=(
            Overhead(
                way=1,
                phase="forward",
                whole=_times("bw", whole),
                stubbed=_times("bs", whole * 0.08),
                launch=_times("bl", 0.4),
            ),
        ),
    )
    return replace(made, benchmark=found)


_MACHINE = Machine(
    device="cpu",
    processor="AMD Ryzen 7 5800U",
    cores=8,
    threads=8,
    clocks_mhz=(3400.0, 3395.0),
    governor="performance",
    load=0.4,
    torch="2.13.0",
    triton="3.7.1",
    python="3.11.9",
    platform="Linux x86_64",
    settings={"float32 matmul precision": "highest", "deterministic algorithms": "no"},
)


def _benchmark() -> Benchmark:
    return Benchmark(
        title="block",
        machine=_MACHINE,
        ways=(
            Way(name="eager", kind="eager", compile_seconds=0.0, peak_bytes=6_291_456),
            Way(name="compiled", kind="compiled", compile_seconds=11.3, peak_bytes=4_194_304,
                options={"backend": "inductor"}),
            Way(name="max-autotune", kind="compiled", compile_seconds=48.0, peak_bytes=4_194_304,
                options={"backend": "inductor", "mode": "max-autotune"}),
            Way(name="aot_eager", kind="compiled", compile_seconds=2.1, peak_bytes=6_553_600,
                options={"backend": "aot_eager"}),
            Way(name="half", kind="baseline", peak_bytes=3_145_728,
                options={"file": "kernels/block/half.py"}),
            Way(name="tensorrt", kind="compiled",
                problem="BackendError: there is no backend `tensorrt` in this environment."),
        ),
        series=tuple(_series()),
        comparisons=tuple(_comparisons()),
        kernels=_kernel_times(),
        eager_calls=_eager_calls(),
        groups=(
            Group(kernels=(0,), eager=(0,)),
            Group(kernels=(1,), eager=(1,)),
            Group(kernels=(2,), eager=(2,)),
            Group(kernels=(3,), eager=(3,)),
            Group(kernels=(4, 5), eager=(4, 5, 6, 7, 8)),
            Group(kernels=(6,), eager=()),
            *_step_groups(),
        ),
        overheads=(
            Overhead(way=1, phase="forward", whole=_times("whole", 371), launch=_times("l", 1.3),
                     stubbed=_times("stubbed", 31, spread=0.05)),
            Overhead(way=1, phase="step", whole=_times("whole step", 489), launch=_times("l", 1.3),
                     stubbed=_times("stubbed step", 70, spread=0.05)),
        ),
        courses=(
            MemoryCourse(
                way=0,
                at=(0.0, 0.2, 0.5, 0.8, 1.0),
                bytes=(2_097_152, 4_194_304, 6_291_456, 4_194_304, 2_097_152),
                peak=6_291_456,
                holders=(
                    MemoryHolder(operator="aten::mm", bytes=4_194_304, count=2, path=PATH, line=4),
                    MemoryHolder(operator="aten::gelu", bytes=2_097_152, path=PATH, line=5),
                ),
            ),
            MemoryCourse(
                way=1,
                at=(0.0, 0.6, 1.0),
                bytes=(2_097_152, 4_194_304, 2_097_152),
                peak=4_194_304,
                holders=(MemoryHolder(operator="", bytes=4_194_304, count=2),),
            ),
        ),
        limits=Limits(device="cpu", bandwidth=38e9, flops={"float32": 410e9}, measured="today"),
        created="2026-11-21 14:02",
    )  # fmt: skip


def _step_groups() -> list[Group]:
    """Those of the forward again, as they run in a step, and the backward's."""
    again = len(KERNELS)
    forward = (((0,), (0,)), ((1,), (1,)), ((2,), (2,)), ((3,), (3,)), ((4, 5), (4, 5, 6, 7, 8)))
    return [
        Group(kernels=(7,), eager=(9, 10)),
        Group(kernels=(8,), eager=(11,)),
        *(
            Group(kernels=tuple(again + at for at in kernels), eager=eager)
            for kernels, eager in forward
        ),
        Group(kernels=(again + 6,), eager=()),
    ]


_SERIES: dict[tuple[Phase, Cache], tuple[float, ...]] = {
    ("forward", "warm"): (527, 371, 349, 561, 300),
    ("forward", "cold"): (688, 503, 498, 720, 410),
    ("step", "warm"): (702, 489, 481, 707, 300),
}


def _series() -> list[Series]:
    return [
        Series(
            way=way,
            phase=phase,
            cache=cache,
            loops=1 if cache == "cold" else 40,
            seconds=_times(f"{phase}{cache}{way}", taken, spread=0.16 if way == 2 else 0.03),
            warmup=_times(f"{phase}{cache}{way} before", taken * 1.3, rounds=2),
        )
        for (phase, cache), times in _SERIES.items()
        for way, taken in enumerate(times)
    ]


def _comparisons() -> list[Comparison]:
    rows: list[Comparison] = []
    for phase in ("forward", "step"):
        rows += [
            Comparison(way=1, phase=phase, value="output 0", verdict="close", absolute=2.4e-7,
                       relative=2.1e-7, ulp=3, error_ulp=1.4, eager_error_ulp=2.2,
                       tolerance="rtol 1.3e-6, atol 1e-5"),
            Comparison(way=2, phase=phase, value="output 0", verdict="close", absolute=6e-7,
                       relative=5.5e-7, ulp=6, error_ulp=4.9, eager_error_ulp=2.2,
                       tolerance="rtol 1.3e-6, atol 1e-5"),
            Comparison(way=3, phase=phase, value="output 0", verdict="equal", absolute=0.0,
                       relative=0.0, ulp=0, error_ulp=2.2, eager_error_ulp=2.2),
            Comparison(way=4, phase=phase, value="output 0", verdict="wrong", absolute=0.0042,
                       relative=0.013, ulp=108_000, error_ulp=107_998, eager_error_ulp=2.2,
                       tolerance="rtol 1.3e-6, atol 1e-5"),
        ]  # fmt: skip
    names = ("x", "norm.weight", "up.weight", "down.weight")
    for at, name in enumerate(names):
        for way in (1, 2, 3):
            off = (at + way) % 4 if way < 3 else 0
            rows.append(
                Comparison(way=way, phase="step", value=f"gradient of {name}",
                           verdict="close" if off else "equal", absolute=off * 1e-7,
                           relative=off * 1.2e-7, ulp=off, error_ulp=at + 0.5,
                           eager_error_ulp=at + 0.9)
            )  # fmt: skip
    return rows


def _work(at: int, cold: float) -> Work:
    """Products reach 60 % of the arithmetic, others 45 to 85 % of the bandwidth."""
    if KERNELS[at][1] == "extern":
        half = int(cold * _US * 38e9 * 0.1)
        flops = int(cold * _US * 410e9 * 0.6)
    else:
        half = int(cold * _US * 38e9 * (0.45 + 0.05 * at) / 2)
        flops = half // 2
    return Work(bytes_read=half, bytes_written=half, flops=flops, dtype="float32")


def _kernel_times() -> tuple[KernelTime, ...]:
    first = tuple(
        KernelTime(
            kernel=at,
            way=1,
            phase="step" if backward else "forward",
            calls=calls,
            warm=_times(f"{name} warm", warm),
            cold=_times(f"{name} cold", cold),
            work=_work(at, cold),
        )
        for at, (name, _, _, backward, calls, warm, cold) in enumerate(KERNELS)
    )
    return first + tuple(replace(one, phase="step") for one in first if one.phase == "forward")


_EAGER = (
    # operator, node of the dynamo graph, backward, calls, warm and cold microseconds
    ("aten.native_layer_norm.default", 1, False, 1, 31, 52),
    ("aten.addmm.default", 2, False, 1, 104, 113),
    ("aten.gelu.default", 3, False, 1, 88, 117),
    ("aten.addmm.default", 4, False, 1, 117, 133),
    ("aten.add.Tensor", 5, False, 1, 23, 44),
    ("aten.amax.default", 6, False, 1, 17, 19),
    ("aten.add.Tensor", 7, False, 1, 2, 2.4),
    ("aten.div.Tensor", 8, False, 1, 21, 40),
    ("aten._softmax.default", 9, False, 1, 29, 43),
    ("aten.gelu_backward.default", 3, True, 1, 120, 140),
    ("aten.mul.Tensor", 3, True, 2, 41, 33),
    ("aten.sum.dim_IntList", 5, True, 4, 7, 2.2),
)


def _eager_calls() -> tuple[EagerCall, ...]:
    return tuple(
        EagerCall(
            operator=operator,
            graph=0,
            node=node,
            is_backward=backward,
            arguments="f32[512, 512]",
            calls=calls,
            warm=_times(f"eager {operator} {node} warm", warm),
            cold=_times(f"eager {operator} {node} cold", cold),
        )
        for operator, node, backward, calls, warm, cold in _EAGER
    )
