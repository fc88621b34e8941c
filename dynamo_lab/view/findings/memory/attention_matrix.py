"""Attention written by hand: the matrix of every query with every key is in memory."""

import re
from collections.abc import Iterator
from itertools import islice
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
_MASKS = {"add", "sub", "masked_fill", "where"}
_FUNCTIONS = ("tanh", "sigmoid", "relu", "exp", "abs", "square")
"""Functions of one tensor, each of one element alone."""
_NUMBER = re.compile(r"\d+(\.\d+)?(e-?\d+)?")
_CALL = "out = torch.nn.functional.scaled_dot_product_attention({}, scale={}){}"
_AS_FOUR = {
    2: ("q[None, None], k[None, None], v[None, None]", "[0, 0]"),
    3: ("q[:, None], k[:, None], v[:, None]", "[:, 0]"),
    4: ("q, k, v", ""),
}
"""By their dimensions, how operands become those of four, and the result what it was."""
_FLEX = """from torch.nn.attention.flex_attention import flex_attention

def score_mod(score, batch, head, query, key):
    return {}

out = flex_attention({}, score_mod=score_mod, scale={}){}"""

_WORTH = 0.25
"""The share of the peak from which on it is told."""


def find(facts: Facts) -> Iterator[Found]:
    """Each softmax between two matrix products whose result is larger than all their operands.

    Not one over queries, nor one whose weights are read by more than the product: what
    `scaled_dot_product_attention` computes is neither.
    """
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
    reader = product is not None and _is_over_keys(table, softmax) and _weighted(table, softmax)
    if product is None or not reader:
        return False
    operands = ops.total(table, (*table.inputs[product], reader.product))
    return (ops.value(table, softmax).bytes or 0) > operands


_DIM = re.compile(r"\bdim=(-?\d+)|^[^,]+, (-?\d+)")


def _is_over_keys(table: NodeTable, softmax: int) -> bool:
    """Whether it is taken over the last dimension, as far as its arguments say."""
    found = _DIM.search(table.arguments[softmax].strip("()"))
    rank = len(ops.value(table, softmax).shape)
    return found is not None and int(found[1] or found[2]) in (-1, rank - 1)


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


class _Weighted(NamedTuple):
    """The product that alone reads the weights, and the share that dropout takes before."""

    product: int
    dropout: str = ""


_OFF = re.compile(r"training=False|^[^,]+, [^,=]+, False")
_SHARE = re.compile(r"\bp=([\d.]+)|^[^,]+, ([\d.]+)")


def _weighted(table: NodeTable, softmax: int) -> _Weighted | None:
    """The one product that reads the softmax; None where anything else does."""
    at, dropout = softmax, ""
    for _ in range(8):
        readers = list(islice(ops.readers(table, at), 2))
        if len(readers) != 1:
            return None
        [at] = readers
        name = ops.name(table, at)
        if name in _PRODUCTS:
            return _Weighted(at, dropout)
        if name not in ("dropout", *_SAME) or _size(table, at) != _size(table, softmax):
            return None
        if name == "dropout" and not _OFF.search(arguments := table.arguments[at].strip("()")):
            found = _SHARE.search(arguments)
            dropout = (found[1] or found[2]) if found else "0.5"
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


def _remedy(scores: _Scores, dropout: str) -> str:
    """What to call, and what that does not do by itself."""
    return f"{_call(scores)} Dropout draws other random numbers then." if dropout else _call(scores)


def _call(scores: _Scores) -> str:
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
            f"{_true(scores)}"
        )
    return (
        f"The scores go through {names} as well, which `scaled_dot_product_attention` does not do. "
        f"Call `flex_attention` in compiled code, {told}, {four}, with what becomes of a score as "
        f"`score_mod`. On a CPU it computes no gradients. {rounding} A factor of a whole query, or "
        "of a head, can also be multiplied into q before."
    )


def _true(scores: _Scores) -> str:
    """What True means in a mask, which `masked_fill` takes the other way round."""
    is_filled = "masked_fill" in scores.others
    return " True keeps a score there; `masked_fill` fills where it is True." if is_filled else ""


def _code(scores: _Scores, rank: int, dropout: str) -> str:
    """The call; what it is given besides q, k and v is left to fill in."""
    several = ", ".join(f"{one}.flatten(0, {rank - 4})" for one in "qkv")
    flattened = (several, f".unflatten(0, q.shape[:{rank - 3}])")
    operands, after = _AS_FOUR.get(rank, flattened)
    if scores.others and not scores.is_mask:
        changed = scores.formula or "...  # what becomes of a score"
        return _FLEX.format(changed, operands, scores.scale, after)
    given = [scores.scale]
    if scores.others:
        given.append(f"attn_mask={'~' * (scores.others == ('masked_fill',))}mask")
    if dropout:
        given.append(f"dropout_p={dropout}")
    return _CALL.format(operands, ", ".join(given), after)


def _finding(facts: Facts, line: Line, node: NodeKey, held: int, before: int, after: int) -> Found:
    where = facts.places.where(line)
    table = facts.recording.graphs[node[0]].nodes
    scores, weighted = _scores(table, node[1]), _weighted(table, node[1])
    dropout = weighted.dropout if weighted else ""
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
        remedy=_remedy(scores, dropout),
        code=_code(scores, len(ops.value(table, node[1]).shape), dropout),
        gain=Gain(
            metric="bytes",
            before=before,
            after=after,
            how="replayed: the plan of memory without the matrix",
        ),
        cost=min(1.0, held / before),
    )
    return Found(finding, line=line, about=frozenset({f"node:{node[0]}:{node[1]}"}))
