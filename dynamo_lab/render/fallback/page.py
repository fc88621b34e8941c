"""Script-free HTML: what a saved notebook shows on GitHub, in nbviewer, or without its kernel.

It must be readable where `<style>` and even `style` attributes are stripped, so the meaning is in
the text and the elements; colours only help. What a reader needs first takes two screens at most:
the sentence, the map, the findings and the breaks. Everything else is folded.
"""

import re
from collections.abc import Iterable, Iterator

from dynamo_lab.render import colours
from dynamo_lab.render.colours import coloured
from dynamo_lab.render.fallback import findings, parts
from dynamo_lab.render.fallback.tiny import tiny
from dynamo_lab.render.markup import Block, Markup, details, join, made, prose, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view import View

Section = tuple[str, Iterable[Block]]
"""A title, and blocks that may be cut one by one."""

LIMIT = 200_000
_RESERVE = 3_000  # for the end of the page, and for notes on what was cut
_STYLE = """\
.dynamo-lab-static{font:14px/1.45 system-ui,sans-serif;max-width:1000px}
.dynamo-lab-static pre{font:12.5px/1.5 ui-monospace,monospace;padding:8px 10px;overflow-x:auto;\
background:rgba(127,127,127,.1);border-radius:4px}
.dynamo-lab-static :is(p,ol,ul){margin:.5em 0}
.dynamo-lab-static h4{margin:.8em 0 .2em}
.dynamo-lab-static details>:not(summary){margin-left:1.2em}
.dynamo-lab-static summary{cursor:pointer}
.dynamo-lab-static table :is(td,th){text-align:left;padding-right:14px}
"""


def fallback(view: View, uid: str | None = None, limit: int = LIMIT, says: str = "") -> str:
    """The view as HTML of at most `limit` bytes, with notes where it was cut.

    `says` is a sentence at its end. `uid` names the widget that may follow in the next output:
    where that widget cannot run, a CSS rule hides it.
    """
    sections = [*parts.sections(view), ("Environment", _environment(view))]
    return composed(_summary(view), sections, uid, limit, parts.opened(view), says)


def composed(
    head: Markup,
    sections: Iterable[Section],
    uid: str | None,
    limit: int,
    opened: Iterable[Section] = (),
    says: str = "",
) -> str:
    """A head that is always shown, sections to see at once, and folded ones, as far as they fit."""
    budget = _Budget(limit - _RESERVE - len(_style(uid)))
    blocks = [budget.always(head)]
    # Each section may take most of what is left, and so leaves some for the next.
    for title, content in opened:
        if shown := _section(content, budget.share(0.6)):
            blocks.append(tag("div", tag("h4", title), shown))
    for title, content in sections:
        if shown := _section(content, budget.share(0.6)):
            blocks.append(details(title, shown))
    if says:
        blocks.append(tag("p", tag("small", prose(says))))
    return _root(join(*blocks), uid)


def waiting(uid: str) -> str:
    """The placeholder for `fallback` while the program still compiles."""
    return _root(tag("p", "Compiling. The recording appears here when it is done."), uid)


def _root(content: Markup, uid: str | None) -> str:
    style = Markup(f"<style>{_style(uid)}</style>")
    name = _safe_uid(uid)
    body = join(style, content)
    return f'<div class="dynamo-lab-static" data-dynamo-lab-static="{name}">{body}</div>'


def _style(uid: str | None) -> str:
    style = f"{_STYLE}{colours.STYLE}"
    if not uid:
        return style
    after = f'.jp-OutputArea-child:has([data-dynamo-lab-static="{_safe_uid(uid)}"])'
    dead = ".jp-OutputArea-child:not(:has(.dynamo-lab-live))"
    return f"{style}{after} + {dead} {{ display: none }}\n"


def _safe_uid(uid: str | None) -> str:
    return re.sub(r"[^\w-]", "", uid or "", flags=re.ASCII)


class _Budget:
    """Counts bytes, and rejects what no longer fits."""

    def __init__(self, limit: int, whole: "_Budget | None" = None) -> None:
        self._left = limit
        self._whole = whole

    def share(self, part: float) -> "_Budget":
        """A budget within this one."""
        return _Budget(int(self._left * part), self)

    def always(self, block: Markup) -> Markup:
        """Count a block that is always shown."""
        self._spend(len(block.encode()))
        return block

    def fits(self, block: Markup) -> bool:
        """Count the block if there is room for it."""
        size = len(block.encode())
        if size > self._left:
            return False
        self._spend(size)
        return True

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._whole is not None:
            self._whole._spend(size)


def _section(blocks: Iterable[Block], budget: _Budget) -> Markup:
    """The blocks that fit, and the number of those that do not."""
    shown: list[Markup] = []
    cut = 0
    for block in blocks:
        if not cut and budget.fits(html := made(block)):
            shown.append(html)
        else:
            cut += 1
    if cut:
        shown.append(
            tag(
                "p",
                tag(
                    "i",
                    f"{cut:,} more cut here to keep this output small: run the cell to see all.",
                ),
            )
        )
    return join(*shown)


def _summary(view: View) -> Markup:
    summary = view.summary
    counts = [
        join(" · ", tag("b", item.value, **coloured(item.tone)), f" {item.label}")
        for item in summary.counts
    ]
    title = tag("b", shortened(summary.title, 120))
    head = tag("p", title, *counts)
    sentence = tag("p", prose(shortened(summary.sentence, 1500)))
    target = [tag("p", tag("b", summary.target))] if summary.target else []
    failure = "" if summary.is_failure_told else shortened(summary.failure, 600)
    news = [tag("p", tag("b", failure, **coloured("bad")))] if failure else []
    if summary.failure_text:
        label = tag("summary", tag("small", "the whole message"))
        news.append(tag("details", label, tag("pre", clipped(summary.failure_text, 2_000))))
    told = (*news, *tiny.answers(view), *findings.blocks(view.findings))
    return join(head, sentence, *target, *told)


def _environment(view: View) -> Iterator[Markup]:
    shown = [f"{shortened(k, 40)} {shortened(v, 80)}" for k, v in view.environment[:8]]
    if shown:
        yield tag("p", tag("small", " · ".join(shown), style="opacity:.7"))
