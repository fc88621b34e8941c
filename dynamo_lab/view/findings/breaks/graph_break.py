"""A break in the reader's code that no other break causes."""

from collections.abc import Iterator

from dynamo_lab.model.breaks import Break
from dynamo_lab.view.breaks.advice import rule_of
from dynamo_lab.view.breaks.fixes import Remedy, remedies
from dynamo_lab.view.breaks.makers import is_of_pytorch
from dynamo_lab.view.breaks.stories import causes
from dynamo_lab.view.core.places import entity
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain


def find(facts: Facts) -> Iterator[Found]:
    """Each cause of breaks, with the breaks that only follow from it."""
    recording, places = facts.recording, facts.places
    caused = causes(recording, places)
    for item, cause in zip(recording.breaks, caused, strict=True):
        if cause is None and not is_of_pytorch(item, places):
            follow = [index for index, of in enumerate(caused) if of == item.id]
            yield _found(item, follow, facts)


def _found(item: Break, follow: list[int], facts: Facts) -> Found:
    recording, places = facts.recording, facts.places
    line = places.line_of(item.span)
    tried = remedies(recording, item).found
    remedy: Remedy | None = tried[0] if tried else None
    breaks, ended = len(recording.breaks), 1 + len(follow)
    finding = Finding(
        rule="graph-break",
        question="breaks",
        sentence=f"{places.where(line)} breaks the graph: {rule_of(item).title}.",
        where=places.where(line),
        entity=entity(line),
        evidence=(Evidence(text=item.reason, tab="breaks", entity=f"break:{item.id}"),),
        grade="may change meaning" if remedy else "none",
        remedy=remedy.fix.sentence if remedy else "",
        code=remedy.fix.code if remedy else "",
        gain=Gain(metric="breaks", before=breaks, after=breaks - ended, how="counted")
        if remedy
        else None,
        cost=ended / breaks,
    )
    consequences = frozenset(f"break:{index}" for index in follow)
    return Found(
        finding,
        change=remedy.change if remedy else None,
        line=line,
        about=frozenset({f"break:{item.id}"}),
        explains=consequences,
    )
