"""The atlas as HTML without scripts."""

from collections.abc import Sequence

from dynamo_lab.model.decompositions import Entry, Level, Overload
from dynamo_lab.render.markup import Markup, join, tag
from dynamo_lab.render.terminal.decompositions.atlas import LOWERINGS, natives_text, rule_text
from dynamo_lab.view.decompositions.natives import (
    LOWERED,
    OF_PROGRAM,
    SOURCE,
    CensusView,
    ProgramCensusView,
)
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


def census_html(view: CensusView | ProgramCensusView) -> str:
    """Where the kernels are for a device, or those that a program needs, for a notebook."""
    return _root(_census_of(view))


def census_page(view: CensusView | ProgramCensusView) -> str:
    """The same as a complete page."""
    return _page(view.title, _root(join(tag("h1", view.title), _census_of(view))))


def page(levels: Sequence[Level], entries: Sequence[Entry]) -> str:
    """A complete page: the funnel, and every ATen operator."""
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
                "whether Inductor generates code for it or calls an extern kernel.",
            ),
            tag("table", tag("tr", *(tag("th", head) for head in heads)), *rows),
        )
    )
    return _page("The operators of PyTorch", body)


def _page(title: str, body: Markup) -> str:
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("title", f"{title} · dynamo_lab"),
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def _root(content: Markup) -> Markup:
    return tag("div", Markup(f"<style>{_STYLE}</style>"), content, class_="dynamo-lab-atlas")


def _census_of(view: CensusView | ProgramCensusView) -> Markup:
    return _census(view) if isinstance(view, CensusView) else _program_census(view)


def _census(view: CensusView) -> Markup:
    rows = [(row.operators, row.functions, row.place) for row in view.rows]
    return join(
        _places(("operators", "functions", ""), rows),
        tag("p", tag("small", SOURCE)),
        _names("Operators with a kernel on the CPU only", view.without),
        tag("p", tag("small", f"{view.note} {LOWERED}")) if view.without else "",
        _names("Such variants of operators with a kernel", view.partly),
    )


def _program_census(view: ProgramCensusView) -> Markup:
    rows = [(row.called, row.compiled, row.place) for row in view.rows]
    return join(
        _places(("called", "compiled", ""), rows),
        tag("p", tag("small", f"{OF_PROGRAM} {SOURCE}")),
        *(_names(title, names) for title, names in view.lacking),
        tag("p", tag("small", view.note)) if view.note else "",
    )


def _places(heads: Sequence[str], rows: Sequence[tuple[int, int, str]]) -> Markup:
    told = (
        tag(
            "tr",
            tag("td", f"{first:,}", class_="n"),
            tag("td", f"{second:,}", class_="n"),
            tag("td", place),
        )
        for first, second, place in rows
    )
    return tag("table", tag("tr", *(tag("th", head) for head in heads)), *told)


def _names(title: str, names: Sequence[str]) -> Markup:
    if not names:
        return Markup("")
    told = join(*(join(tag("code", name), " ") for name in names))
    return join(tag("h2", f"{title} ({len(names)})"), tag("p", told))


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
    rows.append(tag("tr", tag("td", "lowering"), tag("td", LOWERINGS[overload.lowering])))
    if overload.natives:
        rows.append(tag("tr", tag("td", "kernels"), tag("td", natives_text(overload))))
    return join(
        tag("p", tag("b", overload.name), " ", tag("small", ", ".join(overload.tags))),
        tag("p", tag("code", overload.schema)),
        tag("table", *rows),
    )
