"""After lesson 15: sums and maxima, loops inside of loops, and what is made of them.

In comes the same graph, with softmax and layer norm taken apart; a loop may now join elements.
"""

from functools import partial
from math import inf, prod

import torch
from functorch.compile import aot_module_simplified

from dynamo_lab.course.inductor.loops import (
    RULES,
    C,
    CText,
    Lazy,
    aten,
    function,
    heads,
    lower,
    names,
    place,
)
from dynamo_lab.course.inductor.workshop import put_in


def reduction(join, x, dims, keepdim=False):
    """A loop over all of `x`, in which elements that differ in `dims` alone are joined."""
    over = sorted(d % len(x.shape) for d in dims or range(len(x.shape)))
    return Lazy(x.shape, x.at, tuple(over), join)


JOINS = {"sum": ("add", 0.0), "max": ("max", -inf)}
C["max"] = "{0} > {1} || {0} != {0} ? {0} : {1}"
RULES[aten.sum.dim_IntList] = partial(reduction, "sum")
RULES[aten.amax.default] = partial(reduction, "max")


def goes_to(node, recipe, index):
    """Where a loop stores: joined dimensions have size 1 in the result, or are gone from it."""
    if len(node.meta["val"].shape) < len(index):
        return place(node, [i for d, i in enumerate(index) if d not in recipe.over])
    return place(node, [0 if d in recipe.over else i for d, i in enumerate(index)])


def c_source(name, loops):
    """A kernel as C; where elements are joined, a loop inside of the loops collects them."""
    [(node, recipe)] = loops
    index, ops = names(recipe.shape), CText()
    rows = [d for d in range(len(index)) if d not in recipe.over]
    value = recipe.at(ops, index)
    if recipe.over:
        how, start = JOINS[recipe.join]
        ops.lines.append(f"joined = {C[how].format('joined', value)};")
        inner = [*heads(recipe.shape, recipe.over), "{", *ops.lines, "}"]
        ops.lines, value = [f"float joined = {ops.number(start)};", *inner], "joined"
    ops.store(node, goes_to(node, recipe, index), value)
    body = [*heads(recipe.shape, rows), "{", *ops.lines, "}"]
    return function(name, [*ops.reads, node], body), ops.reads, [node]


def softmax(x, dim, half_to_float):
    """Softmax, of operators that have rules; the largest is subtracted, so that none overflows."""
    e = torch.exp(x - x.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)


def layer_norm(x, shape, weight, bias, eps):
    """Layer norm, and what its backward needs: the mean, and 1 / standard deviation."""
    dims = list(range(-len(shape), 0))
    mean = x.sum(dims, keepdim=True) / prod(shape)
    centred = x - mean
    variance = (centred * centred).sum(dims, keepdim=True) / prod(shape)
    rstd = torch.rsqrt(variance + eps)
    normed = centred * rstd
    normed = normed if weight is None else normed * weight
    return normed if bias is None else normed + bias, mean, rstd


DECOMPOSITIONS = {aten._softmax.default: softmax, aten.native_layer_norm.default: layer_norm}


def compile_graph(gm, inputs):
    """What AOTAutograd calls: a kernel for each loop."""
    return put_in(gm, [[loop] for loop in lower(gm)], c_source)


def mine(gm, inputs):
    """The backend: what has a decomposition is taken apart before our compiler is called."""
    return aot_module_simplified(
        gm, inputs, fw_compiler=compile_graph, decompositions=DECOMPOSITIONS
    )
