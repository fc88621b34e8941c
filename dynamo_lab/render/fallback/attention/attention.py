"""Calls of attention in the script-free HTML, each with a table of what runs where."""

from collections.abc import Iterable, Iterator

from dynamo_lab.render.markup import Markup, details, join, prose, table, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view import View
from dynamo_lab.view.attention.attention import AttentionView
from dynamo_lab.view.attention.choices import ChoiceView
from dynamo_lab.view.attention.trial import TrialView


def blocks(view: View) -> Iterator[Markup]:
    """A block for each call."""
    return map(_call, view.attentions)


def _call(call: AttentionView) -> Markup:
    where = " · ".join(filter(None, (call.where, shortened(call.module, 120))))
    facts = ", ".join(f"{label} {value}" for label, value in call.facts)
    sentences = [tag("p", prose(text)) for text in (call.origin, call.became) if text]
    return join(
        tag("p", tag("b", shortened(where, 200)), " ", tag("code", shortened(call.code, 200))),
        *sentences,
        *([tag("p", tag("small", shortened(facts, 600)))] if facts else []),
        *([choices(call.choices)] if call.choices else []),
    )


def choices(of: Iterable[ChoiceView]) -> Markup:
    """What runs on each target, and, to unfold, why not each of the others."""
    rows = [(choice.target, choice.sentence, choice.operator) for choice in of]
    reasons = [
        (choice.target, verdict.name, verdict.told.replace("`", ""), verdict.check)
        for choice in of
        for verdict in choice.verdicts
        if verdict.state != "runs"
    ]
    return join(
        table(("target", "kernel", "operator"), rows),
        details("why not another", table(("target", "kernel", "", "PyTorch's check"), reasons)),
    )


def trial_html(view: TrialView) -> Markup:
    """A call that was tried."""
    times = [(row.name, row.time, row.told) for row in view.times]
    return join(
        tag("p", shortened(", ".join(f"{label} {value}" for label, value in view.facts), 600)),
        choices(view.choices),
        tag("p", view.chosen),
        *([table(("in PyTorch's words", ""), view.reasons)] if view.reasons else []),
        *([table(("timed here", "", ""), times)] if times else []),
    )
