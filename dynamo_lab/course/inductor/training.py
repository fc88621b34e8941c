"""After lesson 17: Triton from the same loops, and a backward.

In come the kernels of a graph; out comes their text for a GPU. The backward is one more graph.
"""

from math import isfinite, prod

import torch
from functorch.compile import aot_module_simplified, default_decompositions

from dynamo_lab.course.inductor.fusion import FusedC, compile_graph, space, write
from dynamo_lab.course.inductor.loops import RULES, C, apply, aten
from dynamo_lab.course.inductor.reductions import DECOMPOSITIONS, JOINS


TRITON = {
    **C,
    "exp": "tl.exp({0})",
    "tanh": "tanh({0})",
    "rsqrt": "tl.rsqrt({0})",
    "gt": "({0} > {1}).to(tl.float32)",
    "where": "tl.where({0} != 0, {1}, {2})",
}
WHOLE = {"sum": "tl.sum({0}, 0)", "max": "tl.reduce({0}, 0, larger)"}


class TritonText(FusedC):
    """Runs the same recipes on Triton: a name is a block of values, a row of them side by side."""

    table, line = TRITON, "{} = {}"

    def number(self, value):
        """A number, as Triton writes it."""
        return str(float(value)) if isfinite(value) else f'float("{float(value)}")'

    def mask(self, at):
        """Across a row, some elements of the block may not be inside of it."""
        across = {f"i{d}" for d in self.over or range(len(self.shape))}
        return ", inside" if across & set(at.split()) else ""

    def element(self, node, at):
        """What loads an element, or a block of them."""
        return f"tl.load({node.name} + {at}{self.mask(at)}).to(tl.float32)"

    def assignment(self, node, at, value):
        """What stores them."""
        return f"tl.store({node.name} + {at}, {value}{self.mask(at)})"

    def begin(self, joins):
        """There is no inner loop: a row is there as a whole."""

    def join(self, name, join, value):
        """All of a row is joined at once; what is not inside of it must not count."""
        start = self.number(JOINS[join][1])
        self.lines.append(f"{name} = {WHOLE[join].format(f'tl.where(inside, {value}, {start})')}")

    def end(self):
        """Its values stay known."""


def triton_source(name, loops):
    """The kernel in Triton: one program for each row, or for each block if nothing is joined."""
    shape, over, rows = space(loops)
    ops = TritonText(shape, over)
    reads, writes = write(ops, loops, rows)
    outer = [d for d in range(len(shape)) if over and d not in over]
    inner = over or range(len(shape))
    start = "0" if over else "tl.program_id(0) * BLOCK"
    body = [
        *split("tl.program_id(0)", shape, outer),
        f"at = {start} + tl.arange(0, BLOCK)",
        f"inside = at < {prod(shape[d] for d in inner)}",
        *split("at", shape, inner),
        *ops.lines,
    ]
    given = ", ".join([*(node.name for node in (*reads, *writes)), "BLOCK: tl.constexpr"])
    head = f"@triton.jit\ndef {name}({given}):"
    return "\n    ".join([head, *body]), reads, writes


def split(at, shape, dims):
    """The place in each dimension, of a place in all of them in a row."""
    after = [prod(shape[e] for e in dims if e > d) for d in dims]
    return [f"i{d} = {at} // {step} % {shape[d]}" for d, step in zip(dims, after, strict=True)]


def launch(loops):
    """How many programs there are, and how many elements each has."""
    shape, over, _ = space(loops)
    if over:
        elements = prod(shape[d] for d in over)
        return prod(shape) // elements, 1 << (elements - 1).bit_length()
    return -(-prod(shape) // 1024), 1024


def softmax_backward(grad, out, dim, dtype):
    """The gradient of softmax."""
    return out * (grad - (grad * out).sum(dim, keepdim=True))


def layer_norm_backward(grad, x, shape, mean, rstd, weight, bias, wanted):
    """The gradients of layer norm: for what was normalized, for the weight and for the bias."""
    dims, rows = list(range(-len(shape), 0)), list(range(x.dim() - len(shape)))
    normed = (x - mean) * rstd
    scaled = grad if weight is None else grad * weight
    along = (scaled * normed).sum(dims, keepdim=True) / prod(shape)
    of_x = (scaled - scaled.sum(dims, keepdim=True) / prod(shape) - normed * along) * rstd
    return of_x, (grad * normed).sum(rows), grad.sum(rows)


def gelu(x, approximate="none"):
    """GPT-2's GELU; the exact one has no rule."""
    if approximate == "none":
        return NotImplemented
    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


def gelu_backward(grad, x, approximate="none"):
    """Its gradient."""
    if approximate == "none":
        return NotImplemented
    t = torch.tanh(0.79788456 * (x + 0.044715 * x * x * x))
    slope = 0.79788456 * (1 + 0.134145 * x * x)
    return grad * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope)


RULES[aten.rsub.Scalar] = lambda x, number: apply("sub", number, x)
TRAINING = {
    **default_decompositions,
    **DECOMPOSITIONS,
    aten._softmax_backward_data.default: softmax_backward,
    aten.native_layer_norm_backward.default: layer_norm_backward,
    aten.gelu.default: gelu,
    aten.gelu_backward.default: gelu_backward,
}


def mine(gm, inputs):
    """The backend: forward and backward are two graphs, and the same compiler makes both."""
    return aot_module_simplified(
        gm,
        inputs,
        fw_compiler=compile_graph,
        bw_compiler=compile_graph,
        decompositions=TRAINING,
    )
