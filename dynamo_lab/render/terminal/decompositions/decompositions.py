"""Decompositions: counts for each set, the operators of the run, and their trees."""

from collections.abc import Iterator
from itertools import islice

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import (
    Page,
    grid,
    heading,
    indented,
    line,
    more,
    plain,
    text,
)
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural, times
from dynamo_lab.view.decompositions.decompositions import (
    DecompositionsView,
    OperatorView,
    StayView,
    TopView,
)
from dynamo_lab.view.decompositions.trees import ENDS, KINDS, Line, RuleView, TreesView, walk

_BRIEF = 12
_LONGEST_TREE = 400  # lines
_DEEPEST = 24  # maximum indentation of a line in columns


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """Counts for each set and a row for each distinct call; in full, what each becomes."""
    found = view.decompositions
    if not found.tops:
        if page.everything:
            yield heading("Decompositions", "none")
            yield text(found.empty)
        return
    yield heading("Decompositions", plural(len(found.tops), "distinct operator call"))
    yield from _counts(found)
    yield Text()
    if page.everything:
        for top in found.tops:
            yield from _in_full(found, top, page)
    else:
        yield from _in_brief(found)
    yield from _staying(found, page)


def _counts(found: DecompositionsView) -> Iterator[RenderableType]:
    yield grid(
        ("left", "right", "left"),
        [
            (text(row.title), text(f"{row.operators:,}", "bold"), text(_kinds(row.kinds), "dim"))
            for row in found.counts
        ],
    )


def _kinds(count: int) -> str:
    return f"operators of {plural(count, 'kind')}"


def _in_brief(found: DecompositionsView) -> Iterator[RenderableType]:
    heads = ("operator", "calls", *(title for _, title in found.sets), "rule in this run")
    columns = ("left", *("right",) * (len(heads) - 2), "left")
    rows = [_row(found, item) for item in found.operators[:_BRIEF]]
    yield grid(columns, [tuple(text(head, "dim") for head in heads), *rows])
    left = len(found.operators) - _BRIEF
    if left > 0:
        yield more(left, "operators", "dynamo-lab show --section decompositions")


def _row(found: DecompositionsView, item: OperatorView) -> tuple[Text, ...]:
    rule = found.trees.rules[item.rule] if item.rule >= 0 else None
    fired = f"{rule.name}  {place(rule)}" if rule else ""
    return (
        text(one_line(item.operator), "bold"),
        text(f"{item.times:,}"),
        *(text(f"{n:,}", "" if n != item.times else "dim") for n in item.became),
        text(one_line(fired), "dim"),
    )


def place(rule: RuleView) -> str:
    """The source location of a rule, in brief: "_refs/__init__.py:3430"."""
    return "/".join(rule.where.split("/")[-2:]) if rule.kind != KINDS["composite"] else "in C++"


def _in_full(found: DecompositionsView, top: TopView, page: Page) -> Iterator[RenderableType]:
    where = f"  {top.where}" if top.where else ""
    called = f"  {times(top.times)}" if top.times > 1 else ""
    words = [word for word, _ in found.sets]
    yield from tree(found.trees, top.call, words.index(page.to), f"{called}{where}")


def tree_text(trees: TreesView, call: int, to: int, width: int = 100) -> str:
    """One tree as plain text."""
    return plain(tree(trees, call, to), width)


def tree(trees: TreesView, call: int, to: int, aside: str = "") -> Iterator[RenderableType]:
    """What a call becomes in a set, one operator per line, each below the call it is part of."""
    lines = list(islice(walk(trees, call, to), _LONGEST_TREE + 1))
    for item in lines[:_LONGEST_TREE]:
        yield _tree_line(item, "" if item.depth else aside)
    if len(lines) > _LONGEST_TREE:
        yield text(f"… this tree has more than {_LONGEST_TREE} lines", "dim")


def _tree_line(item: Line, aside: str) -> RenderableType:
    name = f"{item.name} = " if item.name else ""
    value = f"  {item.value}" if item.value and item.depth else ""
    fired = f"  by {item.rule.name}  {place(item.rule)}" if item.rule else ""
    stays = f"  {item.end}" if item.end != ENDS["set"] else ""
    style = "bold" if item.rule else "yellow" if stays else "green"
    made = line(
        (name, ""),
        (item.operator, style),
        (f"({item.arguments})", ""),
        (value, "cyan"),
        (fired, "dim"),
        (stays, "yellow"),
        (aside, "dim"),
        wrap=True,
    )
    return indented(made, min(2 * item.depth, _DEEPEST))


def _staying(found: DecompositionsView, page: Page) -> Iterator[RenderableType]:
    for title, rows in (("Extern kernels", found.extern), ("No rule", found.no_rule)):
        if rows:
            yield Text()
            yield text(title, "bold")
            shown = rows if page.everything else rows[:_BRIEF]
            yield indented(grid(("left", "right", "left"), [_stay(row) for row in shown]))
            if len(shown) < len(rows):
                command = "dynamo-lab show --section decompositions"
                yield more(len(rows) - len(shown), "operators", command)


def _stay(row: StayView) -> tuple[Text, ...]:
    return text(one_line(row.operator)), text(f"{row.times:,}", "bold"), text(row.why, "dim")
