"""Attention as a program writes it: which product is scored, what stands between, what reads it."""

import re
from itertools import pairwise
from typing import NamedTuple

from dynamo_lab.model.graphs import NodeTable
from dynamo_lab.view.findings import ops

_PRODUCTS = ("matmul", "bmm", "einsum", "baddbmm")
_SAME = ("to", "float", "type_as", "reshape", "view", "contiguous")
"""What leaves the scores as they are."""
_HIDDEN = -1e4
"""What is at most this, as minus infinity and the least number of a type, a softmax makes 0."""
_FUNCTIONS = ("tanh", "sigmoid", "relu", "exp", "abs", "square")
"""Functions of one tensor, each of one element alone."""
_NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?")


def is_attention(table: NodeTable, softmax: int, readers: ops.Readers) -> bool:
    """Whether a softmax is between two products, and larger than what they take."""
    product = product_above(table, softmax)
    if product is None or not _is_over_keys(table, softmax):
        return False
    reader = weighted_by(table, softmax, readers)
    if reader is None:
        return False
    operands = ops.total(table, (*table.inputs[product], reader.product))
    return (ops.value(table, softmax).bytes or 0) > operands


_DIM = re.compile(r"\bdim=(-?\d+)|^[^,]+, (-?\d+)")


def _is_over_keys(table: NodeTable, softmax: int) -> bool:
    """Whether it is taken over the last dimension, as far as its arguments say."""
    found = _DIM.search(table.arguments[softmax].strip("()"))
    rank = len(ops.value(table, softmax).shape)
    return found is not None and int(found[1] or found[2]) in (-1, rank - 1)


def product_above(table: NodeTable, softmax: int) -> int | None:
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


class Weighted(NamedTuple):
    """The product that alone reads the weights, and the share that dropout takes before."""

    product: int
    dropout: str = ""


_OFF = re.compile(r"training=False|^[^,]+, [^,=]+, False")
_SHARE = re.compile(r"\bp=([^,]+)|^[^,]+, ([^,=]+)(?:,|$)")
_EQUATION = re.compile(r"'([^']+)'")


def weighted_by(table: NodeTable, softmax: int, readers: ops.Readers) -> Weighted | None:
    """The one product that reads the softmax, and sums over keys; None where anything else does."""
    at, dropout = softmax, ""
    for _ in range(8):
        weights = at
        if len(readers[at]) != 1:
            return None
        [at] = readers[at]
        name = ops.name(table, at)
        if name in _PRODUCTS:
            return Weighted(at, dropout) if _is_over_values(table, at, weights) else None
        if name not in ("dropout", *_SAME) or _size(table, at) != _size(table, softmax):
            return None
        if name == "dropout":
            dropout = _share(table.arguments[at].strip("()")) or dropout
    return None


def _share(arguments: str) -> str:
    """What dropout leaves out, `p` where that is no constant; empty where it leaves out nothing."""
    if _OFF.search(arguments):
        return ""
    found = _SHARE.search(arguments)
    share = (found[1] or found[2]) if found else "0.5"
    if not _NUMBER.fullmatch(share):
        return "p"
    return share if float(share) else ""


def _is_over_values(table: NodeTable, product: int, weights: int) -> bool:
    """Whether a product sums over the keys, the last dimension of the weights, for each query."""
    place = table.inputs[product].index(weights)
    if ops.name(table, product) != "einsum":
        return place == 0
    equation = _EQUATION.search(table.arguments[product])
    taken, _, kept = equation[1].replace(" ", "").partition("->") if equation else ("", "", "")
    operands = taken.split(",")
    if not kept or len(operands) != 2 or len(operands[place]) < 2:
        return False
    query, key = operands[place][-2:]
    return query in kept and key not in kept and key in operands[1 - place]


class Scores(NamedTuple):
    """What becomes of the products: the constant that they are multiplied by, and what else.

    `formula` is the rest as an expression of `score`; empty where there is none, or more in it than
    constants and functions of one tensor. `mask` is the rest as `attn_mask`, empty where it is not
    only added or filled with what a softmax makes 0.
    """

    scale: str
    others: tuple[str, ...] = ()
    formula: str = ""
    mask: str = ""


def scores_of(table: NodeTable, softmax: int) -> Scores:
    """What stands between the first product and the softmax.

    PyTorch's own scale, one over the root of the features, is never what a program without it does.
    """
    passed = list(reversed((_between(table, softmax) or [])[1:]))
    factors, others, masks, formula = list[str](), list[str](), list[str](), "score"
    for above, at in pairwise(passed):
        name, factor = ops.name(table, at), _factor(table, at)
        if name in _SAME:
            continue
        if factor and not others:  # what comes after another operator is no scale of the products
            factors.append(factor)
            continue
        others.append(name)
        masks.append(_mask(table, at, above))
        if factor:
            formula = formula and f"{formula} * {factor}"
        else:
            formula = f"torch.{name}({formula})" if formula and name in _FUNCTIONS else ""
    mask = (masks[0] if len(masks) == 1 else "mask") if masks and all(masks) else ""
    return Scores(" * ".join(factors) or "1.0", tuple(others), formula if others else "", mask)


def _mask(table: NodeTable, at: int, scores: int) -> str:
    """An operator on scores as a mask that is added, or True where they stay; empty if none."""
    name, arguments = ops.name(table, at).rstrip("_"), table.arguments[at].split(", ")
    if name in ("add", "sub") and len(arguments) == 2:
        is_taken_off = table.inputs[at][0] == scores
        return "mask" if name == "add" else "-mask" if is_taken_off else ""
    hidden = [_is_hidden(one.removeprefix("value=")) for one in arguments]
    if name == "masked_fill":
        return "~mask" if hidden[-1] else ""
    if name == "where" and len(arguments) == 3:
        return "mask" if hidden[2] else "~mask" if hidden[1] else ""
    return ""


def _is_hidden(filled: str) -> bool:
    """Whether nothing is left of scores that are filled with this; no where it is no constant."""
    number = filled.removeprefix("-")
    is_constant = number == "inf" or _NUMBER.fullmatch(number) is not None
    return is_constant and float(filled) <= _HIDDEN


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
