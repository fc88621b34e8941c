"""Programs, and faults put into PyTorch's compiler: each makes one line of one program wrong.

A line at fault ends in `# wrong`. A fault is what changes PyTorch for the length of a block; `kind`
and `name` are the part that the search has to name.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

import torch
from torch.nn import functional as F

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

aten = torch.ops.aten


class Miscompile(NamedTuple):
    """A fault, the program it is in, and what the answer has to name."""

    program: Callable[..., Any]
    sizes: tuple[tuple[int, ...], ...]
    change: Callable[[ExitStack], None]
    kind: str
    name: str
    trains: bool = False

    def arguments(self) -> list[torch.Tensor]:
        """Arguments that are far from where functions are flat."""
        torch.manual_seed(1)
        return [torch.randn(size, requires_grad=self.trains) for size in self.sizes]

    def line(self) -> int:
        """The number of the line at fault."""
        lines, first = inspect.getsourcelines(self.program)
        (found,) = [at for at, line in enumerate(lines) if line.rstrip().endswith("# wrong")]
        return first + found


# Faults


def decomposition(operator: Any) -> Callable[[ExitStack], None]:
    """A rule whose result is one percent too large."""

    def change(stack: ExitStack) -> None:
        from torch._inductor import decomposition as rules

        rule = rules.decompositions[operator]

        def too_large(*args: Any, **kwargs: Any) -> Any:
            found = rule(*args, **kwargs)
            return (found[0] * 1.05, *found[1:]) if isinstance(found, tuple) else found * 1.05

        for table in (rules.decompositions, rules.fast_random_decomps()):
            stack.enter_context(mock.patch.dict(table, {operator: too_large}))

    return change


def lowering(operator: Any) -> Callable[[ExitStack], None]:
    """A lowering whose result is too large."""

    def change(stack: ExitStack) -> None:
        from torch._inductor.lowering import lowerings

        rule = lowerings[operator]

        def too_large(*args: Any, **kwargs: Any) -> Any:
            return lowerings[aten.mul.Tensor](rule(*args, **kwargs), 1.05)

        stack.enter_context(mock.patch.dict(lowerings, {operator: too_large}))

    return change


def printer(name: str, wrong: str) -> Callable[[ExitStack], None]:
    """A printer of vectorised C++ that writes something else."""

    def change(stack: ExitStack) -> None:
        from torch._inductor.codegen.cpp import CppVecOverrides

        right = getattr(CppVecOverrides, name)

        def prints(*args: Any) -> str:
            return wrong.format(right=right(*args), x=args[0])

        stack.enter_context(mock.patch.object(CppVecOverrides, name, staticmethod(prints)))

    return change


def fused_printer(name: str) -> Callable[[ExitStack], None]:
    """The same, but only in kernels of several operations."""

    def change(stack: ExitStack) -> None:
        from torch._inductor.codegen.cpp import CppScheduling, CppVecOverrides

        fused: list[bool] = [False]
        generate, right = CppScheduling.codegen_node, getattr(CppVecOverrides, name)

        def generated(self: Any, node: Any) -> Any:
            fused[0] = len(node.get_nodes()) > 1
            return generate(self, node)

        def prints(*args: Any) -> str:
            extra = f" * decltype({args[0]})(1.05f)" if fused[0] else ""
            return f"({right(*args)}{extra})"

        stack.enter_context(mock.patch.object(CppScheduling, "codegen_node", generated))
        stack.enter_context(mock.patch.object(CppVecOverrides, name, staticmethod(prints)))

    return change


def swapped(before: Any, after: Any) -> Callable[[Any], None]:
    """A pass over an ATen graph that calls another operator."""

    def bad_pass(graph: Any) -> None:
        for node in graph.nodes:
            if node.target is before:
                node.target = after

    return bad_pass


def custom_pass(hook: str, before: Any, after: Any) -> Callable[[ExitStack], None]:
    """A pass in one of Inductor's hooks."""

    def change(stack: ExitStack) -> None:
        from torch._inductor import config

        stack.enter_context(config.patch({hook: swapped(before, after)}))

    return change


def own_pass(name: str, before: Any, after: Any) -> Callable[[ExitStack], None]:
    """One of Inductor's own passes, which does something more."""

    def change(stack: ExitStack) -> None:
        from torch._inductor.fx_passes import post_grad

        right, wrong = getattr(post_grad, name), swapped(before, after)

        def both(graph: Any) -> None:
            right(graph)
            wrong(graph)

        stack.enter_context(mock.patch.object(post_grad, name, both))

    return change


def rewrite(stack: ExitStack) -> None:
    """A pattern, among many of its pass, that is replaced by something else."""
    from torch._inductor.fx_passes import post_grad
    from torch._inductor.pattern_matcher import Arg, CallFunction, register_graph_pattern

    matcher = post_grad.pass_patterns[1]
    before = {key: list(rules) for key, rules in matcher.patterns.items()}
    own = type(matcher.patterns)(list, before)
    stack.enter_context(mock.patch.object(matcher, "patterns", own))

    pattern = CallFunction(aten.sub.Tensor, CallFunction(aten.exp.default, Arg()), Arg())

    @register_graph_pattern(pattern, pass_dict=matcher)  # pyright: ignore[reportArgumentType]
    def exp_minus(match: Any, x: Any, y: Any) -> None:
        """Forget what is subtracted."""
        last = match.output_node()
        last.replace_input_with(y, x)


# Programs


def gelu(x: Any, w: Any) -> Any:
    h = x @ w
    h = F.gelu(h)  # wrong
    return h.sum(0) + 1


def silu_twice(x: Any) -> Any:
    y = x.relu() + 1
    y = F.silu(y)  # wrong
    return y * x


def hardswish(x: Any) -> Any:
    x = x * 3
    return F.hardswish(x)  # wrong


