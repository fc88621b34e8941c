"""Attention written by hand: the matrix of every query with every key is in memory."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from dynamo_lab.model.fusion.memory import MemoryPlan
from dynamo_lab.model.graphs import Graph, NodeTable
from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import listed, percent, size
from dynamo_lab.view.findings import ops, traffic
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of
from dynamo_lab.view.fusion import peaks

_PRODUCTS = ("matmul", "bmm", "einsum", "baddbmm")
_SAME = ("to", "float", "type_as", "reshape", "view", "contiguous")
"""What leaves the scores as they are."""
_SCALED = (
    "mul",
    "div",
    "truediv",
    "add",
    "sub",
    "masked_fill",
    "where",
    "dropout",
    "softmax",
    *_SAME,
)
_MASKS = {"add", "sub", "masked_fill", "where"}
_FUNCTIONS = ("tanh", "sigmoid", "relu", "exp", "abs", "square")
"""Functions of one tensor, each of one element alone."""
_NUMBER = re.compile(r"\d+(\.\d+)?(e-?\d+)?")
_CALL = "out = torch.nn.functional.scaled_dot_product_attention({}, scale={}){}"
_HEADED = "q[:, None], k[:, None], v[:, None]"
_FLEX = """from torch.nn.attention.flex_attention import flex_attention

def score_mod(score, batch, head, query, key):
    return {}

out = flex_attention({}, score_mod=score_mod, scale={}){}"""

_NEAR = 200
"""How many nodes after a softmax the product that reads it is looked for."""

_WORTH = 0.25
"""The share of the peak from which on it is told."""


def find(facts: Facts) -> Iterator[Found]:
    """Each softmax between two matrix products whose result is larger than all their operands."""
    for graph in facts.recording.captured_graphs():
        seen = set[Line]()
        for at in ops.calls(graph.nodes):
            if ops.name(graph.nodes, at) != "softmax" or not _is_attention(graph.nodes, at):
                continue
            line = line_of(facts, [(graph.id, at)])
            if line and line not in seen:
                seen.add(line)
                yield from _found(facts, graph, at, line)


def _is_attention(table: NodeTable, softmax: int) -> bool:
    product = _above(table, softmax)
    reader = product is not None and _below(table, softmax)
    if product is None or not reader:
        return False
    operands = ops.total(table, (*table.inputs[product], reader))
    return (ops.value(table, softmax).bytes or 0) > operands


def _above(table: NodeTable, softmax: int) -> int | None:
    """The product whose elements are scaled, masked and put through the softmax."""
    between = _between(table, softmax)
    return None if between is None else between[-1]


def _between(table: NodeTable, softmax: int) -> list[int] | None:
    """The nodes from the softmax up to the product, which is the last; None where there is none."""
    passed, wanted = [softmax], _size(table, softmax)
    for _ in range(8):
        above = next((i for i in table.inputs[passed[-1]] if _size(table, i) == wanted), None)
        if above is None:
            return None
        passed.append(above)
        if ops.name(table, above) in _PRODUCTS:
            return passed
    return None


def _below(table: NodeTable, softmax: int) -> int | None:
    """The product that reads the softmax, perhaps after dropout."""
    of = {softmax}
    for at in range(softmax + 1, min(len(table), softmax + _NEAR)):
        if of.isdisjoint(table.inputs[at]):
            continue
        if ops.name(table, at) in _PRODUCTS:
            return at
        if ops.name(table, at) in _SCALED and _size(table, at) == _size(table, softmax):
            of.add(at)
    return None


class _Scores(NamedTuple):
    """What becomes of the products: the constant that they are multiplied by, and what else.

    `formula` is the rest as an expression of `score`; empty where there is none, or more in it than
    constants and functions of one tensor.
    """

    scale: str
    others: tuple[str, ...] = ()
    formula: str = ""

    @property
    def is_mask(self) -> bool:
        """Whether all the rest can be said by `attn_mask`."""
        return set(self.others) <= _MASKS


def _scores(table: NodeTable, softmax: int) -> _Scores:
    """What stands between the first product and the softmax.

    PyTorch's own scale, one over the root of the features, is never what a program without it does.
    """
    steps = list(reversed((_between(table, softmax) or [])[1:-1]))
    factors, others, formula = list[str](), list[str](), "score"
    for at in steps:
        name, factor = ops.name(table, at), _factor(table, at)
        if name in _SAME:
            continue
        if factor and not others:  # what comes after another operator is no scale of the products
            factors.append(factor)
            continue
        others.append(name)
        if factor:
            formula = formula and f"{formula} * {factor}"
        else:
            formula = f"torch.{name}({formula})" if formula and name in _FUNCTIONS else ""
    return _Scores(" * ".join(factors) or "1.0", tuple(others), formula if others else "")


def _factor(table: NodeTable, at: int) -> str:
    """The constant that an operator multiplies its one operand by; empty for any other."""
    name = ops.name(table, at)
    if len(table.inputs[at]) != 1 or name not in ("mul", "div", "truediv"):
        return ""
    first, _, last = table.arguments[at].rpartition(", ")
    if _NUMBER.fullmatch(last):
        return last if name == "mul" else f"1 / {last}"
    return first if name == "mul" and _NUMBER.fullmatch(first) else ""


def _size(table: NodeTable, at: int) -> tuple[str, ...]:
    return tuple(sorted(one for one in ops.value(table, at).shape if one != "1"))


def _found(facts: Facts, graph: Graph, at: int, line: Line) -> Iterator[Found]:
    """One finding for the forward's memory plan, if the matrix is a large part of its peak."""
    recording = facts.recording
    lowered = [
        g.id for g in ops.lowered_graphs(recording.graphs, graph.compile_id) if not g.is_backward
    ]
    for plan in traffic.plans_of(recording, lowered):
        of = recording.schedules[plan.schedule].graph
        names = [name for name in _matrices(facts, plan, of, (graph.id, at))]
        peak = peaks.peak_of(recording, plan)
        held = sum(one.bytes or 0 for one in peak.holders if one.name in names)
        if names and peaks.is_known(plan) and held >= _WORTH * peak.bytes:
            after = peaks.peak_without(recording, plan, names)
            yield _finding(facts, line, (graph.id, at), held, peak.bytes, after)


