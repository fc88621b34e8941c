"""The trees of CUDA graphs and their pool: a row each, indented under what runs before it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import Page, indented, line, listing, more, text
from dynamo_lab.render.text import one_line
from dynamo_lab.view.cuda_graphs.pools import PoolSegmentView, PoolView
from dynamo_lab.view.cuda_graphs.trees import CudaNodeView, CudaOutputView, CudaTreesView
from dynamo_lab.view.lowering.lowering import LoweringsView

_BRIEF = 6
_COMMAND = "dynamo-lab show --section lowering"
_BAR = 60
_MARKS = {"live": "#", "awaiting": "~", "free": "."}
_STYLES = {"live": "green", "awaiting": "yellow", "free": "dim"}


def cuda_trees(found: LoweringsView, page: Page) -> Iterator[RenderableType]:
    """What a run recorded; a sentence where none ran and the program asks for CUDA graphs."""
    if found.cuda_unknown:
        yield Text()
        yield text(found.cuda_unknown, "dim")
    for trees in found.cuda_trees:
        yield Text()
        yield line(("trees of CUDA graphs", "bold"), (f"  {trees.sentence}", "dim"), wrap=True)
        yield from _rows(trees, page)
        yield from _walks(trees, page)
        for one in trees.overwritten if page.everything else trees.overwritten[:_BRIEF]:
            told = f"  {one.where}: {one.text}" if one.where else f"  {one.text}"
            yield indented(line(("overwritten", "yellow"), (told, ""), wrap=True))
        if trees.pool is not None:
            yield from _pool(trees.pool, page)


def _rows(trees: CudaTreesView, page: Page) -> Iterator[RenderableType]:
    shown = trees.nodes if page.everything else trees.nodes[:_BRIEF]
    for node in shown:
        yield from _node(node, page)
    if left := len(trees.nodes) - len(shown):
        yield indented(more(left, "CUDA graphs", _COMMAND))


def _node(node: CudaNodeView, page: Page) -> Iterator[RenderableType]:
    by = 2 + 2 * min(node.depth, 10)
    facts = ", ".join(filter(None, (node.of, node.replays, node.memory)))
    yield indented(line((node.title, "cyan"), (f"  {facts}", "dim"), wrap=True), by)
    if node.why:
        yield indented(text(one_line(node.why.replace("`", "")), "yellow"), by + 2)
    if page.everything:
        yield indented(text(f"inputs: {node.inputs}", "dim"), by + 2)
        for output in node.outputs:
            yield indented(text(one_line(_told(output)), "dim"), by + 2)


def _told(one: CudaOutputView) -> str:
    return f"{one.text}, {one.where}" if one.where else one.text


def _walks(trees: CudaTreesView, page: Page) -> Iterator[RenderableType]:
    shown = trees.walks if page.everything else trees.walks[:_BRIEF]
    if shown:
        yield indented(text("paths that calls took", "bold"))
    rows = [[text(one.times), text(one_line(one.text))] for one in shown]
    for item in listing(("right", "wrap"), rows, page.width - 4):
        yield indented(item, 4)
    if left := len(trees.walks) - len(shown):
        yield indented(more(left, "paths", _COMMAND), 4)


def _pool(pool: PoolView, page: Page) -> Iterator[RenderableType]:
    yield indented(line(("memory pool", "bold"), (f"  {pool.sentence}", "dim"), wrap=True))
    for segment in pool.segments if page.everything else pool.segments[:_BRIEF]:
        yield indented(line((_bar(segment), ""), (f"  {segment.title}", "dim")), 4)
        for block in segment.blocks if page.everything else ():
            where = f", {block.where}" if block.where else ""
            told = line((f"{block.size:>8}  ", ""), (block.text, _STYLES[block.state]), (where, ""))
            yield indented(told, 6)


def _bar(segment: PoolSegmentView) -> str:
    """A character a part of the segment: what is live in it shows, however small it is."""
    cells = ["."] * _BAR
    for block in segment.blocks:
        first = int(block.start * _BAR)
        last = max(first + 1, round((block.start + block.width) * _BAR))
        for at in range(first, min(last, _BAR)):
            if block.state != "free" and cells[at] != "#":
                cells[at] = _MARKS[block.state]
    return "".join(cells)
