"""Benchmarks of cases: eager, compiled and hand-written variants, in turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from dynamo_lab.api.benchmarks.benchmarked import Benchmarked
from dynamo_lab.api.recording import Recording
from dynamo_lab.bench.limits import present
from dynamo_lab.bench.options import BenchOptions
from dynamo_lab.bench.progress import progress_bar
from dynamo_lab.bench.run import BenchRun
from dynamo_lab.errors import CaseError
from dynamo_lab.measure.rounds import Plan
from dynamo_lab.measure.statistics import Ratio, digits, ratio, spread
from dynamo_lab.model.benchmarks import Way
from dynamo_lab.render.tables import table
from dynamo_lab.render.text import as_line
from dynamo_lab.view.core.words import BUSY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dynamo_lab.measure.baselines import Baseline
    from dynamo_lab.measure.cases import Case
    from dynamo_lab.measure.rounds import Watch
    from dynamo_lab.measure.variants import Candidate
    from dynamo_lab.model.benchmarks import Benchmark, Limits, Phase, Work


def bench_case(
    case: Case,
    *,
    device: str = "cpu",
    size: str = "",
    dtype: str = "",
    ways: Sequence[str] = ("compiled",),
    training: bool = False,
    cold: bool = True,
    kernels: bool = True,
    plan: Plan | None = None,
) -> Benchmarked[Recording]:
    """Time a case eagerly, compiled, and in each baseline that can run on the device.

    Each is compared with eager at the case's tolerance before it is timed. A baseline that cannot
    run here is listed with the reason. In training only eager and compiled variants are timed,
    because baselines compute no gradients.

    Raises:
        CaseError: the case has no such size or dtype, or no gradients.
        OptionError: there is no such device or variant.
    """
    from dynamo_lab.measure.baselines import baselines_of
    from dynamo_lab.measure.checks import Tolerance

    kind = present(device)
    dtype, size = dtype or case.usual_dtype(device), size or case.usual_size(device)
    inputs = case.make(device, dtype, size)
    if training:
        _ask_for_gradients(case, inputs)
    at = (device, dtype, size)
    by_hand = {one.title: _candidate(one, at, training) for one in baselines_of(case)}
    options = BenchOptions(
        ways={**{name: name for name in ways}, **by_hand},
        training=training,
        cold=cold,
        kernels=kernels,
        tolerance=Tolerance(*case.tolerance[dtype]),
        plan=plan or Plan(),
    )
    sizes = ", ".join(f"{name} {number}" for name, number in case.sizes[size].items())
    title = f"{case.title} ({sizes}, {dtype} on {device})"
    with progress_bar() as watch:
        made, session = BenchRun(case.eager, inputs, {}, options, watch, title).made()
        facts: Any = made.benchmark
        limits = facts.limits or (_limits(kind, watch) if cold else None)
    known = structs.replace(facts, work=case.work(*inputs), limits=limits)
    return Benchmarked(Recording.of(structs.replace(made, benchmark=known), session))


def summary(facts: Benchmark) -> list[str]:
    """One line per variant: its median, its speed relative to compiled, its share of the limit.

    A training step has its own table, without a share, because its work is not known. Below are
    a compiler's messages, for a variant that did not build.
    """
    said = [line for way in facts.ways for line in way.problem.splitlines()[1:]]
    lines = [facts.title, *table([*_rows(facts, "forward")], right=[1])]
    if any(one.phase == "step" for one in facts.series):
        lines += ["a training step", *table([*_rows(facts, "step")], right=[1])]
    busy = [BUSY] if facts.machine.is_busy else []
    return [*lines, *map(as_line, said), *busy]


def _rows(facts: Benchmark, phase: Phase) -> Iterator[tuple[str, ...]]:
    series = [one for one in facts.series if one.phase == phase]
    warm = {one.way: one.seconds for one in series if one.cache == "warm"}
    cold = {one.way: one.seconds for one in series if one.cache == "cold"}
    limits = facts.limits if phase == "forward" else None
    compiled = next((at for at, way in enumerate(facts.ways) if way.kind == "compiled"), -1)
    yield "", "median", "times compiled's speed", "share of the limit, cold" if limits else ""
    for at, way in enumerate(facts.ways):
        if at not in warm:
            yield way.name, "", as_line(way.problem.partition("\n")[0]), ""
            continue
        taken = spread(warm[at])
        against = ratio(warm[compiled], warm[at]) if compiled in warm and at != compiled else None
        seconds = spread(cold[at]).median if at in cold else 0
        reached = share_of_limit(facts.work, limits, seconds)
        yield (
            way.name,
            f"{taken.median * 1e6:.1f} us",
            _told(against) if against else "",
            f"{reached:.0%}" if reached else "",
        )


def _told(against: Ratio) -> str:
    low, high = digits(against.low, against), digits(against.high, against)
    said = f"{digits(against.value, against)} ({low} to {high})"
    return said if against.differs else f"{said}, {against.undecided}"


def share_of_limit(work: Work | None, limits: Limits | None, seconds: float) -> float | None:
    """The speed of a call as a share of the machine's limit; None where that is not known.

    The limit is memory's or arithmetic's, whichever takes longer. It applies only to cold caches:
    what is in a cache need not come from memory.
    """
    if work is None or limits is None or not seconds or not limits.bandwidth:
        return None
    memory = (work.bytes_read + work.bytes_written) / limits.bandwidth
    peak = limits.flops.get(work.dtype)
    return max(memory, work.flops / peak if peak else 0.0) / seconds


def _candidate(baseline: Baseline, at: tuple[str, str, str], training: bool) -> Candidate:
    from dynamo_lab.bench.baseline_trial import refuse_crash
    from dynamo_lab.measure.baselines import why_not
    from dynamo_lab.measure.variants import Candidate

    reason = "it computes no gradients" if training else why_not(baseline.language, at[0])

    def made(_: Any) -> Callable[..., Any]:
        if reason:
            raise CaseError(reason)
        refuse_crash(baseline, *at)
        return baseline.load()

    name, language, code = baseline.title, baseline.language, baseline.code
    way = Way(name=name, kind="baseline", code=code, language=language)
    return Candidate(way=way, made=made)


def _limits(device: str, watch: Watch) -> Limits | None:
    from dynamo_lab.measure.limits import limits_of

    try:
        return limits_of(device, watch=watch)
    except KeyboardInterrupt:  # what was measured before is kept
        return None


def _ask_for_gradients(case: Case, inputs: Sequence[Any]) -> None:
    import torch

    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    if len(tensors) < len(inputs):
        raise CaseError(f"{case.name} has no gradients: leave out --training.")
    for tensor in tensors:
        tensor.requires_grad_(tensor.is_floating_point())
