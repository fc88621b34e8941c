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
    finding = Finding(
        rule="many-builds",
        question="compile_time",
        level="note",
        sentence=(
            f"{percent(waited / whole)} of compiling, {duration(waited)}, was waiting for a "
            f"compiler that built {plural(len(built), 'kernel')}, each with its own process."
        ),
        evidence=(Evidence(text=plural(len(built), "kernel"), tab="timeline"),),
        remedy="More processes (TORCHINDUCTOR_COMPILE_THREADS), or fewer kernels.",
        cost=waited / whole,
    )
    yield Found(finding)