def smooth_l1(x: Any, y: Any) -> Any:
    a = x * 2
    loss = F.smooth_l1_loss(a, y)  # wrong
    return loss * 3


def layer_norm(x: Any) -> Any:
    h = x.sigmoid()
    h = F.layer_norm(h, (32,))  # wrong
    return h.tanh()


def gelu_gradient(x: Any) -> Any:
    y = x * 2
    y = F.gelu(y)  # wrong
    return y.sum(1)


def exp_pass(x: Any) -> Any:
    y = x.abs() + 0.5
    y = y.exp()  # wrong
    return y + x


def sin_pass(x: Any) -> Any:
    a = x * 3
    b = a.sin()  # wrong
    return b + a.sigmoid()


def tanh_own_pass(x: Any) -> Any:
    a = x.exp()
    b = x.tanh()  # wrong
    return a * b


def joint_pass(x: Any) -> Any:
    a = x + 1
    b = a.cos()  # wrong
    return b * a


def exp_sub(x: Any, y: Any) -> Any:
    a = (x + 1).exp()
    b = a - y  # wrong
    return b * 2


def erf_lowered(x: Any) -> Any:
    y = x.sigmoid() * 2
    y = torch.erf(y)  # wrong
    return y + x.tanh()


def tanh_lowered(x: Any, w: Any) -> Any:
    h = x @ w
    h = h.tanh()  # wrong
    return torch.softmax(h, -1)


def cat_lowered(x: Any, y: Any) -> Any:
    a = x.exp()
    b = torch.cat([a, y], 1)  # wrong
    return b.sigmoid()


def amax_lowered(x: Any) -> Any:
    a = x.cos() + 2
    m = a.amax(1)  # wrong
    return m.sqrt()


def rsqrt_trained(x: Any) -> Any:
    a = x.exp()
    b = a.rsqrt()  # wrong
    return (b * 2).sum(0)


def exp_printed(x: Any) -> Any:
    a = x.sin() + 1
    a = a.exp()  # wrong
    return a * x


def sqrt_printed(x: Any) -> Any:
    a = x * x + 1
    b = a.sqrt()  # wrong
    return b + x.cos()


def maximum_printed(x: Any, y: Any) -> Any:
    a = x * 2
    b = torch.maximum(a, y)  # wrong
    return b.exp()


def neg_fused(x: Any) -> Any:
    a = x.exp()
    s = a.sum(1, keepdim=True)
    b = -a  # wrong
    return b / s


_MATRIX = ((16, 32),)
_PAIR = ((16, 32), (16, 32))

MISCOMPILES = (
    Miscompile(
        gelu, ((8, 16), (16, 32)), decomposition(aten.gelu.default), "decomposition",
        "aten.gelu.default",
    ),
    Miscompile(
        silu_twice, _MATRIX, decomposition(aten.silu.default), "decomposition",
        "aten.silu.default",
    ),
    Miscompile(
        hardswish, _MATRIX, decomposition(aten.hardswish.default), "decomposition",
        "aten.hardswish.default",
    ),
    Miscompile(
        smooth_l1, _PAIR, decomposition(aten.smooth_l1_loss.default), "decomposition",
        "aten.smooth_l1_loss.default",
    ),
    Miscompile(
        layer_norm, _MATRIX, decomposition(aten.native_layer_norm.default), "decomposition",
        "aten.native_layer_norm.default",
    ),
    Miscompile(
        gelu_gradient, _MATRIX, decomposition(aten.gelu_backward.default), "decomposition",
        "aten.gelu_backward.default", trains=True,
    ),
    Miscompile(
        exp_pass, _MATRIX,
        custom_pass("post_grad_custom_post_pass", aten.exp.default, aten.expm1.default), "pass",
        "post_grad_custom_post_pass",
    ),
    Miscompile(
        sin_pass, _MATRIX,
        custom_pass("post_grad_custom_pre_pass", aten.sin.default, aten.cos.default), "pass",
        "post_grad_custom_pre_pass",
    ),
    Miscompile(
        tanh_own_pass, _MATRIX, own_pass("remove_noop_ops", aten.tanh.default, aten.sin.default),
        "pass", "remove_noop_ops",
    ),
    Miscompile(
        joint_pass, _MATRIX,
        custom_pass("joint_custom_post_pass", aten.cos.default, aten.sin.default), "pass",
        "joint_custom_post_pass", trains=True,
    ),
    Miscompile(exp_sub, _PAIR, rewrite, "rewrite", "exp_minus"),
    Miscompile(erf_lowered, _MATRIX, lowering(aten.erf.default), "lowering", "erf"),
    Miscompile(
        tanh_lowered, ((8, 16), (16, 32)), lowering(aten.tanh.default), "lowering", "tanh"
    ),
    Miscompile(cat_lowered, _PAIR, lowering(aten.cat.default), "lowering", "cat"),
    Miscompile(amax_lowered, _MATRIX, lowering(aten.amax.default), "lowering", "amax"),
    Miscompile(
        rsqrt_trained, _MATRIX, lowering(aten.rsqrt.default), "lowering", "rsqrt", trains=True
    ),
    Miscompile(
        exp_printed, _MATRIX, printer("exp", "({right} * decltype({x})(1.05f))"), "lowering", "exp"
    ),
    Miscompile(
        sqrt_printed, _MATRIX, printer("sqrt", "({right} * decltype({x})(1.05f))"), "lowering",
        "sqrt",
    ),
    Miscompile(
        maximum_printed, _PAIR, printer("maximum", "({right} + decltype({x})(0.1f))"), "lowering",
        "maximum",
    ),
    Miscompile(neg_fused, ((16, 64),), fused_printer("neg"), "fusion", ""),
)  # fmt: skip
