"""The kernels: what each computes and for which line; in full, with their code."""

from collections.abc import Iterator, Mapping

from rich.cells import cell_len
from rich.console import RenderableType
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from dynamo_lab.errors import OptionError
from dynamo_lab.render.terminal.core.parts import Page, heading, indented, line, listing, text
from dynamo_lab.render.text import one_line, shortened, visible
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.kernels.assembly import AssemblyView
from dynamo_lab.view.kernels.kernels import KernelView, WrapperView

_BRIEF = 16
LEXERS = {"cpp": "cpp", "c": "c", "triton": "python", "metal": "cpp"}
"""What highlights the code of a kernel in each language."""


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """A table of kernels; in full, the code of each and the wrappers."""
    kernels = view.kernels.kernels
    if not kernels:
        if view.kernels.empty and (page.everything or view.graphs):
            yield heading("Kernels", "none")
            yield text(view.kernels.empty)
        return
    yield heading("Kernels", str(len(kernels)))
    if page.everything and view.summary.target:
        yield text(view.summary.target, "yellow")
    if page.everything:
        titles = {graph.id: graph.title for graph in view.graphs}
        files = {source.id: source.label for source in view.sources}
        for kernel in kernels:
            yield from _in_full(kernel, titles, files)
        yield from _wrappers(view.kernels.wrappers)
        return
    columns = ("right", "left", "left", "left", "wrap")
    yield from listing(columns, [_row(kernel) for kernel in kernels[:_BRIEF]], page.width)
    left = f"… {len(kernels) - _BRIEF:,} more; " if len(kernels) > _BRIEF else ""
    yield line((left, "dim"), ("dynamo-lab show --kernel N", "dim italic"), (" prints code", "dim"))


def _row(kernel: KernelView) -> tuple[Text, ...]:
    calls = f"called {kernel.calls} times" if kernel.calls > 1 else ""
    return (
        text(str(kernel.id), "dim"),
        text(one_line(kernel.title), "bold"),
        text(kernel.language),
        text(calls, "dim"),
        text(kernel.where, "dim"),
    )


def _in_full(
    kernel: KernelView, titles: dict[int, str], files: dict[int, str]
) -> Iterator[RenderableType]:
    yield Text()
    yield line((f"{kernel.id:>2}  ", "dim"), (one_line(kernel.title), "bold"))
    graph = "" if kernel.graph is None else f"of {titles[kernel.graph]}"
    parts = (kernel.name, kernel.language, kernel.where, graph, plural(kernel.calls, "call"))
    yield indented(text("  ".join(one_line(part) for part in parts if part), "dim"), 4)
    if kernel.operators:
        yield indented(text(f"computes {', '.join(map(one_line, kernel.operators))}", "dim"), 4)
    for note in kernel.notes:
        yield indented(text(one_line(note), "yellow"), 4)
    if kernel.coverage:
        yield indented(text(f"{kernel.coverage}, whose numbers are shown before them", "dim"), 4)
    if kernel.code:
        lexer = LEXERS.get(kernel.language, "text")
        yield from _numbered(kernel.code.rstrip("\n"), lexer, _lines(kernel, files))


def _lines(kernel: KernelView, files: dict[int, str]) -> dict[int, str]:
    """The user's line of each statement, with its file where there are several."""
    is_one = len({source for _, source, _ in kernel.origins}) == 1
    return {
        at: str(number) if is_one else f"{shortened(files.get(source, ''), 24)}:{number}"
        for at, source, number in kernel.origins
    }


def level(found: AssemblyView, name: str) -> Iterator[RenderableType]:
    """One level of an assembly, with the kernel's line number before each line.

    Raises:
        OptionError: there is no such level.
    """
    shown = next((one for one in found.levels if one.name.lower() == name.lower()), None)
    if shown is None:
        known = ", ".join(one.name for one in found.levels)
        raise OptionError(f"There is no assembly level {name!r}: pass {known}.")
    yield heading(shown.name, f"kernel {found.kernel} for {found.target}")
    for words in (", ".join(found.resources), found.chosen):
        if words:
            yield text(words, "dim")
    yield text("The numbers are lines of the kernel's code.", "dim")
    pairs = iter(shown.lines)
    numbers = {at: str(of) for at, of in zip(pairs, pairs, strict=True)}
    yield from _numbered(shown.text, "text", numbers, start=0)


def _numbered(
    code: str, lexer: str, numbers: Mapping[int, str], start: int = 4
) -> Iterator[RenderableType]:
    """Code with numbers before its lines, all as plain text."""
    drawn = Syntax(
        visible(code), lexer, theme="ansi_dark", background_color="default", word_wrap=True
    )
    if not numbers:
        yield indented(drawn, start)
        return
    width = max(map(cell_len, numbers.values()))
    beside = Table.grid()
    for at, row in enumerate(drawn.highlight(drawn.code).split("\n"), 1):
        row.rstrip()
        number = visible(numbers.get(at, ""))
        beside.add_row(Text(f"{' ' * (width - cell_len(number))}{number} │ ", "dim"), row)
    yield indented(beside, start)


def _wrappers(wrappers: tuple[WrapperView, ...]) -> Iterator[RenderableType]:
    if wrappers:
        yield Text()
    for wrapper in wrappers:
        size = plural(wrapper.code.count("\n") + 1, "line")
        yield line((one_line(wrapper.title), "bold"), (f"  {wrapper.language}, {size}", "dim"))
