"""Passes in the script-free HTML: what each phase did, and each rewrite as a collapsed diff."""

from collections.abc import Iterator
from functools import partial

from rich.cells import cell_len

from dynamo_lab.render.colours import coloured
from dynamo_lab.render.markup import Block, Markup, join, tag
from dynamo_lab.render.pass_text import costs, row, skipped, title
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural, seconds
from dynamo_lab.view.passes.diffs import Hunk
from dynamo_lab.view.passes.passes import PassView

_LINES = 60
_CODE = 88
_TONES = {"+": "good", "-": "bad"}


def blocks(view: View) -> Iterator[Block]:
    """Each phase, and below it the passes that changed something."""
    for pipeline in view.passes.pipelines:
        facts = f" · {pipeline.summary} · {seconds(pipeline.seconds)}"
        yield tag("p", tag("b", shortened(pipeline.title, 200)), facts)
        for item in view.passes.passes[pipeline.first : pipeline.end]:
            if item.did or item.own:
                yield partial(_pass, item, view)


def _pass(item: PassView, view: View) -> Markup:
    head = f"{shortened(title(item), 120)}: {shortened(item.summary, 300)}"
    matched = dict.fromkeys(view.passes.patterns[match.pattern].name for match in item.matches)
    found = f"Found: {', '.join(shortened(name, 80) for name in list(matched)[:8])}"
    said = shortened(item.sentence.replace("`", ""), 400)
    parts = [said, costs(item), found if matched else ""]
    rows = [line for hunk in item.hunks for line in _hunk(hunk)]
    if len(rows) > _LINES:
        rows[_LINES:] = [Markup(f"… {plural(len(rows) - _LINES, 'more line', 'more lines')}\n")]
    body = [tag("p", part) for part in parts if part]
    diff = [tag("pre", *rows, style="overflow-x:auto")] if rows else []
    if not diff:
        return join(tag("p", head), *body)
    return tag("details", tag("summary", head), *body, *diff)


def _hunk(hunk: Hunk) -> Iterator[Markup]:
    if mark := skipped(hunk):
        yield join(shortened(mark, 120), "\n")
    for source in hunk.lines:
        shown = row(source)
        code = clipped(shown.code, _CODE)
        aside = f"{' ' * max(0, _CODE - cell_len(code))}  {clipped(shown.value, 60)}".rstrip()
        line = f"{shown.sign} {code}{aside if shown.value else ''}"
        yield join(tag("span", line, **coloured(_TONES.get(shown.sign, ""))), "\n")
