"""Most of the time a C++ compiler works: one process for each of many small kernels."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from dynamo_lab.model.kernels import Kernel
from dynamo_lab.view.core.words import percent, plural
from dynamo_lab.view.core.words import seconds as duration
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.timings.timings import compile_seconds, waited_seconds

_LEAST_KERNELS, _LEAST_SHARE = 8, 0.3


def find(facts: Facts) -> Iterator[Found]:
    """A note: which kernels there are has other causes."""
    built = [kernel for kernel in facts.recording.kernels if kernel.built_in]
    waited, whole = waited_seconds(facts.recording), compile_seconds(facts.recording)
    if len(built) < _LEAST_KERNELS or whole <= 0 or waited / whole < _LEAST_SHARE:
        return
    spent = sum(_seconds(kernel) for kernel in built)
    cores = facts.recording.environment.cores
    finding = Finding(
        rule="many-builds",
        question="compile_time",
        level="note",
        sentence=(
            f"{percent(waited / whole)} of compiling, {duration(waited)}, was waiting for a "
            f"compiler that built {plural(len(built), 'kernel')}, each with its own process: "
            f"together they worked for {duration(spent)}."
        ),
        evidence=(Evidence(text=plural(len(built), "kernel"), tab="timeline"),),
        remedy=_remedy(built, waited, cores),
        cost=waited / whole,
    )
    yield Found(finding)


def _remedy(built: Sequence[Kernel], waited: float, cores: int) -> str:
    """More processes at once end sooner only where cores were left, and for one graph's kernels.

    Some builds ran before the wait began: at once were as many as this, or fewer.
    """
    at_once = sum(_seconds(one) for one in built) / waited
    if not cores:
        return _FEWER
    if at_once > _BUSY * cores:
        return (
            f"{_FEWER} More of them at once would hardly end sooner here: up to {at_once:.1f} "
            f"worked at once on average, on {plural(cores, 'core')}."
        )
    saved = waited - _least(built, cores)
    if saved < _WORTH * waited:
        return (
            f"{_FEWER} More of them at once would hardly end sooner here: those of one graph are "
            "built at once, and one graph after the other."
        )
    return (
        f"At most {at_once:.1f} of them worked at once on average, on {plural(cores, 'core')}: "
        f"with `TORCHINDUCTOR_COMPILE_THREADS={cores}`, or more, it would be {duration(saved)} "
        f"less at best. {_FEWER}"
    )


def _least(built: Sequence[Kernel], cores: int) -> float:
    """The seconds that the builds take at least: each graph waits for its own."""
    graphs = defaultdict[int | None, list[float]](list)
    for kernel in built:
        graphs[kernel.graph].append(_seconds(kernel))
    return sum(max(max(each), sum(each) / cores) for each in graphs.values())


def _seconds(kernel: Kernel) -> float:
    return kernel.built_in or 0.0


_WORTH = 0.2
"""The share of the wait from which it is told what would be left of it."""
_FEWER = "Fewer kernels take fewer builds."
_BUSY = 0.8
"""The share of the cores from which they count as used: builds are not of one length."""
