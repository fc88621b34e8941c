"""A compiled program that is slower than eager where the parts do not say why."""

from collections.abc import Iterator

from dynamo_lab.view.core.places import entity_if_known
from dynamo_lab.view.core.words import percent, seconds
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.findings.speed import call_overhead, slow_kernels
from dynamo_lab.view.findings.speed.measured import Timed, compiled_ways, is_gpu


def find(facts: Facts) -> Iterator[Found]:
    """A note for each compiled variant that is slower, where no rule names a cause."""
    found = facts.recording.benchmark
    if found is None or any(call_overhead.find(facts)) or any(slow_kernels.find(facts)):
        return
    for one in compiled_ways(found):
        if one.ratio.differs and one.ratio.value < 1:
            yield _found(facts, one, is_gpu=is_gpu(found))


def _found(facts: Facts, one: Timed, *, is_gpu: bool) -> Found:
    line = call_overhead.root_line(facts)
    finding = Finding(
        rule="no-faster",
        question="speed",
        level="note",
        sentence=(
            f"{one.name} takes {seconds(one.compiled.median)} a call, eager "
            f"{seconds(one.eager.median)}. {_parts(one, is_gpu=is_gpu)}"
        ),
        where=facts.places.where(line) if line else "",
        entity=entity_if_known(line),
        evidence=(Evidence(text="timed in turns with eager", tab="bench"),),
        remedy=_remedy(one),
        cost=1 - one.ratio.value,
    )
    return Found(finding, line=line, about=frozenset({f"way:{one.way}:{one.phase}"}))


def _remedy(one: Timed) -> str:
    """What is left to do: to measure the parts, or to let eager run what it runs faster."""
    if one.overhead is None and one.kernels is None:
        return "Measure kernel by kernel: `lab.bench(..., kernels=True)`, which is the default."
    return "Leave it to eager PyTorch for inputs of this size: the parts say no more than that."


def _parts(one: Timed, *, is_gpu: bool) -> str:
    """How far the parts explain the whole; on a GPU they overlap."""
    if one.overhead is None and one.kernels is None:
        return "The parts of a call were not measured, so the cause is not known."
    if one.whole is None or one.kernels is None or one.overhead is None:
        return "Not all parts of a call could be measured, so the cause is not known."
    took = (
        f"Kernels take {seconds(one.kernels.median)}, guards, allocation and Python "
        f"{seconds(one.overhead.median)}"
    )
    if is_gpu:
        return f"{took}, side by side. Neither is told apart as the cause."
    known = (one.kernels.median + one.overhead.median) / one.whole.median
    return (
        f"{took}: together {percent(known)} of the whole call. Neither is told apart as the cause."
    )
