"""A size that was to vary if it can, and that the exported program fixes."""

from collections.abc import Iterator

from dynamo_lab.model.packages import AskedDim, Export
from dynamo_lab.view.core.places import entity_if_known
from dynamo_lab.view.core.words import first_up
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.summary.exports import named


def find(facts: Facts) -> Iterator[Found]:
    """A note, with the line that needs the size."""
    for one in facts.recording.exports:
        for dim in one.dims:
            if dim.varies is False and dim.dim == "AUTO" and not one.within:
                yield _found(facts, one, dim)


def _found(facts: Facts, one: Export, dim: AskedDim) -> Found:
    size = (dim.input, dim.axis, "constant")
    spans = (f.span for f in one.facts if (f.input, f.axis, f.event) == size and f.span is not None)
    span = next(spans, None)
    why = "" if span is None else f": {facts.places.where_span(span)} needs it"
    about = span if span is not None else one.span
    line = None if about is None else facts.places.line_of(about)
    shown = entity_if_known(line)
    finding = Finding(
        rule="auto-fixed",
        question="export",
        level="note",
        sentence=f"{first_up(named(dim))} is {dim.size} in every call of what was exported{why}.",
        where=facts.places.where(line) if line else "",
        entity=shown,
        evidence=(
            Evidence(text="Dim.AUTO leaves a size open only if it can", tab="", entity=shown),
        ),
        remedy="Ask for it by name, `Dim(...)`, if it has to vary: the export then fails instead.",
    )
    return Found(finding, line=line)
