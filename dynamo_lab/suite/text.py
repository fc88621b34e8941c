"""The table of a run, and of two runs compared, for a terminal."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import grid, heading, line, plain, text
from dynamo_lab.render.text import shortened, visible
from dynamo_lab.suite.compare import Comparison
from dynamo_lab.suite.results import Result
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
from dynamo_lab.view.core.words import plural


def table_text(table: Table, width: int = 100) -> str:
    """The run: what it comes to, a row a model, and what went wrong."""
    return plain(_table(table), width)


def comparison_text(comparison: Comparison, width: int = 100) -> str:
    """What changed from one run to the other."""
    return plain(_comparison(comparison), width)


def result_line(result: Result, number: int, total: int) -> str:
    """A result in a line, as it comes."""
    cell = Cell.of(result)
    found = speed_word(cell.speed) if cell.speed else f"{result.verdict}: {result.reason}"
    spent = f"{result.seconds:.0f} s"
    return visible(f"[{number}/{total}] {result.case}: {shortened(found, 160)} ({spent})")


def _table(table: Table) -> Iterator[RenderableType]:
    yield heading("Suite", f"{plural(len(table.rows), 'model')}, {' and '.join(table.sizes)} size")
    for machine in table.machines:
        yield text(machine, "dim")
    rows = [[text(value) for value in row] for row in facts(table.columns)]
    yield grid(["left", *["right"] * (len(FACTS) - 1)], [_dim(FACTS), *rows])
    for sentence in (LEGEND, announced(), overall(table), of_optimizers(table), of_ranks(table)):
        if sentence:
            yield text(sentence, "dim")
    yield Text()
    body = [[text(row.model), *map(_cell, row.cells)] for row in table.rows]
    heads = ["model", *(column.title for column in table.columns)]
    yield grid(["left", *["right"] * len(table.columns)], [_dim(heads), *body])
    yield from _problems(table)


def _cell(cell: Cell | None) -> Text:
    if cell is None:
        return text("")
    if cell.speed is None:
        return text(cell.result.verdict, "red")
    tone = "" if not cell.speed.differs else "green" if cell.speed.value > 1 else "yellow"
    return text(f"{shown(cell.speed)}{'' if cell.speed.differs else ' ='}", tone)


def _problems(table: Table) -> Iterator[RenderableType]:
    found = [
        cell.result
        for row in table.rows
        for cell in row.cells
        if cell is not None and cell.result.verdict != "pass"
    ]
    if found or table.damaged:
        yield Text()
    for one in found:
        yield line(
            (f"{one.case} ", "bold"),
            (f"{one.verdict}: ", "red"),
            (shortened(one.reason, 400), "dim"),
            wrap=True,
        )
    if table.damaged:
        yield text(f"{plural(table.damaged, 'damaged line')} of the file left out.", "yellow")


def _comparison(comparison: Comparison) -> Iterator[RenderableType]:
    yield heading("Suite, before and after", f"{plural(comparison.cases, 'case')} in both")
    for label, machines in (("before", comparison.before), ("after", comparison.after)):
        for machine in machines:
            yield line((f"{label}  ", "bold"), (machine, "dim"))
    for title, rows in comparison.sections:
        yield Text()
        yield text(f"{title}: {len(rows)}", "bold")
        yield grid(
            ("left", "wrap"), [(text(f"  {case}"), text(description)) for case, description in rows]
        )


def _dim(heads: Sequence[str]) -> list[Text]:
    return [text(head, "dim") for head in heads]
