"""Passes: in brief what each phase did; in full each rewrite as a diff, with its matches."""

import textwrap
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.pass_text import Row, costs, row, skipped, title
from dynamo_lab.render.terminal.core.parts import Page, heading, indented, line, listing, more, text
from dynamo_lab.render.text import one_line, visible
from dynamo_lab.view import View
from dynamo_lab.view.core.words import listed, plural, seconds
from dynamo_lab.view.passes.diffs import Hunk
from dynamo_lab.view.passes.passes import PassView, PipelineView, changes_text

_STYLES = {"+": "green", "-": "red", " ": "dim"}
_BRIEF = 12
_MARGIN = 4  # columns by which a diff is indented, on either side
_VALUE = 30  # columns for a node's value
_LEAST_CODE = 24
_MATCHES = 12  # a pass may find the same match a hundred times


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """What each phase did, by name; if requested, each rewrite in full."""
    passes = view.passes
    if not passes.pipelines:
        return
    did = sum(pipeline.did for pipeline in passes.pipelines)
    ran = sum(pipeline.ran for pipeline in passes.pipelines)
    between = sum(pipeline.between for pipeline in passes.pipelines)
    failed = sum(pipeline.failed for pipeline in passes.pipelines)
    told = f"{plural(ran, 'pass', 'passes')} ran, {changes_text(did, between, failed)}"
    yield heading("Passes", told)
    for index, pipeline in enumerate(passes.pipelines):
        if index:
            yield Text()
        yield from _pipeline(view, pipeline, page)
    if page.everything:
        yield from _patterns(view)
    else:
        yield Text()
        yield line(("dynamo-lab show --section passes", "dim italic"), (" prints diffs", "dim"))


def _pipeline(view: View, pipeline: PipelineView, page: Page) -> Iterator[RenderableType]:
    facts = f"  {pipeline.summary}, {seconds(pipeline.seconds)}"
    yield line((pipeline.title, "bold"), (facts, "dim"))
    passes = view.passes.passes[pipeline.first : pipeline.end]
    active = [item for item in passes if item.did or item.own]
    idle = [item for item in passes if not (item.did or item.own)]
    if page.everything:
        yield indented(Text(visible(pipeline.sentence), style="dim"))
        for item in active:
            yield Text()
            yield indented(_head(item))
            yield from (indented(part, 4) for part in _in_full(item, view, page))
        if active:
            yield Text()
    else:
        rows = [_row(item) for item in active[:_BRIEF]]
        columns = ("left", "right", "wrap")
        yield from (indented(part) for part in listing(columns, rows, page.width - 2))
        if len(active) > _BRIEF:
            yield indented(more(len(active) - _BRIEF, "rows", "--section passes"))
    if idle:
        yield indented(_nothing(idle, page))
    if pipeline.error:
        yield indented(text(f"ended by {one_line(pipeline.error)}", "red"))


def _nothing(idle: Sequence[PassView], page: Page) -> Text:
    """The passes that found nothing to do, by name."""
    names = listed([one_line(item.title) for item in idle], 99 if page.everything else 3)
    return line((f"nothing to do: {names}", "dim"), wrap=page.everything)


def _row(item: PassView) -> tuple[Text, ...]:
    style = "bold red" if item.state == "failed" else "bold" if item.kind == "pass" else ""
    return (
        text(title(item), style),
        text(seconds(item.seconds) if item.kind != "between" else "", "dim"),
        text(one_line(_in_brief(item)), "red" if item.state == "failed" else ""),
    )


def _in_brief(item: PassView) -> str:
    """What it did, and what that won first of all."""
    return "; ".join([item.summary, *(cost.text for cost in item.costs[:1])])


def _head(item: PassView) -> Text:
    place = f"  {one_line(item.place)}" if item.place else ""
    time = f"  {seconds(item.seconds)}" if item.kind != "between" else ""
    style = "bold red" if item.state == "failed" else "bold"
    return line((title(item), style), (f"  {one_line(item.summary)}{time}{place}", "dim"))


def _in_full(item: PassView, view: View, page: Page) -> Iterator[RenderableType]:
    if item.sentence:
        yield Text(visible(item.sentence.replace("`", "")), style="italic")
    if item.costs:
        yield Text(visible(costs(item)))
    for match in item.matches[:_MATCHES]:
        pattern = view.passes.patterns[match.pattern]
        place = f"  {one_line(pattern.place)}" if pattern.place else ""
        yield line(
            ("match ", "cyan"),
            (one_line(pattern.name), "bold cyan"),
            (f"  {one_line(match.summary)}{place}", "dim"),
        )
    if len(item.matches) > _MATCHES:
        yield text(f"… {len(item.matches) - _MATCHES:,} more matches", "dim")
    for hunk in item.hunks:
        yield from _hunk(hunk, page)
    for sentence in item.alone:
        yield text(sentence.replace("`", ""), "dim")


def _patterns(view: View) -> Iterator[RenderableType]:
    """The patterns that matched: the code that is searched for, and its replacement."""
    used = dict.fromkeys(m.pattern for item in view.passes.passes for m in item.matches)
    for pattern in (view.passes.patterns[index] for index in used):
        yield Text()
        place = f"  {one_line(pattern.place)}" if pattern.place else ""
        yield line(("pattern ", "cyan"), (one_line(pattern.name), "bold cyan"), (place, "dim"))
        yield indented(Text(visible(pattern.sentence.replace("`", "")), style="italic"))
        for code in (pattern.expression, pattern.source, pattern.replacement):
            if code:
                yield Text()
                yield indented(Text(visible(code), style="dim", overflow="fold"), _MARGIN)


def _hunk(hunk: Hunk, page: Page) -> Iterator[RenderableType]:
    if mark := skipped(hunk):
        yield text(mark, "dim")
    rows = [row(item) for item in hunk.lines]
    room = max(_LEAST_CODE, page.width - 2 * _MARGIN - min(_VALUE, max(map(_aside_width, rows))))
    width = min(room, max((cell_len(r.code) for r in rows), default=0))
    for shown in rows:
        yield from _line(shown, width)


def _aside(shown: Row) -> str:
    return "  ".join(part for part in (shown.value, shown.note) if part)


def _aside_width(shown: Row) -> int:
    return cell_len(_aside(shown))


def _line(shown: Row, width: int) -> Iterator[Text]:
    """A node with its value in a separate column; long code continues below."""
    style = _STYLES[shown.sign]
    first, *rest = textwrap.wrap(
        shown.code, width, subsequent_indent="    ", break_on_hyphens=False
    ) or [""]
    made = Text(f"{shown.sign} {first}", style=style, no_wrap=True, overflow="ellipsis")
    made.append(" " * (width - cell_len(first)))
    made.append(f"  {_aside(shown)}", style="dim")
    made.rstrip()
    yield made
    yield from (Text(f"{shown.sign} {part}", style=style, no_wrap=True) for part in rest)
