"""What the rules about exports share: the exports that failed, and a finding about one."""

from collections.abc import Iterator

from dynamo_lab.model.packages import DimFact, Export
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import first_line
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Grade
from dynamo_lab.view.summary.exports import blamed, complained, counts


def failures(facts: Facts) -> Iterator[Export]:
    """The exports that failed and were the program's own, each error once."""
    recording = facts.recording
    own = (one for one in recording.exports if one.error and counts(one, recording))
    yield from {(one.model, one.message, one.at): one for one in own}.values()


def assumed(one: Export, *events: str) -> DimFact | None:
    """What was assumed of a size that had to vary, if it is one of these events."""
    fact = blamed(one) if complained(one) else None
    return fact if fact is not None and fact.event in events else None


def line_of(facts: Facts, one: Export, span: int | None = None) -> Line | None:
    """The user's line at fault, else the one that exports."""
    known = next((at for at in (span, one.at, one.span) if at is not None), None)
    return None if known is None else facts.places.line_of(known)


def text_of(facts: Facts, one: Export, span: int | None = None) -> str:
    """The text of the line at fault."""
    line = line_of(facts, one, span)
    return facts.places.text(line).strip() if line else ""


def found(
    facts: Facts,
    one: Export,
    rule: str,
    sentence: str,
    remedy: str,
    *,
    span: int | None = None,
    code: str = "",
    grade: Grade = "fill in",
) -> Found:
    """A finding about an export that failed: all of it is lost."""
    line = line_of(facts, one, span)
    shown = entity(line) if line else ""
    return Found(
        Finding(
            rule=rule,
            question="export",
            sentence=sentence,
            where=facts.places.where(line) if line else "",
            entity=shown,
            evidence=(Evidence(text=first_line(one.message) or one.error, tab="", entity=shown),),
            grade=grade,
            remedy=remedy,
            code=code,
            cost=1.0,
        ),
        line=line,
        explains=frozenset({f"export:{facts.recording.exports.index(one)}"}),
    )
