"""The exported program leaves out that a tensor of the module is replaced."""

from collections.abc import Iterator

from dynamo_lab.model.packages import Export
from dynamo_lab.view.core.places import Line, entity_if_known
from dynamo_lab.view.findings.export.assignments import assignment_of
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found


def find(facts: Facts) -> Iterator[Found]:
    """Each attribute that the program assigns, and that the exported one never changes."""
    told: set[str] = set()
    for one in facts.recording.exports:
        for name in one.assigned:
            if name not in told and not one.error and not one.within:
                told.add(name)
                yield _found(facts, one, name)


def _found(facts: Facts, one: Export, name: str) -> Found:
    line = assignment_of(facts, name) or _call(facts, one)
    last = name.rpartition(".")[2]
    finding = Finding(
        rule="assigned-attribute",
        question="export",
        sentence=(
            f"`{one.model}` assigns a tensor to `{name}`, and the exported program does not: it "
            "keeps the tensor from before the export in every call."
        ),
        where=facts.places.where(line) if line else "",
        entity=entity_if_known(line),
        evidence=(
            Evidence(
                text="it was another tensor after the program had been run for the export",
                tab="",
                entity=entity_if_known(line),
            ),
        ),
        grade="may change meaning",
        remedy=(
            "Make it a buffer in `__init__`: the exported program then writes it as well. A buffer "
            "is also saved in the `state_dict`, unless it is made with persistent=False."
        ),
        code=f'self.register_buffer("{last}", {name})',
        cost=1.0,
    )
    return Found(finding, line=line)


def _call(facts: Facts, one: Export) -> Line | None:
    return None if one.span is None else facts.places.line_of(one.span)
