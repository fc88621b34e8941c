"""The lowering: what each operator became; in full, with the loops of every buffer."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import (
    Page,
    grid,
    heading,
    indented,
    line,
    listing,
    more,
    text,
)
from dynamo_lab.render.terminal.cuda_graphs import cuda_trees
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.lowering.autotuning import AutotuningView
from dynamo_lab.view.lowering.cudagraphs import CudaGraphsView
from dynamo_lab.view.lowering.lowering import BufferView, LoweringStep, LoweringsView, LoweringView

_BRIEF = 8
_BRIEF_GRAPHS = 2
_CANDIDATES = 3
_COMMAND = "dynamo-lab show --section lowering"
_QUIET = frozenset({"input", "output", "constant"})
_STYLES = {
    "inlined": "green",
    "realised": "cyan",
    "extern": "magenta",
    "template": "magenta",
    "fallback": "yellow",
    "failed": "bold red",
}


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """Each graph's operators in the order they were lowered; in full also the buffers."""
    found = view.lowering
    if not found.lowerings:
        if page.everything:
            yield heading("Lowering")
            yield text(found.empty, "dim")
        return
    yield heading("Lowering", plural(len(found.buffers), "buffer"))
    shown = found.lowerings if page.everything else found.lowerings[:_BRIEF_GRAPHS]
    for lowering in shown:
        yield from _graph(lowering, found, page)
    if left := len(found.lowerings) - len(shown):
        yield more(left, "graphs", _COMMAND)
    yield from cuda_trees(found, page)
    if page.everything:
        yield from _called(found, page)
        yield from _operators(found, page)


def _graph(lowering: LoweringView, found: LoweringsView, page: Page) -> Iterator[RenderableType]:
    counts = ", ".join(f"{count} {outcome}" for outcome, count in lowering.counts)
    yield line((lowering.title, "bold"), (f"  {lowering.summary}: {counts}", "dim"), wrap=True)
    if lowering.cuda_graphs:
        yield from _cuda_graphs(lowering.cuda_graphs)
    for autotuning in lowering.autotunings if page.everything else lowering.autotunings[:_BRIEF]:
        yield from _autotuning(autotuning, page)
    steps = [step for step in lowering.steps if step.outcome not in _QUIET]
    shown = steps if page.everything else steps[:_BRIEF]
    for item in listing(("left", "left", "wrap"), list(map(_step, shown)), page.width - 2):
        yield indented(item)
    if left := len(steps) - len(shown):
        yield indented(more(left, "operators", _COMMAND))
    if page.everything:
        for index in lowering.buffers:
            yield from _buffer(found.buffers[index], lowering, page)


_USES = {"used": "green", "in parts": "yellow", "not used": "yellow"}


def _cuda_graphs(found: CudaGraphsView) -> Iterator[RenderableType]:
    """Whether CUDA graphs replay it, and what is left out."""
    told = one_line(found.sentence.replace("`", ""))
    facts = line((f"CUDA graphs: {found.use}", _USES[found.use]), (f"  {told}", "dim"), wrap=True)
    yield indented(facts)
    for part in found.parts if len(found.parts) > 1 else ():
        where = f" ({part.where})" if part.where else ""
        how = "recorded" if part.is_recorded else f"left out: {part.reason}{where}"
        yield indented(text(one_line(f"{part.calls} {how}".replace("`", "")), "dim"), 4)


def _autotuning(found: AutotuningView, page: Page) -> Iterator[RenderableType]:
    """Why one of the candidates was taken, and in full all of them."""
    where = f" ({found.where})" if found.where else ""
    told = one_line(found.sentence.replace("`", ""))
    head = f"autotuned: {one_line(found.title)}{where}"
    yield indented(line((head, "cyan"), (f"  {told}", "dim"), wrap=True))
    shown = found.candidates if page.everything else found.candidates[:_CANDIDATES]
    rows = [
        [
            text("->" if one.is_chosen else ""),
            text(one.time or "not timed"),
            text(one.ratio, "dim"),
            text(one.kind, "dim"),
            text(one_line(one.name)),
            text(one_line(one.description), "dim"),
        ]
        for one in shown
    ]
    for item in listing(("left", "right", "right", "left", "left", "wrap"), rows, page.width - 4):
        yield indented(item, 4)
    if left := len(found.candidates) - len(shown):
        yield indented(more(left, "candidates", _COMMAND), 4)


def _step(step: LoweringStep) -> list[Text]:
    return [
        text(one_line(step.name), "bold"),
        text(step.outcome, _STYLES.get(step.outcome, "dim")),
        text(one_line(step.sentence.replace("`", "")), ""),
    ]


def _buffer(buffer: BufferView, lowering: LoweringView, page: Page) -> Iterator[RenderableType]:
    names = {step.node: one_line(step.name) for step in lowering.steps}
    loops = ", ".join(f"{variable} < {size}" for variable, size in buffer.loops)
    facts = [buffer.value, buffer.size, buffer.layout.replace("`", "")]
    yield Text()
    yield indented(
        line(
            (one_line(buffer.name), "bold cyan"),
            (f"  {one_line(buffer.kernel) or buffer.kind}", ""),
            (f"  {one_line('  '.join(filter(None, facts)))}", "dim"),
        )
    )
    yield indented(grid(("wrap",), [(text(one_line(buffer.why.replace("`", "")), "dim"),)]), 4)
    if loops:
        reduced = f", {one_line(buffer.reduction)} over r" if buffer.reduction else ""
        yield indented(text(f"for {one_line(loops)}{reduced}:", "dim"), 4)
    rows = [
        (text(f"{'  ' * depth}{one_line(code)}"), text(names.get(node, ""), "dim"))
        for code, _, node, depth in buffer.body
    ]
    if rows:
        widest = max(row[0].cell_len for row in rows)
        yield indented(grid(("left", "left"), rows, (min(widest, page.width - 28),)), 6)


def _called(found: LoweringsView, page: Page) -> Iterator[RenderableType]:
    if not found.called:
        return
    yield Text()
    yield text("called instead of a loop", "bold")
    rows = [
        [
            text(f"{item.times:,}"),
            text(one_line(item.kernel), _STYLES.get(item.kind, "")),
            text(one_line(item.why.replace("`", "")), "dim"),
        ]
        for item in found.called
    ]
    for item in listing(("right", "left", "wrap"), rows, page.width - 2):
        yield indented(item)


def _operators(found: LoweringsView, page: Page) -> Iterator[RenderableType]:
    if not found.operators:
        return
    yield Text()
    yield text("operators of the loops", "bold")
    rows = [
        [
            text(f"{item.count:,}"),
            text(one_line(item.name)),
            text(f"in {plural(item.buffers, 'buffer')}", "dim"),
            text(item.text, "dim"),
        ]
        for item in found.operators
    ]
    for item in listing(("right", "left", "left", "wrap"), rows, page.width - 2):
        yield indented(item)
