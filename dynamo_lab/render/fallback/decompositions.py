"""Decompositions without scripts: trees that unfold one level per click, rules with source."""

from collections.abc import Iterator
from functools import partial

from dynamo_lab.render.colours import coloured
from dynamo_lab.render.markup import Block, Markup, join, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view.core.words import plural, times
from dynamo_lab.view.decompositions.decompositions import DecompositionsView, OperatorView
from dynamo_lab.view.decompositions.trees import ENDS, SETS, RuleView, TreesView

_DEEPEST = 12
_MOST = 300  # operators of one tree
_SOURCE = 4_000


def blocks(found: DecompositionsView) -> Iterator[Block]:
    """Counts for each set, a table of operators, those that remain, trees of those that grow."""
    if not found.tops:
        return
    yield _counts(found)
    yield _operators(found)
    stays = [*found.extern, *found.no_rule]
    if stays:
        rows = [
            tag("li", tag("code", shortened(s.operator, 80)), f" {times(s.times)} · {s.why}")
            for s in stays[:40]
        ]
        yield join(
            tag("p", tag("b", "Extern kernels, and operators without a rule")), tag("ul", *rows)
        )
    to = list(SETS).index("inductor")
    for item in found.operators:
        call = found.tops[item.tops[0]].call
        ways = found.trees.calls[call].ways
        if ways and ways[to][0] >= 0:
            yield partial(_Tree(found.trees, to).root, call, is_open=False)


def _counts(found: DecompositionsView) -> Markup:
    parts = [
        join(tag("b", f"{row.operators:,}"), f" {row.title}", tag("small", f" ({row.kinds} kinds)"))
        for row in found.counts
    ]
    return tag("p", join(*(join(" → " if at else "", part) for at, part in enumerate(parts))))


def _operators(found: DecompositionsView) -> Markup:
    heads = ("operator", "calls", *(title for _, title in found.sets), "rule in this run")
    rows = [_row(found, item) for item in found.operators[:60]]
    return tag("table", tag("tr", *(tag("th", head) for head in heads)), *rows)


def _row(found: DecompositionsView, item: OperatorView) -> Markup:
    rule = found.trees.rules[item.rule] if item.rule >= 0 else None
    counts = [tag("td", tag("b", f"{n:,}") if n != item.times else f"{n:,}") for n in item.became]
    return tag(
        "tr",
        tag("td", tag("code", shortened(item.operator, 80))),
        tag("td", f"{item.times:,}"),
        *counts,
        tag("td", shortened(f"{rule.name} {rule.where}", 120) if rule else ""),
    )


def tree_page(trees: TreesView, call: int, to: int) -> str:
    """One tree, for a notebook."""
    title = list(SETS.values())[to]
    size = trees.calls[call].leaves[to]
    head = tag("p", tag("small", f"to {title}: {plural(size, 'operator')}", style="opacity:.7"))
    style = Markup(f"<style>{_STYLE}</style>")
    return tag(
        "div",
        join(style, head, _Tree(trees, to).root(call, is_open=True)),
        class_="dynamo-lab-tree",
    )


_STYLE = """\
.dynamo-lab-tree{font:13px/1.5 ui-monospace,monospace;max-width:1000px}
.dynamo-lab-tree summary{cursor:pointer}
.dynamo-lab-tree pre{font:12px/1.5 ui-monospace,monospace;padding:8px 10px;overflow-x:auto;\
background:rgba(127,127,127,.12);border-radius:4px}
.dynamo-lab-tree ul{list-style:none;margin:0;padding-left:1.4em;\
border-left:1px solid rgba(127,127,127,.35)}
.dynamo-lab-tree ul li{list-style:none}
"""


class _Tree:
    """Draws one tree; operators beyond a limit are left out, with a note."""

    def __init__(self, trees: TreesView, to: int) -> None:
        self._trees = trees
        self._to = to
        self._left = _MOST

    def root(self, call: int, *, is_open: bool) -> Markup:
        """The call with everything that it becomes."""
        return self._node(call, "", self._trees.calls[call].arguments, 0, is_open)

    def _node(self, call: int, name: str, arguments: str, depth: int, is_open: bool) -> Markup:
        self._left -= 1
        found = self._trees.calls[call]
        step, end, reason = found.ways[self._to] if found.ways else (-1, "", found.problem)
        given = f"({shortened(arguments, 200)})"
        head = join(f"{name} = " if name else "", tag("b", shortened(found.operator, 80)), given)
        value = tag("small", f"  {shortened(found.value, 120)}", style="opacity:.7")
        if step < 0 or depth >= _DEEPEST or self._left < 0:
            why = ENDS.get(end, "") if end != "set" else ""
            more = "…" if step >= 0 else ""
            aside = " ".join(part for part in (why, reason if why else "", more) if part)
            return join(
                head, value, tag("small", f"  {shortened(aside, 200)}", **coloured("warning"))
            )
        made = self._trees.steps[step]
        rows = [
            tag("li", self._node(child, label, args, depth + 1, False))
            for child, label, args in made.rows
        ]
        rule = self._trees.rules[made.rule]
        fired = tag("small", f"  by {shortened(rule.name, 80)}", style="opacity:.7")
        body = tag("ul", *rows) if rows else tag("p", tag("small", "It computes nothing here."))
        attributes = {"open": "open"} if is_open else {}
        return tag("details", tag("summary", head, value, fired), _rule(rule), body, **attributes)


def _rule(rule: RuleView) -> Markup:
    place = ", ".join(part for part in (rule.kind, rule.where) if part)
    if not rule.text:
        return tag("p", tag("small", place))
    source = tag("pre", clipped(rule.text, _SOURCE))
    return tag("details", tag("summary", tag("small", f"source: {place}")), source)
