"""Most of the time a C++ compiler works: one process for each of many small kernels."""

from collections.abc import Iterator

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
    spent = sum(kernel.built_in or 0.0 for kernel in built)
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
        remedy=_remedy(spent, waited, cores),
        cost=waited / whole,
    )
    yield Found(finding)


def _remedy(spent: float, waited: float, cores: int) -> str:
    """More processes at once end sooner only where cores were left.

    Some builds ran before the wait began: at once were as many as this, or fewer.
    """
    at_once = spent / waited
    if not cores:
        return _FEWER
    if at_once > _BUSY * cores:
        return (
            f"{_FEWER} More of them at once would hardly end sooner here: up to {at_once:.1f} "
            f"worked at once, on {plural(cores, 'core')}."
        )
    saved = waited - spent / cores
    return (
        f"At most {at_once:.1f} of them worked at once, on {plural(cores, 'core')}: with "
        f"`TORCHINDUCTOR_COMPILE_THREADS={cores}`, or more, it would be {duration(saved)} less at "
        f"best. {_FEWER}"
    )


_FEWER = "Fewer kernels take fewer builds."
_BUSY = 0.8
"""The share of the cores from which they count as used: builds are not of one length."""
