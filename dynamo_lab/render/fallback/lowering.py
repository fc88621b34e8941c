"""The lowering in the script-free HTML: what each operator became, and each buffer's loop."""

from collections.abc import Iterator
from functools import partial

from rich.cells import cell_len

from dynamo_lab.render.fallback.cuda_graphs.trees import cuda_trees
from dynamo_lab.render.markup import Block, Markup, details, join, pre, prose, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.lowering.autotuning import AutotuningView
from dynamo_lab.view.lowering.cudagraphs import CudaGraphsView
from dynamo_lab.view.lowering.lowering import BufferView, LoweringView

_ROWS = 80
_LINES = 60
_CODE = 76


def blocks(view: View) -> Iterator[Block]:
    """The CUDA graphs of a run; for each graph its operators, then its buffers, collapsed."""
    found = view.lowering
    for trees in cuda_trees(found):
        yield partial(join, trees)
    for lowering in found.lowerings:
        yield partial(_operators, lowering)
        names = {step.node: step.name for step in lowering.steps}
        for index in lowering.buffers:
            yield partial(_buffer, found.buffers[index], names)


def _operators(lowering: LoweringView) -> Markup:
    steps = [s for s in lowering.steps if s.outcome not in ("input", "output", "constant")]
    rows = [
        f"{clipped(s.name, 32):<32}  {s.outcome:<9}  {clipped(s.sentence.replace('`', ''), 160)}\n"
        for s in steps[:_ROWS]
    ]
    if len(steps) > _ROWS:
        rows.append(f"… {len(steps) - _ROWS:,} more\n")
    head = tag("p", tag("b", shortened(lowering.title, 200)), f" · {lowering.summary}")
    replayed = _cuda_graphs(lowering.cuda_graphs) if lowering.cuda_graphs else join()
    timed = [_autotuning(one) for one in lowering.autotunings]
    return join(
        head, replayed, *timed, details("operators, in the order they were lowered", pre(*rows))
    )


def _cuda_graphs(found: CudaGraphsView) -> Markup:
    head = tag("p", f"CUDA graphs: {found.use}. ", prose(shortened(found.sentence, 400)))
    rows = [
        f"{part.calls:<16}  {'recorded' if part.is_recorded else clipped(part.reason, 100)}"
        f"{'  ' + clipped(part.where, 60) if part.where else ''}\n"
        for part in found.parts[:_ROWS]
    ]
    return join(head, pre(*rows)) if len(rows) > 1 else head


def _autotuning(found: AutotuningView) -> Markup:
    where = f", {shortened(found.where, 100)}" if found.where else ""
    head = tag("p", f"Autotuned: {shortened(found.title, 200)}{where}. ", prose(found.sentence))
    rows = [
        f"{'->' if one.is_chosen else '':<3}{one.time or 'not timed':>10} {one.ratio:>6}  "
        f"{one.kind:<9} {clipped(one.name, 60)}  {clipped(one.description, 100)}".rstrip()
        + "\n"
        for one in found.candidates[:_ROWS]
    ]
    return join(head, pre(*rows))


def _buffer(buffer: BufferView, names: dict[int, str]) -> Markup:
    facts = (buffer.kernel or buffer.kind, buffer.value, buffer.size)
    head = " · ".join(shortened(fact, 120) for fact in (buffer.name, *facts) if fact)
    sentences = [tag("p", prose(shortened(text, 400))) for text in (buffer.why, buffer.layout)]
    rows = [
        _line(f"{'  ' * depth}{code}", names.get(node, ""))
        for code, _, node, depth in buffer.body[:_LINES]
    ]
    left = len(buffer.body) - len(rows)
    if left > 0:
        rows.append(f"… {plural(left, 'more line')}\n")
    loops = [f"for {variable} < {size}\n" for variable, size in buffer.loops]
    return details(head, *sentences, *([pre(*loops, *rows)] if rows else []))


def _line(code: str, node: str) -> str:
    shown = clipped(code, _CODE)
    return f"{shown}{' ' * max(0, _CODE - cell_len(shown))}  {clipped(node, 40)}".rstrip() + "\n"
