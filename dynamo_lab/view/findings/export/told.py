"""What the rules about exports share: the exports that failed, and a finding about one."""

from collections.abc import Iterator

from dynamo_lab.model.packages import DimFact, Export
from dynamo_lab.view.core.places import Line, entity_if_known
from dynamo_lab.view.core.words import gist
from dynamo_lab.view.findings.changes import ExportArguments, Reexport, Rewrite
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
    strict: bool | None = None,
    rewrite: Rewrite | None = None,
) -> Found:
    """A finding about an export that failed: all of it is lost.

    It can be applied where `code` are shapes of the export's own, where it is to be exported
    `strict` or not, and with a `rewrite`.
    """
    line = line_of(facts, one, span)
    at = facts.recording.exports.index(one)
    change = rewrite or _arguments(facts, one, code, strict)
    shown = entity_if_known(line)
    return Found(
        Finding(
            rule=rule,
            question="export",
            sentence=sentence,
            where=facts.places.where(line) if line else "",
            entity=shown,
            evidence=(Evidence(text=gist(one.message) or one.error, tab="", entity=shown),),
            grade=grade,
            remedy=remedy,
            code=code,
            cost=1.0,
        ),
        change=Reexport(at, change) if change and not one.within else None,
        line=line,
        explains=frozenset({f"export:{at}"}),
    )


def _arguments(facts: Facts, one: Export, code: str, strict: bool | None) -> ExportArguments | None:
    """What to pass to the export instead, if its shapes or its strictness are to be others."""
    call = None if one.span is None else facts.places.line_of(one.span)
    if strict is not None:
        return ExportArguments(call, strict=strict)
    if code and code == one.suggested:
        return ExportArguments(call, "suggested", code)
    return ExportArguments(call, "loosened", code) if code and code == one.loosened else None
