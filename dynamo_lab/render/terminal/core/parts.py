"""The building blocks of sections: styles, headings, and lines that fit the terminal."""

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from dynamo_lab.render.text import visible

# Colours that differ from each other, and from the terminal's background, light or dark.
REGIONS = ("cyan", "magenta", "green", "bright_blue", "yellow", "bright_red")
OUTCOMES = {
    "compiled": "green",
    "restarted": "yellow",
    "resumed": "yellow",
    "stopped": "yellow",
    "skipped": "yellow",
    "compiling": "dim",
    "failed": "red",
}
TONES = {"plain": "bold", "good": "bold green", "warning": "bold yellow", "bad": "bold red"}
MARGIN = "  "
_PROSE = 96
_LEAST_PROSE = 32
_LEAST_WRAP = 8
_LEAST_CUT = 3
_BELOW = 4  # columns by which prose below a row is indented


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The options of a section: `everything` is set if this section was requested.

    `graphs` are the ids of the graphs to show, None for no choice; `to` is the set of operators
    that trees are decomposed to. `can_try`: `rec` is at hand, and a program to run again;
    `can_export`: the exports that failed are.
    """

    width: int
    everything: bool
    graphs: frozenset[int] | None = None
    to: str = "inductor"
    can_try: bool = False
    can_export: bool = False

    @property
    def prose(self) -> int:
        """The maximum width at which running text is easy to read."""
        return min(self.width, _PROSE)


def plain(items: Iterable[RenderableType], width: int) -> str:
    """The items as text of `width` columns, without colours or trailing white space."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_jupyter=False,  # inside a notebook rich would print it immediately
        color_system=None,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )
    console.print(*items, sep="\n")
    return "\n".join(row.rstrip() for row in out.getvalue().rstrip().split("\n"))


def heading(title: str, aside: str = "") -> Rule:
    """A section's first line, ruled across the page."""
    made = Text(_unbroken(title), style="bold")
    if aside:
        made.append(f"  {_unbroken(aside)}", style="not bold dim")
    return Rule(made, align="left", style="dim")


def text(content: str, style: str = "") -> Text:
    """Text shown literally: markup in it is not interpreted."""
    return Text(visible(content), style=style)


def line(*parts: tuple[str, str], wrap: bool = False) -> Text:
    """A line of (text, style) parts; what does not fit is cut with an ellipsis."""
    made = Text(overflow="fold" if wrap else "ellipsis", no_wrap=not wrap)
    for content, style in parts:
        made.append(visible(content) if wrap else _unbroken(content), style=style)
    return made


def _unbroken(content: str) -> str:
    r"""The visible text with line breaks written out as `\n`: it forges no line of ours."""
    return visible(content).replace("\n", "\\n")


def indented(item: RenderableType, by: int = 2) -> Padding:
    """The item, indented."""
    return Padding(item, (0, 0, 0, by))


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows in aligned columns, which learn their width as they are printed.

    A "wrap" column is the first to give way, then a "left" one is cut with an ellipsis. A "right"
    one holds numbers: it keeps its width as long as there is room, and else goes on below.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Text]]
    least: Sequence[int] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._table(options.max_width)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self._table(options.max_width))

    def _table(self, width: int) -> Table:
        cap, are_cut = self._cap(width - 2 * (len(self.columns) - 1))
        table = Table.grid(padding=(0, 2, 0, 0))
        for kind, least in zip(self.columns, chain(self.least, repeat(0)), strict=False):
            folds = kind == "wrap" or (kind == "right" and are_cut)
            table.add_column(
                justify="right" if kind == "right" else "left",
                no_wrap=not folds,
                overflow="fold" if folds else "ellipsis",
                min_width=least or None,
                max_width=cap if kind == "left" else None,
            )
        for row in self.rows:
            table.add_row(*row)
        return table

    def _cap(self, room: int) -> tuple[int | None, bool]:
        """The most that a "left" column may take, and whether numbers lack room even so."""
        widths = list(zip(self.columns, map(self._widest, range(len(self.columns))), strict=True))
        room -= sum(wide for kind, wide in widths if kind == "right")
        if sum(min(wide, _LEAST_CUT) for kind, wide in widths if kind != "right") > room:
            return _LEAST_CUT, True
        texts = sorted(wide for kind, wide in widths if kind == "left")
        wraps = sum(min(wide, _LEAST_WRAP) for kind, wide in widths if kind == "wrap")
        room = max(room - wraps, _LEAST_CUT * len(texts))
        for at, wide in enumerate(texts):  # the narrow ones keep theirs, the others share the rest
            share = room // (len(texts) - at)
            if wide > share:
                return share, False
            room -= wide
        return None, False

    def _widest(self, column: int) -> int:
        cells = (row[column].plain for row in self.rows if column < len(row))
        return max((cell_len(part) for cell in cells for part in cell.split("\n")), default=0)


def grid(
    columns: Iterable[str], rows: Iterable[Iterable[Text]], widths: Iterable[int] = ()
) -> Grid:
    """Rows in aligned columns, each "left", "right" or "wrap"; `widths` are the least ones."""
    return Grid(tuple(columns), [tuple(row) for row in rows], tuple(widths))


def listing(
    columns: Sequence[str], rows: Sequence[Sequence[Text]], width: int
) -> Iterator[RenderableType]:
    """A grid whose last column is prose, which moves below the others if space is short."""
    widths = [max((row[i].cell_len for row in rows), default=0) for i in range(len(columns))]
    room = width - sum(widths[:-1]) - 2 * (len(columns) - 1)
    if room >= min(_LEAST_PROSE, widths[-1]):
        yield grid(columns, rows)
        return
    for row in rows:
        yield grid(columns[:-1], [row[:-1]], widths)
        if row[-1].plain:
            yield indented(row[-1], widths[0] + 2 if columns[0] == "right" else _BELOW)


def region_style(number: int) -> str:
    """The style of a captured graph and of its lines, by its number."""
    return REGIONS[(number - 1) % len(REGIONS)]


def caret(
    source: str, column: int, end_column: int, label: str, style: str, width: int
) -> list[Text]:
    """The line under a line of code: carets under its columns, then the label."""
    start = max(column, 0) if column >= 0 else len(source) - len(source.lstrip())
    end = end_column if column >= 0 else len(source.rstrip())
    indent = cell_len(visible(source[:start]))
    carets = "^" * max(1, cell_len(visible(source[start:end])))
    marks = Text(" " * indent, no_wrap=True, overflow="ellipsis").append(carets, style=style)
    if indent + len(carets) + 1 + len(label) <= width:
        return [marks.append(f" {visible(label)}", style=style)]
    below = min(indent, max(0, width - len(label)))
    return [marks, line((" " * below + label, style))]


def more(left: int, what: str, command: str) -> Text:
    """A note that something was cut, and how to see it."""
    return line(
        (f"… {left:,} more {what}; ", "dim"), (command, "dim italic"), (" prints all", "dim")
    )


def separated(blocks: Iterable[Iterable[RenderableType]]) -> Iterator[RenderableType]:
    """The blocks, separated by blank lines."""
    for index, block in enumerate(blocks):
        if index:
            yield Text()
        yield from block
