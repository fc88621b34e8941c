"""What is wrong, by what it costs: each finding with its evidence, remedy and foretold gain."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import (
    Page,
    grid,
    heading,
    indented,
    line,
    separated,
    text,
)
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.findings.finding import Finding
from dynamo_lab.view.findings.findings import FindingsView
from dynamo_lab.view.findings.words import names_its_line

_INDENT = 4


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """The findings, the costliest first, or the one line that says that there are none."""
    found = view.findings.found
    if not found:
        if view.findings.clean:
            yield line(("Findings  ", "bold"), (view.findings.clean, "green"), wrap=True)
        return
    yield heading("Findings", str(len(found) + view.findings.more))
    yield from separated(finding(item, page) for item in found)
    if view.findings.more:
        yield text(f"… {view.findings.more:,} more that come after these", "dim")


def finding(item: Finding, page: Page) -> Iterator[RenderableType]:
    """The sentence, and below it what it rests on and what to do."""
    is_problem = item.level == "problem"
    yield line(
        (f"{item.id + 1:>2}  ", "bold yellow" if is_problem else "dim"),
        (one_line(item.sentence), "bold" if is_problem else ""),
        wrap=True,
    )
    rows = list(_facts(item, page))
    if rows:
        yield indented(grid(("left", "wrap"), rows), _INDENT)


def _facts(item: Finding, page: Page) -> Iterator[tuple[Text, Text]]:
    """Label and text, for the two columns below the sentence."""
    if not names_its_line(item):
        yield text("at", "dim"), text(item.where)
    shown = item.evidence if page.everything else item.evidence[:2]
    for index, one in enumerate(shown):
        yield text("" if index else "seen", "dim"), text(one_line(one.text))
    if item.remedy:
        yield text("do", "bold green"), text(item.remedy)
    if item.code:
        yield text("write", "dim"), text(item.code)
    if item.code_place:
        yield text("", "dim"), text(item.code_place)
    if item.grade_text:
        yield text("grade", "dim"), text(item.grade_text)
    if item.gain_text:
        yield text("gain", "dim"), text(f"foretold: {item.gain_text}")
    is_export = item.question == "export"
    if item.can_apply and (page.can_export if is_export else page.can_try):
        yield text("try", "dim"), text(f"rec.findings[{item.id}].apply()", "dim")


def brief(label: str, found: FindingsView) -> Iterator[RenderableType]:
    """The sentences of one of several recordings, or its line that says that there are none."""
    if found.clean:
        yield line((f"{label}: ", "bold"), (found.clean, "green"), wrap=True)
    for item in found.found:
        yield line((f"{label}: ", "bold"), (one_line(item.sentence), ""), wrap=True)
