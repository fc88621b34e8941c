"""Much of the compile time goes into guards on symbolic sizes."""

from collections.abc import Iterator

from dynamo_lab.view.core.words import percent, plural
from dynamo_lab.view.core.words import seconds as duration
from dynamo_lab.view.findings.compile_time.seconds import phase_seconds
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.timings.timings import compile_seconds

_LEAST_SHARE, _LEAST_SECONDS = 0.25, 0.5
_LEAST_SYMBOLS = 16
"""A guard on a size takes about a millisecond to build: with a few, the time has another cause."""


def find(facts: Facts) -> Iterator[Found]:
    """A note, where there are many symbols and building guards takes a quarter of all."""
    recording = facts.recording
    spent, whole = phase_seconds(recording, ("build_guards",)), compile_seconds(recording)
    if len(recording.symbols) < _LEAST_SYMBOLS:
        return
    if spent < _LEAST_SECONDS or spent / whole < _LEAST_SHARE:
        return
    finding = Finding(
        rule="guards-of-sizes",
        question="compile_time",
        level="note",
        sentence=(
            f"{percent(spent / whole)} of compiling, {duration(spent)}, went into building guards, "
            f"with {plural(len(recording.symbols), 'symbolic size')}."
        ),
        evidence=(Evidence(text="build_guards", tab="timeline"),),
        remedy=(
            "Mark only sizes that change as dynamic (torch._dynamo.mark_dynamic), and leave out "
            "`dynamic=True`, which makes all of them so."
        ),
        cost=spent / whole,
    )
    yield Found(finding)
