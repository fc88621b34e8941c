"""After lesson 14: operators as recipes, recipes as C, a graph with kernels in it.

In comes a graph of ATen operators; out comes the same graph, in which kernels compute what has a
rule.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from functorch.compile import aot_module_simplified
from torch.fx.node import map_arg

from dynamo_lab.course.inductor.workshop import indented, put_in

aten = torch.ops.aten


@dataclass
class Lazy:
    """A tensor that is not in memory: its shape, and a recipe for one element."""

    shape: tuple
    at: Callable  # at(ops, index) is the element there
    over: tuple = ()  # for lesson 15: the dimensions that are joined into one,
    join: str = ""  # and how


def apply(name, *operands):
    """The recipe of an operator: get an element of each operand, then do `name` with them."""
    lazy = [x if isinstance(x, Lazy) else number(x) for x in operands]
    shape = torch.broadcast_shapes(*(x.shape for x in lazy))
    return Lazy(shape, lambda ops, i: ops(name, *(x.at(ops, fit(i, x.shape)) for x in lazy)))


def number(value):
    """A number, as a tensor without dimensions."""
    return Lazy((), lambda ops, index: ops.number(value))


def stored(node):
    """A tensor in memory, as a node of the graph: its recipe is to load the element."""
    return Lazy(tuple(node.meta["val"].shape), lambda ops, index: ops.load(node, index))


def fit(index, shape):
    """Where an operand's element is: its dimensions are the last ones, and size 1 is repeated."""
    last = index[len(index) - len(shape) :]
    return tuple(0 if size == 1 else i for i, size in zip(last, shape, strict=True))


C = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-({0})",
    "exp": "expf({0})",
    "tanh": "tanhf({0})",
    "rsqrt": "1 / sqrtf({0})",
    "pow": "powf({0}, {1})",
    "gt": "{0} > {1}",
    "where": "{0} ? {1} : {2}",
}


class CText:
    """Runs a recipe on text: each operation becomes a line of C, and its name is the value."""

    table, line = C, "float {} = {};"

    def __init__(self):
        self.lines, self.known, self.reads = [], {}, []

    def __call__(self, name, *values):
        return self.let(self.table[name].format(*values))

    def let(self, text):
        """The name of what a text computes; the same text is computed once."""
        if text not in self.known:
            self.known[text] = f"t{len(self.lines)}"
            self.lines.append(self.line.format(self.known[text], text))
        return self.known[text]

    def number(self, value):
        """A number, as C writes it."""
        words = {"inf": "INFINITY", "-inf": "-INFINITY", "nan": "NAN"}
        return words.get(str(float(value)), f"{float(value)}f")

    def load(self, node, index):
        """An element of a tensor in memory, which becomes an argument of the kernel."""
        text = self.element(node, place(node, index))
        if text not in self.known and node not in self.reads:
            self.reads.append(node)
        return self.let(text)

    def element(self, node, at):
        """The element of a tensor at some place in its memory."""
        return f"{node.name}[{at}]"

    def store(self, node, at, value):
        """Write an element."""
        self.lines.append(self.assignment(node, at, value))

    def assignment(self, node, at, value):
        """The line that writes it."""
        return f"{self.element(node, at)} = {value};"


def place(node, index):
    """Where an element lies in its memory: the strides of the tensor say it."""
    steps = zip(index, node.meta["val"].stride(), strict=True)
    parts = [i if step == 1 else f"{i} * {step}" for i, step in steps if i != 0 and step != 0]
    return " + ".join(parts) or "0"


TYPES = {torch.float32: "float", torch.bool: "_Bool"}


def c_source(name, loops):
    """A kernel as C: its loops, and inside of them the lines that the recipe writes."""
    [(node, recipe)] = loops  # one; lesson 16 puts several into a kernel
    index, ops = names(recipe.shape), CText()
    ops.store(node, place(node, index), recipe.at(ops, index))
    body = [*heads(recipe.shape, range(len(index))), "{", *ops.lines, "}"]
    return function(name, [*ops.reads, node], body), ops.reads, [node]


def names(shape):
    """A name for each loop: i0, i1, ..."""
    return tuple(f"i{d}" for d in range(len(shape)))


def heads(shape, dims):
    """The heads of loops over some dimensions."""
    return [f"for (long i{d} = 0; i{d} < {shape[d]}; i{d}++)" for d in dims]


def function(name, nodes, body):
    """A C function that is given the memory of each node."""
    given = ", ".join(f"{TYPES[n.meta['val'].dtype]} *restrict {n.name}" for n in nodes)
    return indented([f"void {name}({given}) {{", *body, "}"])


OPERATORS = {
    aten.add.Tensor: "add",
    aten.sub.Tensor: "sub",
    aten.mul.Tensor: "mul",
    aten.div.Tensor: "div",
    aten.neg.default: "neg",
    aten.exp.default: "exp",
    aten.tanh.default: "tanh",
    aten.rsqrt.default: "rsqrt",
    aten.pow.Tensor_Scalar: "pow",
    aten.gt.Scalar: "gt",
    aten.where.self: "where",
}
RULES = {target: partial(apply, name) for target, name in OPERATORS.items()}


def lower(gm):
    """The loops of a graph: what has to be in memory, each node with the recipe for it."""
    recipes, loops = {}, {}
    for node in filter(is_ours, gm.graph.nodes):
        recipe = RULES[node.target](*map_arg(node.args, lambda n: recipes.get(n) or stored(n)))
        if recipe.over or len(node.users) > 1 or not all(map(is_ours, node.users)):
            loops[node], recipe = recipe, stored(node)
        recipes[node] = recipe
    return list(loops.items())


def is_ours(node):
    """Has it a rule, and tensors that we can compute with?"""
    if node.target not in RULES or node.kwargs:
        return False
    compares = node.target is aten.gt.Scalar
    if (node.meta["val"].dtype == torch.bool) != compares:
        return False
    return all(fits(n.meta["val"]) for n in (node, *node.all_input_nodes))


def fits(value):
    """Is it a tensor of a type that we know, on the CPU, whose sizes are numbers?"""
    if getattr(value, "dtype", None) not in TYPES or value.device.type != "cpu":
        return False
    return all(isinstance(size, int) for size in value.shape)


def compile_graph(gm, inputs):
    """What AOTAutograd calls: a kernel for each loop."""
    return put_in(gm, [[loop] for loop in lower(gm)], c_source)


def mine(gm, inputs):
    """The backend: the captured graph becomes ATen operators, and they become kernels."""
    return aot_module_simplified(gm, inputs, fw_compiler=compile_graph)
