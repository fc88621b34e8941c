"""The trees of CUDA graphs and their pool in the script-free HTML."""

from collections.abc import Iterator

from dynamo_lab.render.markup import Markup, details, join, pre, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view.cuda_graphs.pools import PoolView
from dynamo_lab.view.cuda_graphs.trees import CudaNodeView, CudaOutputView, CudaTreesView
from dynamo_lab.view.lowering.lowering import LoweringsView

_ROWS = 80


def cuda_trees(found: LoweringsView) -> Iterator[Markup]:
    """What a run recorded; a sentence where none ran and the program asks for CUDA graphs."""
    if found.cuda_unknown:
        yield tag("p", found.cuda_unknown)
    for trees in found.cuda_trees:
        yield _trees(trees)


def _trees(trees: CudaTreesView) -> Markup:
    rows = [line for node in trees.nodes[:_ROWS] for line in _node(node)]
    if len(trees.nodes) > _ROWS:
        rows.append(f"… {len(trees.nodes) - _ROWS:,} more\n")
    walks = [f"{one.times:>10}  {clipped(one.text, 160)}\n" for one in trees.walks[:_ROWS]]
    overwritten = [
        f"{one.where + ': ' if one.where else ''}{clipped(one.text, 180)}\n"
        for one in trees.overwritten[:_ROWS]
    ]
    return join(
        tag("p", tag("b", "Trees of CUDA graphs"), f" · {shortened(trees.sentence, 400)}"),
        pre(*rows) if rows else join(),
        details("paths that calls took", pre(*walks)) if walks else join(),
        details("overwritten while they were held", pre(*overwritten)) if overwritten else join(),
        _pool(trees.pool) if trees.pool else join(),
    )


def _node(node: CudaNodeView) -> Iterator[str]:
    margin = "  " * min(node.depth, 20)
    facts = ", ".join(filter(None, (node.of, node.replays, node.memory)))
    yield f"{margin}{node.title}  {clipped(facts, 140)}\n"
    if node.why:
        yield f"{margin}  {clipped(node.why.replace('`', ''), 180)}\n"
    yield f"{margin}  inputs: {clipped(node.inputs, 140)}\n"
    for output in node.outputs[:_ROWS]:
        yield f"{margin}  {clipped(_told(output), 140)}\n"


def _told(one: CudaOutputView) -> str:
    return f"{one.text}, {one.where}" if one.where else one.text


def _pool(pool: PoolView) -> Markup:
    rows: list[str] = []
    for segment in pool.segments:
        rows.append(f"{segment.title}\n")
        for block in segment.blocks:
            where = f", {block.where}" if block.where else ""
            rows.append(f"{block.size:>10}  {clipped(block.text + where, 140)}\n")
    left = len(rows) - _ROWS
    more = [f"… {left:,} more\n"] if left > 0 else []
    return join(
        tag("p", shortened(pool.sentence, 400)), details("memory pool", pre(*rows[:_ROWS], *more))
    )
