"""The backend `lab` in the script-free HTML: rules, and kernels in each form, collapsed."""

from collections.abc import Iterator, Sequence
from functools import partial

from rich.cells import cell_len

from dynamo_lab.render.markup import Block, Markup, details, join, pre, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view import View
from dynamo_lab.view.compiler.compiler import StageGraph, StageKernel, StageLine, StageRule

_ROWS = 80
_LINES = 80
_CODE = 84


def blocks(view: View) -> Iterator[Block]:
    """For each graph its operators, then the rules and the kernels that they came to."""
    for graph in view.compiler.graphs:
        names = {one.node: one.name for one in graph.operators}
        yield partial(_operators, graph)
        for rule in graph.rules:
            yield partial(_rule, rule)
        for kernel in graph.kernels:
            yield partial(_kernel, kernel, names)


def _operators(graph: StageGraph) -> Markup:
    rows = [
        f"{clipped(one.name, 28):<28}  {clipped(one.where, 12):<12}  "
        f"{clipped(', '.join(graph.kernels[at].name for at in one.kernels) or one.outcome, 40)}\n"
        for one in graph.operators[:_ROWS]
    ]
    if len(graph.operators) > _ROWS:
        rows.append(f"… {len(graph.operators) - _ROWS:,} more\n")
    head = tag("p", tag("b", shortened(graph.title, 200)), f" · {graph.summary}")
    return join(head, details("operators and the kernels that compute them", pre(*rows)))


def _rule(rule: StageRule) -> Markup:
    lines = [(line, ()) for line in rule.text.split("\n")]
    return details(shortened(f"rule {rule.name} · {rule.place}", 200), pre(*_rows(lines, {})))


def _kernel(kernel: StageKernel, names: dict[int, str]) -> Markup:
    head = shortened(f"{kernel.name} · joins {', '.join(kernel.buffers)}", 200)
    texts = [
        details(
            f"{one.language}{f' · {shortened(one.note, 200)}' if one.note else ''}",
            pre(*_rows(one.lines, names)),
        )
        for one in kernel.texts
    ]
    return details(head, pre(*_rows(kernel.lines, names)), *texts)


def _rows(lines: Sequence[StageLine], names: dict[int, str]) -> Iterator[str]:
    for code, nodes in lines[:_LINES]:
        shown = clipped(code, _CODE)
        said = ", ".join(names[node] for node in nodes if node in names)
        yield f"{shown}{' ' * max(0, _CODE - cell_len(shown))}  {clipped(said, 40)}".rstrip() + "\n"
    if len(lines) > _LINES:
        yield f"… {len(lines) - _LINES:,} more lines\n"
