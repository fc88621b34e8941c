"""The table of captures for a terminal and as a page, and the words that both say."""

import math
from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import grid, heading, plain, text
from dynamo_lab.render.text import shortened, visible
from dynamo_lab.suite.captures.facts import WAYS, Captured
from dynamo_lab.suite.captures.table import CaptureTable, Row
from dynamo_lab.view.core.words import plural, seconds

HEADS = ("", "tried", "run", "whole", "breaks", "other", "failed", "script", "export")
LEGEND = (
    "Shares are of the programs that eager PyTorch runs. Dynamo captures them whole, with breaks, "
    "otherwise (in parts without a break; or in no graph, as where the first operation breaks), or "
    "fails; TorchScript counts if what `torch.jit.script` made also runs, `torch.export` if it "
    "returns a program."
)
ANNOUNCED = (
    "PyTorch 2.0 was announced with Dynamo capturing 99 % of 7,000 projects on GitHub, TorchScript "
    "not half of them. These are other programs: packages of PyPI, which are tested with both."
)
_MOST = 12


def cells(row: Row) -> tuple[str, ...]:
    """A row in words."""
    shares = (row.whole, row.broken, row.otherwise, row.failed, row.script, row.export)
    tried = f"{row.tried} of {row.of}" if row.tried < row.of else str(row.tried)
    return (row.family, tried, str(row.ran), *(_share(one, row.ran) for one in shares))


def _share(count: int, of: int) -> str:
    return f"{count} ({100 * count / of:.0f} %)" if of else "-"


def summary(table: CaptureTable) -> str:
    """Where it ran, how long it took, and of what it is a sample."""
    if not table.software:
        return "Nothing was tried."
    took = f"{seconds(table.seconds)} of processes in all"
    return "; ".join((", ".join(table.software), took, *_part(table.total, table.seed)))


def _part(total: Row, seed: int | None) -> Iterator[str]:
    """That it is not the whole corpus, where that is so."""
    if total.tried >= total.of:
        return
    if seed is None:
        yield f"{total.tried} of {total.of} programs so far"
        return
    yield f"a random sample (seed {seed}) of {total.of} programs, of each family its share"
    if total.ran:
        low, high = interval(total.whole, total.ran)
        yield f"whole by Dynamo: {100 * low:.0f} to {100 * high:.0f} % of them all (95 %)"


def interval(count: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, of which a sample has so many.

    [Wilson, 1927](https://doi.org/10.1080/01621459.1927.10502953); what is drawn from a corpus of
    known size, without replacement, is known somewhat better than it says.
    """
    share, z = count / of, 1.96
    middle = share + z * z / (2 * of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - half) / (1 + z * z / of), (middle + half) / (1 + z * z / of)


def fact_line(fact: Captured, number: int, total: int) -> str:
    """A fact in a line, as it comes."""
    told = [f"{way} {fact.outcomes[way].verdict}" for way in WAYS if way in fact.outcomes]
    line = f"[{number}/{total}] {fact.program}: {', '.join(told)} ({fact.seconds:.0f} s)"
    return visible(shortened(line, 200))


def table_text(table: CaptureTable, width: int = 100) -> str:
    """The table, the kinds of breaks, and the first programs that were not captured whole."""
    return plain(_table(table), width)


def _table(table: CaptureTable) -> Iterator[RenderableType]:
    yield heading("Captures", plural(table.total.tried, "program"))
    yield text(summary(table), "dim")
    rows = [[text(cell) for cell in cells(row)] for row in (*table.rows, table.total)]
    yield grid(["left", *["right"] * (len(HEADS) - 1)], [[text(h, "dim") for h in HEADS], *rows])
    for sentence in (LEGEND, ANNOUNCED):
        yield text(sentence, "dim")
    yield Text()
    yield heading("Kinds of breaks", plural(len(table.kinds), "kind"))
    kinds = [
        [text(f"{kind.programs}"), text(kind.name), text(kind.example, "dim")]
        for kind in table.kinds[:_MOST]
    ]
    yield grid(["right", "wrap", "wrap"], kinds)  # what never wraps would take the counts' room
    failed = [one for one in table.problems if one.way == "dynamo" and one.verdict != "breaks"]
    yield heading("Captured otherwise, or failed", plural(len(failed), "program"))
    for one in failed[:_MOST]:
        yield text(f"{one.program}: {one.verdict}: {shortened(one.reason, 120)}")
