"""What is wrong, on top of the script-free HTML: each finding with what to do."""

from collections.abc import Iterator

from dynamo_lab.render.markup import Markup, details, join, pre, prose, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view.findings.finding import Finding
from dynamo_lab.view.findings.findings import FindingsView
from dynamo_lab.view.findings.words import names_its_line


def blocks(view: FindingsView) -> Iterator[Markup]:
    """A list of the findings, the costliest first, or the line that says that there are none."""
    if view.clean:
        yield tag("p", tag("b", "Findings"), f" · {view.clean}")
    if not view.found:
        return
    yield tag("p", tag("b", f"Findings ({len(view.found) + view.more:,})"))
    first, *rest = view.found
    folded = (tag("li", _finding(item)) for item in rest)
    yield tag("ol", tag("li", _finding(first, is_open=True)), *folded)
    if view.more:
        yield tag("p", tag("small", f"{view.more:,} more that come after these."))


def labelled(label: str, view: FindingsView) -> Markup:
    """What was found in one of several recordings."""
    sentences = [item.sentence for item in view.found] or ([view.clean] if view.clean else [])
    rows = [tag("li", prose(shortened(sentence, 600))) for sentence in sentences]
    if not rows:
        return Markup("")
    return join(tag("p", tag("b", f"Findings, {label}")), tag("ul", *rows))


def _finding(item: Finding, *, is_open: bool = False) -> Markup:
    """The sentence; what to do is folded except for the first, as in the live view."""
    sentence = prose(shortened(item.sentence, 600))
    remedy = [tag("p", prose(shortened(item.remedy, 600)))] if item.remedy else []
    code = [pre(clipped(item.code, 1_500))] if item.code else []
    code += [tag("p", prose(item.code_place))] if item.code_place else []
    said = tag("b", sentence) if item.level == "problem" else sentence
    more = [*remedy, *code, *_aside(item)]
    return details(said, *more, is_open=is_open) if more else said


def _aside(item: Finding) -> Iterator[Markup]:
    """Line, grade and gain in a row, and the evidence to unfold."""
    where = "" if names_its_line(item) else item.where
    gain = f"foretold: {item.gain_text}" if item.gain_text else ""
    facts = [shortened(fact, 300) for fact in (where, item.grade_text, gain) if fact]
    if facts:
        yield tag("p", tag("small", " · ".join(facts)))
    if item.evidence:
        rows = [tag("li", prose(shortened(one.text, 400))) for one in item.evidence[:8]]
        yield details("evidence", tag("ul", *rows))
