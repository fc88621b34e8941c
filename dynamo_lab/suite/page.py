"""The table of a run as one offline page, without scripts."""

from dynamo_lab.render.markup import Markup, join, tag
from dynamo_lab.suite.summary import (
    FACTS,
    LEGEND,
    announced,
    facts,
    of_optimizers,
    of_ranks,
    overall,
    shown,
    speed_word,
)
from dynamo_lab.suite.table import Cell, Table
from dynamo_lab.view.core.words import plural, seconds, size

STYLE = """\
:root{color-scheme:light dark}
body{font:14px/1.5 system-ui,sans-serif;max-width:1200px;margin:24px auto;padding:0 16px}
table{border-collapse:collapse;margin:12px 0}
:is(td,th){padding:3px 18px 3px 0;text-align:left;font-weight:400;vertical-align:top}
tr>th{color:#888}
tbody tr{border-top:1px solid rgba(127,127,127,.2)}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.number{display:inline-block;width:3.4em;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}
.bar{display:inline-block;height:9px;border-radius:2px;background:#2a9fd6}
.slower{background:#c08a00}.alike{background:rgba(127,127,127,.5)}
.bad{color:#d9534f}small,.dim{color:#888}
"""
_BAR = 40  # pixels of a bar for a speed-up of one
_LONGEST = 4.0


def page(table: Table) -> str:
    """The page: a summary of the run, a row per model, and what went wrong."""
    title = "What torch.compile does for a list of models"
    body = join(
        tag("h1", title),
        *(tag("p", machine, class_="dim") for machine in table.machines),
        tag("p", f"{plural(len(table.rows), 'model')}, {' and '.join(table.sizes)} size. A "
            "speed-up counts only where the compiled model computed what eager PyTorch does; times "
            "were taken in turns, with the device alone."),
        _facts(table),
        tag("p", LEGEND, class_="dim"),
        tag("p", " ".join(filter(None, (announced(), overall(table)))), class_="dim"),
        tag("p", of_optimizers(table), class_="dim"),
        tag("p", of_ranks(table), class_="dim"),
        tag("h2", "Every model"),
        tag("p", "How many times as fast as eager the compiled model is; grey where they are not "
            "distinguishable. Rest the pointer on one for its compile time, breaks and "
            "memory.", class_="dim"),
        _rows(table),
        _problems(table),
    )  # fmt: skip
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width"),
        tag("title", f"{title} · dynamo_lab"),
        Markup(f"<style>{STYLE}</style>"),
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def _facts(table: Table) -> Markup:
    heads = tag("tr", tag("th"), *(tag("th", head, class_="n") for head in FACTS[1:]))
    rows = [
        tag("tr", tag("td", name), *(tag("td", value, class_="n") for value in values))
        for name, *values in facts(table.columns)
    ]
    return _table(heads, rows)


def _rows(table: Table) -> Markup:
    heads = tag("tr", tag("th", "model"), tag("th", "from"),
                *(tag("th", column.title) for column in table.columns))  # fmt: skip
    rows = [
        tag("tr", tag("td", row.model), tag("td", row.family, class_="dim"), *map(_cell, row.cells))
        for row in table.rows
    ]
    return _table(heads, rows)


def _table(heads: Markup, rows: list[Markup]) -> Markup:
    return tag("div", tag("table", tag("thead", heads), tag("tbody", *rows)), class_="wide")


def _cell(cell: Cell | None) -> Markup:
    if cell is None:
        return tag("td")
    if cell.speed is None:
        return tag("td", cell.result.verdict, class_="bad", title=cell.result.reason)
    kind = "alike" if not cell.speed.differs else "slower" if cell.speed.value < 1 else ""
    width = max(2, round(_BAR * min(cell.speed.value, _LONGEST)))
    bar = tag("span", class_=f"bar {kind}".strip(), style=f"width:{width}px")
    number = tag("span", shown(cell.speed), class_="number")
    return tag("td", number, bar, title=_hover(cell))


def _hover(cell: Cell) -> str:
    result = cell.result
    parts = [
        speed_word(cell.speed) if cell.speed else "",
        "" if result.compile_seconds is None else f"compiles in {seconds(result.compile_seconds)}",
        "" if result.graphs is None else plural(result.graphs, "graph"),
        "" if result.breaks is None else plural(result.breaks, "break"),
        "" if result.kernels is None else plural(result.kernels, "kernel"),
        f"peak {size(result.eager_peak)} eager, {size(result.compiled_peak)} compiled"
        if result.eager_peak and result.compiled_peak else "",
    ]  # fmt: skip
    return "; ".join(filter(None, parts))


def _problems(table: Table) -> Markup:
    found = [
        cell.result for row in table.rows for cell in row.cells
        if cell is not None and cell.result.verdict != "pass"
    ]  # fmt: skip
    if not found:
        return Markup("")
    rows = [
        tag(
            "tr",
            tag("td", str(one.case)),
            tag("td", one.verdict, class_="bad"),
            tag("td", one.reason),
        )
        for one in found
    ]
    heads = tag("tr", tag("th", "case"), tag("th", "verdict"), tag("th", "why"))
    return join(tag("h2", "What did not work"), _table(heads, rows))
