"""The backend `lab`, in full: each operator's rule, loops, kernels, and their texts."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import (
    Page,
    grid,
    heading,
    indented,
    line,
    listing,
    text,
)
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.compiler.compiler import StageGraph, StageKernel, StageLine, StageOperator
from dynamo_lab.view.core.words import plural


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """Each graph; in brief, what it became in a line."""
    found = view.compiler
    if not found.graphs:
        if page.everything:
            yield heading("Compiler")
            yield text(found.empty.replace("`", ""), "dim")
        return
    yield heading("Compiler", plural(len(found.graphs), "graph"))
    for graph in found.graphs:
        yield line((graph.title, "bold"), (f"  {graph.summary}", "dim"), wrap=True)
        if page.everything:
            yield from _graph(graph, page)
    if not page.everything:
        yield text("dynamo-lab show --section compiler prints each stage", "dim")


def _graph(graph: StageGraph, page: Page) -> Iterator[RenderableType]:
    rows = [_operator(one, graph) for one in graph.operators]
    for item in listing(("left", "left", "left", "wrap"), rows, page.width - 2):
        yield indented(item)
    names = {one.node: one.name for one in graph.operators}
    used = sorted({one.rule for one in graph.operators if one.rule >= 0})
    for rule in (graph.rules[at] for at in used):
        yield Text()
        yield indented(
            line((one_line(rule.name), "bold cyan"), (f"  {one_line(rule.place)}", "dim"))
        )
        yield from _lines([(row, ()) for row in rule.text.split("\n")], names, page)
    for loop in graph.loops:
        yield Text()
        yield indented(text(one_line(loop.head), "bold"))
        yield from _lines(loop.lines, names, page)
    for kernel in graph.kernels:
        yield from _kernel(kernel, names, page)


def _operator(one: StageOperator, graph: StageGraph) -> list[Text]:
    rule = graph.rules[one.rule].place if one.rule >= 0 else ""
    kernels = ", ".join(graph.kernels[at].name for at in one.kernels)
    return [
        text(one_line(one.name), "bold"),
        text(one_line(kernels) or one.outcome, "cyan" if kernels else "dim"),
        text(one_line(one.where)),
        text(one_line(rule), "dim"),
    ]


def _kernel(kernel: StageKernel, names: dict[int, str], page: Page) -> Iterator[RenderableType]:
    yield Text()
    joined = one_line(f"joins {', '.join(kernel.buffers)}")
    yield indented(line((one_line(kernel.name), "bold cyan"), (f"  {joined}", "dim"), wrap=True))
    yield from _lines(kernel.lines, names, page)
    for one in kernel.texts:
        yield indented(line((one.language, "bold"), (f"  {one_line(one.note)}", "dim")), 4)
        yield from _lines(one.lines, names, page)


def _lines(
    lines: Sequence[StageLine], names: dict[int, str], page: Page
) -> Iterator[RenderableType]:
    rows = [
        (
            text(" " * (len(code) - len(code.lstrip(" "))) + one_line(code))
            if code.strip()
            else Text(),
            text(one_line(", ".join(names[node] for node in nodes if node in names)), "dim"),
        )
        for code, nodes in lines
    ]
    if rows:
        widest = max(row[0].cell_len for row in rows)
        yield indented(grid(("left", "left"), rows, (min(widest, page.width - 28),)), 6)
