"""The reader's modules in the script-free HTML: a row each, what differs below."""

from collections.abc import Iterator, Sequence

from dynamo_lab.render.markup import Block, Markup, join, prose, table, tag
from dynamo_lab.render.module_text import HEADS, ModuleText, cells, rows
from dynamo_lab.render.text import shortened
from dynamo_lab.view import View

_ROWS = 40
_DEPTH = 3


def blocks(view: View) -> Iterator[Block]:
    """The tree as a table, the sentences on blocks that differ, and what the numbers are of."""
    found = view.modules
    if not found.rows:
        return
    shown = list(rows(found, _DEPTH))
    yield _table([one for one in shown if not one.remark])
    remarks = [tag("li", prose(shortened(one.remark, 400))) for one in shown if one.remark]
    if remarks:
        yield tag("ul", *remarks[:_ROWS])
    yield tag("p", tag("small", prose(" ".join(found.sentences))))


def _table(shown: Sequence[ModuleText]) -> Markup:
    made = [
        ("\u2003" * one.depth + shortened(row[0], 120), *(shortened(cell, 60) for cell in row[1:]))
        for one in shown[:_ROWS]
        for row in [cells(one)]
    ]
    used = [at for at in range(len(HEADS)) if at == 0 or any(row[at] for row in made)]
    whole = table([HEADS[at] for at in used], [[row[at] for at in used] for row in made])
    left = len(shown) - len(made)
    return join(whole, *([tag("p", f"… {left:,} more rows")] if left > 0 else []))
