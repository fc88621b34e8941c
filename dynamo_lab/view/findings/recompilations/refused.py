"""Calls that a stance or a setting refused, left to Python, or let run code for other values."""

from collections.abc import Iterator

from dynamo_lab.model.guards.guards import Refusal
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.words import as_clause
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.guards import refusals


def find(facts: Facts) -> Iterator[Found]:
    """Each of them; that a stance runs everything eagerly is what it is for."""
    names = frame_names(facts.recording)
    views = refusals.build(facts.recording, facts.places)
    for item, told in zip(facts.recording.refusals, views, strict=True):
        if not refusals.is_forced(item):
            yield _found(item, told, names[item.frame], facts)


def _found(item: Refusal, told: refusals.RefusalView, name: str, facts: Facts) -> Found:
    why = as_clause(told.reasons[0]).rstrip(".")
    first = told.remedies[0]
    finding = Finding(
        rule="refused-call",
        question="numbers" if item.effect == "unchecked" else "recompilations",
        level="note" if item.effect == "eager" else "problem",
        sentence=f"{refusals.title(item, f'`{name}`')} under `{item.by}`: {why}.",
        where=told.where,
        entity=told.entity,
        evidence=(Evidence(text=told.text, tab="guards", entity=f"frame:{item.frame}"),),
        grade="fill in",
        remedy=first.text,
        code=first.code,
        cost=0.0 if item.effect == "eager" else 1.0,
    )
    line = None if item.called_at is None else facts.places.line_of(item.called_at)
    return Found(finding, line=line)
