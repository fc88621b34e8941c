"""The collectives of a job: how they lie in time, and a row for those that are alike."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import MARGIN, grid, heading, indented, line, text
from dynamo_lab.render.text import one_line
from dynamo_lab.view.core.words import plural, seconds
from dynamo_lab.view.ranks.collectives import CollectivesView, MeetingView, amount, time_text
from dynamo_lab.view.ranks.messages import MessagesView

_WIDTH = 64
_MOST_LANES = 16
_MOST = 24
_MARKS = {
    "": " ",
    "compiling": "\N{LIGHT SHADE}",
    "computing": "\N{DARK SHADE}",
    "waiting": "\N{BOX DRAWINGS LIGHT HORIZONTAL}",
    "call": "\N{BOX DRAWINGS LIGHT VERTICAL}",
}
_STYLES = {"compiling": "dim", "computing": "green", "waiting": "yellow", "call": "bold cyan"}
_NUMBERS = 6
"""How many columns of a row are what it is and how much."""


def collectives(view: CollectivesView) -> RenderableType:
    """Each collective of a job, in order."""
    return Group(heading("Collectives"), *_sentences(view), Text(), *lanes(view), Text(),
                 *_each(view))  # fmt: skip


def parts(view: CollectivesView) -> Iterator[RenderableType]:
    """What is said of a job's collectives after its ranks."""
    yield heading("Collectives", plural(len(view.meetings), "of them", "of them"))
    yield from _sentences(view)
    yield Text()
    yield from lanes(view)
    yield Text()
    yield from _rows(view.head, [one.cells for one in view.alike[:_MOST]])
    if len(view.alike) > _MOST:
        left = len(view.alike) - _MOST
        yield text(
            f"{MARGIN}\N{HORIZONTAL ELLIPSIS} {left:,} more; `job.collectives` has all", "dim"
        )


def messages(view: MessagesView) -> Iterator[RenderableType]:
    """What ranks sent to one another."""
    yield heading("Messages")
    yield line((f"{MARGIN}{one_line(view.sentence)}", ""), wrap=True)
    head = [text(name, "dim") for name in view.head]
    rows = [[text(one_line(cell)) for cell in row.cells] for row in view.rows[:_MOST]]
    yield grid(("right", "left", "left", "right", "left", "left"), [head, *rows])
    if len(view.rows) > _MOST:
        left = len(view.rows) - _MOST
        yield text(f"{MARGIN}\N{HORIZONTAL ELLIPSIS} {left:,} more", "dim")


def _sentences(view: CollectivesView) -> Iterator[RenderableType]:
    for one in view.sentences:
        yield line((f"{MARGIN}{one_line(one)}", ""), wrap=True)


def lanes(view: CollectivesView) -> Iterator[RenderableType]:
    """A row for each rank, time to the right: once nobody compiles, if there is such a time."""
    begin, end = view.steady, view.seconds
    if end <= begin:
        return
    rows = [
        (text(one_line(label), "bold"), _lane(view, at, begin, end))
        for at, label in enumerate(view.labels[:_MOST_LANES])
    ]
    left = len(view.labels) - _MOST_LANES
    yield grid(("left", "left"), rows)
    if left > 0:
        yield text(f"{MARGIN}\N{HORIZONTAL ELLIPSIS} {left:,} more ranks", "dim")
    since = f"from {seconds(begin)} to {seconds(end)}" if begin else f"{seconds(end)}"
    legend = f"{since}:  {_MARKS['call']} a collective"
    if any(one.waited and max(one.came) > begin for one in view.meetings):
        legend += f"  {_MARKS['waiting']} open for a late rank"
    kinds = {bar.kind for own in view.bars for bar in own if bar.end > begin}
    for kind in ("computing", "compiling"):
        legend += f"  {_MARKS[kind]} {kind}" if kind in kinds else ""
    yield text(f"{MARGIN}{legend}", "dim")


def _lane(view: CollectivesView, at: int, begin: float, end: float) -> Text:
    cells = [""] * _WIDTH
    scale = _WIDTH / (end - begin)

    def fill(kind: str, start: float, stop: float) -> None:
        if stop >= begin:
            first = max(0, int((start - begin) * scale))
            last = min(_WIDTH - 1, int((stop - begin) * scale))
            cells[first : last + 1] = [kind] * (last + 1 - first)

    for bar in view.bars[at]:
        if bar.kind == "compiling":
            fill(bar.kind, bar.start, bar.end)
    own = [(one, one.came[one.ranks.index(at)]) for one in view.meetings if at in one.ranks]
    for one, came in own:
        if one.waited is not None and max(one.came) > came:
            fill("waiting", came, max(one.came))
    for bar in view.bars[at]:
        if bar.kind == "computing":  # which hides what is open meanwhile
            fill(bar.kind, bar.start, bar.end)
    for _, came in own:
        fill("call", came, came)
    made = Text(no_wrap=True)
    for kind in cells:
        made.append(_MARKS[kind], style=_STYLES.get(kind, ""))
    return made


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[RenderableType]:
    """What they are and how much in columns; below each, in which group, on which line, and why."""
    cells = [[one_line(cell) for cell in row[:_NUMBERS]] for row in (head, *rows)]
    widths = [max(cell_len(row[at]) for row in cells) for at in range(_NUMBERS)]
    for row, own in zip((head, *rows), cells, strict=True):
        is_head = row is head
        columns = [
            cell + " " * (width - cell_len(cell)) if at == 1 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(own, widths, strict=True))
        ]
        yield line(("  ".join(columns), "dim" if is_head else ""))
        if not is_head:
            told = "; ".join(one_line(cell) for cell in row[_NUMBERS:] if cell)
            yield indented(text(told, "dim"), widths[0] + 2)


def _each(view: CollectivesView) -> Iterator[RenderableType]:
    head = ("", *view.head[1:4], "last", *view.head[5:])
    yield from _rows(head, [tuple(_row(view, one)) for one in view.meetings])


def _row(view: CollectivesView, one: MeetingView) -> Iterator[str]:
    absent = ", ".join(view.labels[at] for at in one.absent[:3])
    last = "" if len(one.ranks) < 2 else "?" if one.waited is None else view.labels[one.late]
    yield str(one.number)
    yield f"{one.operator} (run as {one.ran_as})" if one.ran_as else one.operator
    yield amount(one)
    yield time_text(one.waited)
    yield f"without {absent}" if absent else last
    yield time_text(one.bare)
    yield one.group
    yield one.where
    yield "; ".join(part for part in (one.why, one.node) if part)
    yield f"`{one.text}`" if one.text and "`" not in one.text else ""
