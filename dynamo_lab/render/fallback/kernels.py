"""The kernels in the script-free HTML: their code, and the last level of their assembly."""

from collections.abc import Iterator
from functools import partial

from dynamo_lab.render.markup import Block, Markup, details, join, pre, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.kernels.assembly import AssemblyView
from dynamo_lab.view.kernels.kernels import KernelView

_CODE = 6_000
_ASSEMBLED = 8
"""How many assemblies are shown: a saved notebook keeps them all."""


def blocks(view: View) -> Iterator[Block]:
    """A collapsible block for each kernel."""
    if not view.kernels.kernels and view.kernels.empty:
        yield tag("p", view.kernels.empty)
    assembled = {one.kernel: one for one in view.kernels.assemblies[:_ASSEMBLED]}
    for kernel in view.kernels.kernels:
        yield partial(_with_assembly, kernel, assembled.get(kernel.id))


def _with_assembly(kernel: KernelView, below: AssemblyView | None) -> Markup:
    block = kernel_block(kernel)
    return block if below is None else join(block, _assembly(below))


def kernel_block(kernel: KernelView) -> Markup:
    """A kernel as one line that opens to show its code."""
    calls = plural(kernel.calls, "call") if kernel.calls > 1 else ""
    facts = [kernel.language, kernel.where, calls, kernel.coverage]
    aside = " · ".join(shortened(fact, 200) for fact in facts if fact)
    head = f"{kernel.id}: {shortened(kernel.title, 200)} · {aside}"
    notes = [tag("p", tag("small", shortened(note, 600))) for note in kernel.notes]
    return details(head, *notes, _code(kernel.code)) if kernel.code else tag("p", head, *notes)


def _assembly(found: AssemblyView) -> Markup:
    facts = " · ".join((*found.resources, found.chosen))
    lowest = found.levels[-1:]
    names = ", ".join(level.name for level in lowest)
    head = f"{found.kernel}: {shortened(names, 80)} for {shortened(found.target, 80)}"
    return details(head, tag("p", shortened(facts, 600)), *(_code(one.text) for one in lowest))


def _code(text: str) -> Markup:
    text = text.strip("\n")
    left = text[_CODE:].count("\n")
    more = [f"\n… {plural(left, 'more line', 'more lines')}"] if left else []
    return pre(clipped(text, _CODE), *more)
