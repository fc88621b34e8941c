"""Programs, and faults put into PyTorch's compiler: each makes one line of one program wrong.

A line at fault ends in `# wrong`. A fault is what changes PyTorch for the length of a block; `kind`
and `name` are the part that the search has to name.
"""

from __future__ import annotations

import inspect
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

import torch

from tests.live.bisections import programs

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

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


@contextmanager
def seeded(change: Callable[[ExitStack], None]) -> Generator[None]:
    with ExitStack() as stack:
        change(stack)
        yield


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


_MATRIX = ((16, 32),)
_PAIR = ((16, 32), (16, 32))

MISCOMPILES = (
    Miscompile(
        programs.gelu,
        ((8, 16), (16, 32)),
        decomposition(aten.gelu.default),
        "decomposition",
        "aten.gelu.default",
    ),
    Miscompile(
        programs.silu_twice,
        _MATRIX,
        decomposition(aten.silu.default),
        "decomposition",
        "aten.silu.default",
    ),
    Miscompile(
        programs.hardswish,
        _MATRIX,
        decomposition(aten.hardswish.default),
        "decomposition",
        "aten.hardswish.default",
    ),
    Miscompile(
        programs.smooth_l1,
        _PAIR,
        decomposition(aten.smooth_l1_loss.default),
        "decomposition",
        "aten.smooth_l1_loss.default",
    ),
    Miscompile(
        programs.layer_norm,
        _MATRIX,
        decomposition(aten.native_layer_norm.default),
        "decomposition",
        "aten.native_layer_norm.default",
    ),
    Miscompile(
        programs.gelu_gradient,
        _MATRIX,
        decomposition(aten.gelu_backward.default),
        "decomposition",
        "aten.gelu_backward.default",
        trains=True,
    ),
    Miscompile(
        programs.exp_pass,
        _MATRIX,
        custom_pass("post_grad_custom_post_pass", aten.exp.default, aten.expm1.default),
        "pass",
        "post_grad_custom_post_pass",
    ),
    Miscompile(
        programs.sin_pass,
        _MATRIX,
        custom_pass("post_grad_custom_pre_pass", aten.sin.default, aten.cos.default),
        "pass",
        "post_grad_custom_pre_pass",
    ),
    Miscompile(
        programs.tanh_own_pass,
        _MATRIX,
        own_pass("remove_noop_ops", aten.tanh.default, aten.sin.default),
        "pass",
        "remove_noop_ops",
    ),
    Miscompile(
        programs.joint_pass,
        _MATRIX,
        custom_pass("joint_custom_post_pass", aten.cos.default, aten.sin.default),
        "pass",
        "joint_custom_post_pass",
        trains=True,
    ),
    Miscompile(programs.exp_sub, _PAIR, rewrite, "rewrite", "exp_minus"),
    Miscompile(programs.erf_lowered, _MATRIX, lowering(aten.erf.default), "lowering", "erf"),
    Miscompile(
        programs.tanh_lowered, ((8, 16), (16, 32)), lowering(aten.tanh.default), "lowering", "tanh"
    ),
    Miscompile(programs.cat_lowered, _PAIR, lowering(aten.cat.default), "lowering", "cat"),
    Miscompile(programs.amax_lowered, _MATRIX, lowering(aten.amax.default), "lowering", "amax"),
    Miscompile(
        programs.rsqrt_trained,
        _MATRIX,
        lowering(aten.rsqrt.default),
        "lowering",
        "rsqrt",
        trains=True,
    ),
    Miscompile(
        programs.exp_printed,
        _MATRIX,
        printer("exp", "({right} * decltype({x})(1.05f))"),
        "lowering",
        "exp",
    ),
    Miscompile(
        programs.sqrt_printed,
        _MATRIX,
        printer("sqrt", "({right} * decltype({x})(1.05f))"),
        "lowering",
        "sqrt",
    ),
    Miscompile(
        programs.maximum_printed,
        _PAIR,
        printer("maximum", "({right} + decltype({x})(0.1f))"),
        "lowering",
        "maximum",
    ),
    Miscompile(programs.neg_fused, ((16, 64),), fused_printer("neg"), "fusion", ""),
)
