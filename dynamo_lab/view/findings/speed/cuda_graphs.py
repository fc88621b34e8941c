"""CUDA graphs that a program asks for, and that are not used, or only for parts of a graph."""

from collections.abc import Iterator
from typing import NamedTuple

from dynamo_lab.model.lowering import CudaGraphs
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import percent
from dynamo_lab.view.findings import traffic
from dynamo_lab.view.findings.arguments import argument_of
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of
from dynamo_lab.view.lowering.cudagraphs import reason_text, unused


class _Cause(NamedTuple):
    """What keeps operations out: how many, where, why, and what to do."""

    left_out: int
    node: int
    why: str
    remedy: str
    code: str


_AS_SET = ("dynamic shape ops", "cudagraph_skip_dynamic_graphs")
"""Reasons that only the setting gives that leaves out what has open sizes: it is on on purpose.

Source: `torch/_inductor/scheduler.py` and `compile_fx.py`, torch 2.13.
"""


def find(facts: Facts) -> Iterator[Found]:
    """What keeps operations out, of each graph of a program that asked for CUDA graphs."""
    for found in facts.recording.cuda_graphs:
        for cause in _causes(found, facts) if found.asked else ():
            line = line_of(facts, [(found.graph, cause.node)])
            if line:
                yield _found(facts, found, cause, line)


def _causes(found: CudaGraphs, facts: Facts) -> Iterator[_Cause]:
    """Why the whole is left out, if it is and the node is known; else a write, and an operation."""
    if any(reason in found.skipped for reason in _AS_SET):
        return
    if found.skipped:
        if found.node is not None:
            every = sum(part.operations for part in found.pieces)
            yield _Cause(every, found.node, reason_text(found.skipped), *_remedy(found.skipped))
        return
    if found.mutated:
        yield _written(found, facts)
    yield from _not_recorded(found)


def _not_recorded(found: CudaGraphs) -> Iterator[_Cause]:
    """The first operation that no CUDA graph can have, with all that are left out for its reason.

    What is left out for another is told once this one is mended.
    """
    left = [
        part
        for part in found.pieces
        if not part.is_recorded and part.node is not None and part.reason not in _AS_SET
    ]
    for first in left[:1]:
        count = sum(part.operations for part in left if part.reason == first.reason)
        yield _Cause(count, first.node or 0, reason_text(first.reason), *_remedy(first.reason))


def _written(found: CudaGraphs, facts: Facts) -> _Cause:
    """An input that is written to, with its name as the reader wrote it, where that is known."""
    node = found.mutated[0]
    inputs = facts.recording.graphs[found.graph].nodes.inputs[node]
    name = argument_of(facts, (found.graph, inputs[0])) if inputs else ""
    what = f"the input `{name}`" if name else "an input"
    return _Cause(
        sum(part.operations for part in unused(found)),
        node,
        f"it writes to {what}, and the next call may pass another tensor",
        "Return the new value instead of writing it to the input, or keep it as a buffer of a "
        "module. If each call passes the same tensor, say so before the first one.",
        f"torch._dynamo.mark_static_address({name or 'tensor'})",
    )


def _remedy(reason: str) -> tuple[str, str]:
    if "cond" in reason or "while_loop" in reason or reason == "Conditional ops":
        return (
            "Compute both sides and choose by element, if they are cheap.",
            "torch.where(c, a, b)",
        )
    if "cpu" in reason or reason == "DeviceCopy ops":
        return (
            "Make the tensor on the GPU, where the others are.",
            "torch.tensor(v, device=x.device)",
        )
    if "unbacked" in reason:
        return "Keep the size fixed: a mask with `torch.where` in place of an index.", ""
    return "Move this operator out of the compiled function, before or after it.", ""


def _found(facts: Facts, found: CudaGraphs, cause: _Cause, line: Line) -> Found:
    every = max(1, sum(part.operations for part in found.pieces))
    where, share = facts.places.where(line), cause.left_out / every
    none = cause.left_out == every
    out = "the graph" if none else f"{percent(share)} of the operations"
    finding = Finding(
        rule="cuda-graph-not-used",
        question="speed",
        sentence=(
            f"{where} keeps {out} out of CUDA graphs: {cause.why}. "
            f"{'Each kernel is' if none else 'Those are'} launched from Python as without the mode."
        ),
        where=where,
        entity=entity(line),
        evidence=(
            Evidence(
                text="PyTorch's own rules were asked, before code was generated",
                tab="lowering",
                entity=f"node:{found.graph}:{cause.node}",
            ),
        ),
        grade="fill in",
        remedy=cause.remedy,
        code=cause.code,
        gain=_gain(facts, found, cause),
        cost=min(1.0, share) if share else 1.0,
    )
    return Found(
        finding,
        line=line,
        about=frozenset({f"cuda_graph:{found.graph}"}),
        explains=frozenset({f"waits:{entity(line)}"}),
    )


def _gain(facts: Facts, found: CudaGraphs, cause: _Cause) -> Gain | None:
    """The launches from Python in a call, where this cause alone keeps the whole graph out."""
    calls = traffic.kernel_calls(facts.recording, found.graph)
    if calls < 2 or cause.left_out < sum(part.operations for part in found.pieces):
        return None
    how = "counted: one CUDA graph in place of every kernel's call"
    return Gain(metric="kernel calls", before=calls, after=1, how=how)
