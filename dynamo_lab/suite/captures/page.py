"""The table of captures as one offline page, without scripts."""

from dynamo_lab.render.markup import Markup, join, tag
from dynamo_lab.suite.captures.table import CaptureTable
from dynamo_lab.suite.captures.text import ANNOUNCED, HEADS, LEGEND, cells, summary
from dynamo_lab.suite.page import STYLE


def page(table: CaptureTable) -> str:
    """The page: a row a family, the kinds of breaks, and what was not captured whole and why."""
    title = "How much is captured"
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width"),
        tag("title", f"{title} · dynamo_lab"),
        Markup(f"<style>{STYLE}</style>"),
    )
    body = join(
        tag("h1", title),
        tag("p", summary(table), class_="dim"),
        _grid(HEADS, [cells(row) for row in (*table.rows, table.total)]),
        tag("p", LEGEND, class_="dim"),
        tag("p", ANNOUNCED, class_="dim"),
        tag("h2", "Kinds of breaks"),
        _grid(
            ("kind", "programs", "times", "such as"),
            [(one.name, str(one.programs), str(one.times), one.example) for one in table.kinds],
        ),
        tag("h2", "Not captured whole"),
        _grid(
            ("program", "by", "", "why"),
            [(one.program, one.way, one.verdict, one.reason) for one in table.problems],
        ),
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def _grid(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> Markup:
    table = tag(
        "table",
        tag("thead", tag("tr", *(tag("th", head) for head in heads))),
        tag("tbody", *(tag("tr", *(tag("td", cell) for cell in row)) for row in rows)),
    )
    return tag("div", table, class_="wide")
