"""A program held against eager: the same graph, the same arguments, run by ATen.

In come a program and the arguments of a call; out comes what differs, in words.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import torch
from torch import fx
from torch.fx.node import map_aggregate

from dynamo_lab.compiler.lower import OpOverload
from dynamo_lab.compiler.operators import unlikely
from dynamo_lab.errors import WrongProgramError
from dynamo_lab.measure.checks import compare

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.compiler.program import Program
    from dynamo_lab.model.benchmarks import Comparison


def same_arguments(args: Sequence[Any]) -> list[Any]:
    """Copies with the strides of the originals, and sharing memory where those do."""
    return copy.deepcopy([x.detach() if isinstance(x, torch.Tensor) else x for x in args])


def comparisons(
    module: fx.GraphModule, run: Callable[[list[Any]], Any], args: Sequence[Any]
) -> tuple[Comparison, ...]:
    """Each result, and each argument, which may have been written to, beside eager's."""
    given, same = same_arguments(args), same_arguments(args)
    state: Any = torch.random.get_rng_state()
    expected = _named(fx.Interpreter(module).run(*same), same)
    torch.random.set_rng_state(state)
    got = _named(run(list(given)), given)
    torch.random.set_rng_state(state)
    return compare(expected, got, _exact(module, args), way=0, phase="forward")


def _named(results: Sequence[Any], args: Sequence[Any]) -> dict[str, torch.Tensor]:
    listed = [(f"result {at}", x) for at, x in enumerate(results)]
    listed += [(f"argument {at}", x) for at, x in enumerate(args)]
    return {name: x for name, x in listed if isinstance(x, torch.Tensor)}


class _InDouble(fx.Interpreter):
    """Each node's arguments and results in float64."""

    def run_node(self, n: fx.Node) -> Any:
        return map_aggregate(super().run_node(n), _doubled)


def _doubled(x: Any) -> Any:
    rounds = isinstance(x, torch.Tensor) and x.dtype.is_floating_point
    return x.double() if rounds else x


def _exact(module: fx.GraphModule, args: Sequence[Any]) -> dict[str, torch.Tensor] | None:
    """The same in float64, unless numbers are drawn or written in place."""
    for node in module.graph.nodes:
        target = node.target
        if isinstance(target, OpOverload) and (
            torch.Tag.nondeterministic_seeded in target.tags or target._schema.is_mutable
        ):
            return None
    doubled = [_doubled(x) for x in same_arguments(args)]
    try:
        return _named(_InDouble(module).run(*doubled), doubled)
    except (RuntimeError, NotImplementedError, TypeError):  # an operator without float64
        return None


def with_every_value(module: fx.GraphModule) -> tuple[fx.GraphModule, list[fx.Node]]:
    """The graph with each of its tensors as a result, and the nodes that give them."""
    made = fx.GraphModule(module, copy.deepcopy(module.graph))
    found = [
        node
        for node in made.graph.nodes
        if node.op == "call_function" and isinstance(node.meta.get("val"), torch.Tensor)
    ]
    made.graph.output_node().args = (tuple(found),)
    made.recompile()
    return made, found


def line_of(node: fx.Node) -> str:
    """The line of the reader's that a node computes for, if it is known."""
    lines = str(node.meta.get("stack_trace") or "").strip().splitlines()
    said = [line.strip() for line in lines if line.strip(" ^~")]  # not the marks below a line
    return said[-1] if said else ""


MARGIN = 256
"""Elements around each buffer that no kernel may write to."""


def poisoned(program: Program) -> Callable[[list[Any]], Any]:
    """The program with memory that holds no number, or an unlikely one, until it is written.

    Else what an illegal kernel leaves out, or reads too early, might still lie there from before.
    What it writes beside its buffers is a `WrongProgramError`.
    """
    functions = program.target.functions(program.kernels, program.sources)
    margins: list[torch.Tensor] = []

    def empty(size: Sequence[int], stride: Sequence[int], dtype: Any, **on: Any) -> torch.Tensor:
        extent = 1 + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
        extent = 0 if 0 in size else extent
        whole = torch.ones(extent + 2 * MARGIN, dtype=dtype, **on)
        whole[MARGIN : MARGIN + extent] = unlikely(whole.dtype)
        margins.extend((whole[:MARGIN], whole[MARGIN + extent :]))
        return whole.as_strided(size, stride, MARGIN)

    run = program.wrapper.function({**functions, "empty": empty, "empty_cpu": empty})

    def checked(args: list[Any]) -> Any:
        results = run(args)
        if not all(bool((one == 1).all()) for one in margins):
            raise WrongProgramError("A kernel writes beyond the memory of its buffers.")
        margins.clear()
        return results

    return checked
