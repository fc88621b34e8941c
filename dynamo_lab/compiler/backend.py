"""The backend that `torch.compile(fn, backend="lab")` calls.

AOTAutograd turns the captured graph into forward and backward graphs of ATen operators and
decomposes them; each becomes a `Program`.
"""

from __future__ import annotations

import functools
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from functorch.compile import (
    aot_module_simplified,
    min_cut_rematerialization_partition,
)
from torch import fx

from dynamo_lab.capture.kernels.announced import announce
from dynamo_lab.compiler.lower import CannotLower
from dynamo_lab.compiler.program import Program
from dynamo_lab.compiler.recorded.announcement import announcement
from dynamo_lab.compiler.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

log = logging.getLogger(__name__)
aten = torch.ops.aten

_listeners: list[Callable[[Program], None]] = []


def lab(module: fx.GraphModule, example_inputs: Sequence[Any], **_: Any) -> Callable[..., Any]:
    """Compile a captured graph.

    Raises:
        NoCCompiler: no C compiler was found.
    """
    return by_aot(module, example_inputs, compile_graph)


def by_aot(
    module: fx.GraphModule,
    example_inputs: Sequence[Any],
    compile_one: Callable[..., Callable[..., Any]],
) -> Callable[..., Any]:
    """A captured graph as AOTAutograd splits it, each part compiled by a function.

    A backward is compiled when it first runs, which may be while Dynamo looks at frames: it must
    not look at those of the compiler, nor at its wrappers.
    """
    hidden: Any = torch.compiler.disable

    def compile_backward(gm: fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
        return hidden(hidden(compile_one)(gm, example_inputs))

    return aot_module_simplified(
        module,
        list(example_inputs),
        fw_compiler=compile_one,
        bw_compiler=compile_backward,
        inference_compiler=compile_one,
        partition_fn=min_cut_rematerialization_partition,
        decompositions=decompositions(),
        keep_inference_input_mutations=True,
    )


def compile_graph(gm: fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[[list[Any]], Any]:
    """One graph of ATen operators as a function that takes its arguments in a list."""
    try:
        program = Program(gm).build()
    except CannotLower as refusal:
        log.warning("A graph is run by ATen, node by node: %s.", refusal)
        return boxed(lambda args: gm(*args))
    announce(lambda: announcement(program))
    for listener in _listeners:
        listener(program)
    return boxed(program)


@contextmanager
def compiled(listener: Callable[[Program], None]) -> Iterator[None]:
    """Hand every program that this backend compiles meanwhile to a function."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def boxed(run: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
    """A function as AOTAutograd calls it: with a list that may be emptied."""

    def call(args: list[Any]) -> Any:
        return run(args)

    call._boxed_call = True  # type: ignore[attr-defined] # how AOTAutograd knows
    return call


def decompositions() -> dict[Any, Callable[..., Any]]:
    """The rules that bring a graph to what the table knows.

    Those of core ATen, and of the operators that Inductor decomposes too those that gain by fusion;
    without those of operators that have a rule here now, for rules may be changed.
    """
    return {target: made for target, made in _every().items() if target not in RULES}


@functools.cache
def _every() -> dict[Any, Callable[..., Any]]:
    from dynamo_lab.capture.decompositions.rulebook import whole_table

    table = dict(torch.export.default_decompositions().items())
    every = whole_table()
    for packet in FURTHER:
        for name in packet.overloads():
            overload = getattr(packet, name)
            if overload in every:
                table[overload] = every[overload]
    return {target: made for target, made in table.items() if target not in KEPT}


FURTHER = (
    aten._softmax,
    aten._log_softmax,
    aten._softmax_backward_data,
    aten._log_softmax_backward_data,
    aten.native_layer_norm,
    aten.native_group_norm,
    aten._native_batch_norm_legit,
    aten._native_batch_norm_legit_functional,
    aten._native_batch_norm_legit_no_training,
    aten.native_batch_norm,
    aten.leaky_relu,
    aten.hardtanh,
    aten.elu,
    aten.masked_fill,
    aten.select_backward,
    aten.slice_backward,
    aten._adaptive_avg_pool2d,
    aten.addmv,
    aten.dist,
    aten.ldexp,
)
KEPT = (
    aten.addmm.default,  # one call of a matrix library
    aten._scaled_dot_product_flash_attention_for_cpu.default,
    aten.native_dropout.default,  # draws the numbers that eager draws
)
