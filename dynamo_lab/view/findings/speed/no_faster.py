"""A compiled program that is slower than eager where the parts do not say why."""

from collections.abc import Iterator

from dynamo_lab.view.core.places import entity
from dynamo_lab.view.core.words import percent, seconds
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.findings.speed import call_overhead, slow_kernels
from dynamo_lab.view.findings.speed.measured import Timed, compiled_ways


def find(facts: Facts) -> Iterator[Found]:
    """A note for each compiled variant that is slower, where no rule names a cause."""
    found = facts.recording.benchmark
    if found is None or any(call_overhead.find(facts)) or any(slow_kernels.find(facts)):
        return
    for one in compiled_ways(found):
        if one.ratio.differs and one.ratio.value < 1:
            yield _found(facts, one)


def _found(facts: Facts, one: Timed) -> Found:
    line = call_overhead.root_line(facts)
    finding = Finding(
        rule="no-faster",
        question="speed",
        level="note",
        sentence=(
            f"{one.name} takes {seconds(one.compiled.median)} a call, eager "
            f"{seconds(one.eager.median)}. {_parts(one)}"
        ),
        where=facts.places.where(line) if line else "",
        entity=entity(line) if line else "",
        evidence=(Evidence(text="timed in turns with eager", tab="bench"),),
        remedy="Measure kernel by kernel on an idle machine.",
        cost=1 - one.ratio.value,
    )
    return Found(finding, line=line, about=frozenset({f"way:{one.way}:{one.phase}"}))


def _parts(one: Timed) -> str:
    """How far the parts explain the whole."""
    if one.whole is None or one.kernels is None or one.overhead is None:
        return "The parts of a call were not measured, so the cause is not known."
    known = (one.kernels.median + one.overhead.median) / one.whole.median
    return (
        f"Kernels take {seconds(one.kernels.median)}, guards, allocation and Python "
        f"{seconds(one.overhead.median)}: together {percent(known)} of the whole call. Neither "
        "is told apart as the cause."
    )
