"""Attention: each call, what it became, and the kernel that it is on each target."""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import (
    Page,
    grid,
    heading,
    indented,
    line,
    listing,
    more,
    plain,
    text,
)
from dynamo_lab.render.text import one_line, shortened
from dynamo_lab.view import View
from dynamo_lab.view.attention.attention import AttentionView
from dynamo_lab.view.attention.choices import ChoiceView, KernelChoiceView
from dynamo_lab.view.attention.trial import TrialView
from dynamo_lab.view.core.words import plural

_BRIEF = 4
_STYLES = {"runs": "green", "could": "dim", "refused": "yellow", "unknown": "magenta"}
_SIGNS = {"runs": "runs", "could": "later", "refused": "no", "unknown": "?"}


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """Each call in brief; in full with every kernel, and what to change where one is refused."""
    if not view.attentions:
        if page.everything:
            yield heading("Attention", "none")
            yield text("No call of scaled_dot_product_attention was compiled.")
        return
    yield heading("Attention", plural(len(view.attentions), "call"))
    shown = view.attentions if page.everything else view.attentions[:_BRIEF]
    for number, call in enumerate(shown):
        if number and page.everything:
            yield Text()
        yield from _call(call, page)
    if left := len(view.attentions) - len(shown):
        yield more(left, "calls", "dynamo-lab show --section attention")


def _call(call: AttentionView, page: Page) -> Iterator[RenderableType]:
    module = f"  in {one_line(call.module)}" if call.module else ""
    yield line(
        (one_line(call.where) or "no line", "bold"),
        (f"  {shortened(one_line(call.code), 60)}", ""),
        (module, "dim"),
    )
    for sentence in (call.origin, call.became):
        if sentence:
            style = "yellow" if call.differs and sentence == call.became else ""
            yield indented(grid(("wrap",), [(text(sentence.replace("`", ""), style),)]))
    if page.everything and call.facts:
        rows = [(text(label, "dim"), text(value)) for label, value in call.facts]
        yield indented(grid(("left", "wrap"), rows))
    for item in choices(call.choices, page.width - 2, everything=page.everything):
        yield indented(item)


def choices(of: Sequence[ChoiceView], width: int, *, everything: bool) -> Iterator[RenderableType]:
    """A row for each target; below it why not each other kernel, in brief those tried before."""
    widest = max((len(choice.target) for choice in of), default=0)
    for choice in of:
        yield line((choice.target.ljust(widest + 2), "cyan"), (choice.sentence, ""), wrap=True)
        shown = choice.verdicts if everything else tuple(_tried_first(choice.verdicts))
        rows = [_row(verdict) for verdict in shown]
        if rows:
            yield from (
                indented(item) for item in listing(("left", "left", "wrap"), rows, width - 2)
            )
        if everything:
            for remedy in dict.fromkeys(verdict.remedy for verdict in shown if verdict.remedy):
                yield indented(
                    grid(("left", "wrap"), [(text("->", "dim"), text(_unquoted(remedy)))])
                )


def _tried_first(verdicts: Iterable[KernelChoiceView]) -> Iterator[KernelChoiceView]:
    """Those before the one that runs: what stood in the way of a faster kernel."""
    for verdict in verdicts:
        if verdict.state in ("runs", "could"):
            return
        yield verdict


def _row(verdict: KernelChoiceView) -> tuple[Text, ...]:
    told = "" if verdict.state in ("runs", "could") else _unquoted(verdict.told)
    style = _STYLES[verdict.state]
    return text(_SIGNS[verdict.state], style), text(verdict.name), text(told, "dim")


def _unquoted(sentence: str) -> str:
    return sentence.replace("`", "")


def trial_text(view: TrialView, width: int = 100) -> str:
    """A call that was tried, as text."""
    rows = [(text(label, "dim"), text(value)) for label, value in view.facts]
    items: list[RenderableType] = [grid(("left", "wrap"), rows), Text()]
    items += choices(view.choices, width, everything=True)
    items += [Text(), text(view.chosen, "yellow" if view.differs else "")]
    if view.reasons:
        told = [(text(name), text(reason, "dim")) for name, reason in view.reasons]
        items += [text("in PyTorch's words"), indented(grid(("left", "wrap"), told))]
    if view.times:
        times = [(text(row.name), text(row.time), text(row.told, "dim")) for row in view.times]
        items += [text("timed here"), indented(grid(("left", "right", "wrap"), times))]
    return plain(items, width)
