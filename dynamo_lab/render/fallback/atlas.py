"""The atlas as HTML without scripts."""

from collections.abc import Sequence

from dynamo_lab.model.decompositions import Entry, Level, Overload
from dynamo_lab.render.markup import Markup, join, tag
from dynamo_lab.render.terminal.decompositions.atlas import LOWERINGS, rule_text
from dynamo_lab.view.decompositions.trees import SETS

_STYLE = """\
.dynamo-lab-atlas{font:14px/1.5 system-ui,sans-serif;max-width:1000px}
.dynamo-lab-atlas{overflow-x:auto}
.dynamo-lab-atlas table{border-collapse:collapse}
.dynamo-lab-atlas table :is(td,th){padding:2px 14px 2px 0;text-align:left;font-weight:400}
.dynamo-lab-atlas table .n{text-align:right;font-variant-numeric:tabular-nums}
.dynamo-lab-atlas i{display:inline-block;height:9px;background:#2a9fd6;border-radius:2px}
"""
_BAR = 160  # pixels


def levels_html(levels: Sequence[Level]) -> str:
    """The funnel, for a notebook."""
    return _root(_levels(levels))


def operator_html(overloads: Sequence[Overload]) -> str:
    """One operator, for a notebook."""
    return _root(join(*map(_overload, overloads)))


def page(levels: Sequence[Level], entries: Sequence[Entry]) -> str:
    """A page of its own: the funnel, and every ATen operator."""
    heads = ("operator", "overloads", "core", "composite", "with a rule", "Inductor")
    rows = [_entry(entry) for entry in entries]
    body = _root(
        join(
            tag("h1", "The operators of PyTorch"),
            _levels(levels),
            tag("h2", "Every ATen operator"),
            tag(
                "p",
                "How many of its overloads are tagged core, are composite, or have a rule; "
                "whether Inductor writes code for it or calls an extern kernel.",
            ),
            tag("table", tag("tr", *(tag("th", head) for head in heads)), *rows),
        )
    )
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("title", "The operators of PyTorch · dynamo_lab"),
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def _root(content: Markup) -> Markup:
    return tag("div", Markup(f"<style>{_STYLE}</style>"), content, class_="dynamo-lab-atlas")


def _levels(levels: Sequence[Level]) -> Markup:
    heads = ("", "operators", "overloads", "", "PyTorch 2.0 said", "")
    most = max(level.overloads for level in levels)
    rows = [
        tag(
            "tr",
            tag("td", tag("b", level.title)),
            tag("td", f"{level.operators:,}", class_="n"),
            tag("td", f"{level.overloads:,}", class_="n"),
            tag("td", tag("i", style=f"width:{max(2, _BAR * level.overloads // most)}px")),
            tag("td", level.seed),
            tag("td", tag("small", level.text)),
        )
        for level in levels
    ]
    return tag("table", tag("tr", *(tag("th", head) for head in heads)), *rows)


def _entry(entry: Entry) -> Markup:
    counts = (entry.overloads, entry.core, entry.composite, entry.rules)
    cells = [tag("td", f"{count}" if count else "", class_="n") for count in counts]
    return tag("tr", tag("td", tag("code", entry.name)), *cells, tag("td", entry.inductor))


def _overload(overload: Overload) -> Markup:
    rows = [
        tag("tr", tag("td", SETS[to]), tag("td", rule_text(to, rule, overload).plain))
        for to, rule in overload.rules.items()
    ]
    lowering = tag("tr", tag("td", "lowering"), tag("td", LOWERINGS[overload.lowering]))
    return join(
        tag("p", tag("b", overload.name), " ", tag("small", ", ".join(overload.tags))),
        tag("p", tag("code", overload.schema)),
        tag("table", *rows, lowering),
    )
