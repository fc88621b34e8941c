"""A phase of compiling raises the process's peak memory by much."""

from collections.abc import Iterator

from dynamo_lab.view.core.words import size
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.timings.memory import by_phase
from dynamo_lab.view.timings.timings import explain

_LEAST = 512 << 20
"""Bytes: more than what the compiler's own modules take when they are first imported."""


def find(facts: Facts) -> Iterator[Found]:
    """A note: which phase, and that running the program does not pay it."""
    memory = facts.recording.compile_memory
    rows = by_phase(facts.recording, memory) if memory else ()
    if memory is None or not rows or rows[0][1] < _LEAST:
        return
    name, grew = rows[0]
    told = explain(name)
    finding = Finding(
        rule="compile-peak",
        question="memory",
        level="note",
        sentence=(
            f"Compiling raised the process's peak memory by {size(grew)} in `{name}`, to "
            f"{size(memory.peak)}.{f' {told}' if told else ''}"
        ),
        evidence=(Evidence(text="resident memory, as the system counts it", tab="timeline"),),
        cost=min(1.0, grew / memory.peak) if memory.peak else 0.0,
    )
    yield Found(finding)