def _matrices(facts: Facts, plan: MemoryPlan, graph: int, softmax: NodeKey) -> Iterator[str]:
    """The buffers as large as the softmax that come from its line or from what it reads."""
    table = facts.recording.graphs[softmax[0]].nodes
    bytes_of = ops.value(table, softmax[1]).bytes
    product = _above(table, softmax[1])
    wanted = {softmax, (softmax[0], product)}
    for buffer in facts.recording.buffers:
        if buffer.graph == graph and buffer.bytes == bytes_of:
            made = [(graph, node) for node in buffer.nodes]
            if not wanted.isdisjoint(facts.ancestry.above(made)):
                yield buffer.name


def _remedy(scores: _Scores) -> str:
    """What to call, and what that does not do by itself."""
    told = "which computes it block by block and never stores the matrix"
    four = "for operands of four dimensions: batch, heads, length, features"
    rounding = "Sums are then in another order: results differ by rounding."
    names = listed([f"`{name}`" for name in dict.fromkeys(scores.others)])
    if not scores.others:
        return f"Call `scaled_dot_product_attention`, {told}, {four}. {rounding}"
    if scores.is_mask:
        return (
            f"Call `scaled_dot_product_attention`, {told}, {four}. {rounding} The scores go "
            f"through {names} as well: what is added to them or masked is `attn_mask`."
        )
    return (
        f"The scores go through {names} as well, which `scaled_dot_product_attention` does not do. "
        f"Call `flex_attention` in compiled code, {told}, {four}, with what becomes of a score as "
        f"`score_mod`. On a CPU it computes no gradients. {rounding} A factor of a whole query, or "
        "of a head, can also be multiplied into q before."
    )


def _code(scores: _Scores, rank: int) -> str:
    operands, after = ("q, k, v", "") if rank == 4 else (_HEADED, "[:, 0]")
    if scores.others and not scores.is_mask:
        changed = scores.formula or "...  # what becomes of a score"
        return _FLEX.format(changed, operands, scores.scale, after)
    mask = ", attn_mask=mask" if scores.others else ""
    return _CALL.format(operands, scores.scale + mask, after)


def _finding(facts: Facts, line: Line, node: NodeKey, held: int, before: int, after: int) -> Found:
    where = facts.places.where(line)
    table = facts.recording.graphs[node[0]].nodes
    scores = _scores(table, node[1])
    finding = Finding(
        rule="attention-matrix",
        question="memory",
        sentence=(
            f"{where} writes attention out: the matrix of every query with every key takes "
            f"{size(held)}, {percent(held / before)} of the peak of {size(before)}. It grows with "
            "the square of the length."
        ),
        where=where,
        entity=entity(line),
        evidence=(
            Evidence(
                text=f"{size(held)} at the peak are this matrix",
                tab="fusion",
                entity=f"node:{node[0]}:{node[1]}",
            ),
        ),
        grade="may change meaning",
        remedy=_remedy(scores),
        code=_code(scores, len(ops.value(table, node[1]).shape)),
        gain=Gain(
            metric="bytes",
            before=before,
            after=after,
            how="replayed: the plan of memory without the matrix",
        ),
        cost=min(1.0, held / before),
    )
    return Found(finding, line=line, about=frozenset({f"node:{node[0]}:{node[1]}"}))
