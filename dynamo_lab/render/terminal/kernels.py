"""The kernels: what each computes and for which line; in full, with their code."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.syntax import Syntax
from rich.text import Text

from dynamo_lab.render.terminal.parts import Page, heading, indented, line, listing, text
from dynamo_lab.render.text import one_line, visible
from dynamo_lab.view import View
from dynamo_lab.view.kernels import KernelView, WrapperView
from dynamo_lab.view.words import plural

_BRIEF = 16
_LEXERS = {"cpp": "cpp", "triton": "python", "metal": "cpp"}


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
        for kernel in kernels:
            yield from _in_full(kernel, titles)
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


def _in_full(kernel: KernelView, titles: dict[int, str]) -> Iterator[RenderableType]:
    yield Text()
    yield line((f"{kernel.id:>2}  ", "dim"), (one_line(kernel.title), "bold"))
    graph = "" if kernel.graph is None else f"of {titles[kernel.graph]}"
    parts = (kernel.name, kernel.language, kernel.where, graph, plural(kernel.calls, "call"))
    yield indented(text("  ".join(one_line(part) for part in parts if part), "dim"), 4)
    if kernel.operators:
        yield indented(text(f"computes {', '.join(map(one_line, kernel.operators))}", "dim"), 4)
    for note in kernel.notes:
        yield indented(text(one_line(note), "yellow"), 4)
    if kernel.code:
        yield indented(_code(kernel.code, _LEXERS.get(kernel.language, "text")), 4)


def _code(code: str, lexer: str) -> Syntax:
    return Syntax(
        visible(code.strip("\n")),
        lexer,
        theme="ansi_dark",
        background_color="default",
        word_wrap=True,
    )


def _wrappers(wrappers: tuple[WrapperView, ...]) -> Iterator[RenderableType]:
    if wrappers:
        yield Text()
    for wrapper in wrappers:
        size = plural(wrapper.code.count("\n") + 1, "line")
        yield line((one_line(wrapper.title), "bold"), (f"  {wrapper.language}, {size}", "dim"))
