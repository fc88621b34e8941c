"""The backend that `torch.compile(fn, backend="lab")` calls.

In comes the graph that Dynamo captured; out comes a function of the same arguments. AOTAutograd
turns it into forward and backward graphs of ATen operators and decomposes them; each becomes a
`Program`.
"""

from __future__ import annotations

import functools
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from functorch.compile import aot_module_simplified, min_cut_rematerialization_partition

from dynamo_lab.capture.core.compat import errors_are_suppressed
from dynamo_lab.capture.kernels.announced import announce
from dynamo_lab.compiler.decompositions import decompositions
from dynamo_lab.compiler.lower import CannotLower
from dynamo_lab.compiler.program import Program
from dynamo_lab.compiler.recorded.announcement import announcement
from dynamo_lab.compiler.targets.c import C
from dynamo_lab.compiler.targets.metal import Metal
from dynamo_lab.compiler.targets.triton import Triton
from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from torch import fx

    from dynamo_lab.compiler.targets.target import Target

log = logging.getLogger(__name__)

_listeners: list[Callable[[Program], None]] = []


def lab(
    module: fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    **_: Any,
) -> Callable[..., Any]:
    """Compile a captured graph.

    Args:
        module: The graph, from Dynamo.
        example_inputs: Its arguments.
        options: {"target": "c"}, "triton" or "metal" prints the kernels in that language, whatever
            the device, and has ATen compute the results: to read what another device would run.

    Raises:
        NoCCompiler: no C compiler was found.
        OptionError: there is no such option, or no such language.
    """
    target = _asked_target(options or {})
    return by_aot(module, example_inputs, functools.partial(compile_graph, target=target))


def _asked_target(options: Mapping[str, Any]) -> Target | None:
    known = {"c": C, "triton": Triton, "metal": Metal}
    unknown = sorted(options.keys() - {"target"})
    if unknown:
        raise OptionError(f"The backend lab has no option {unknown[0]!r}: it has target.")
    asked = options.get("target")
    if asked is not None and asked not in known:
        raise OptionError(
            f"The backend lab prints no {asked!r}: its targets are {', '.join(known)}."
        )
    return known[asked]() if asked else None


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


def compile_graph(
    gm: fx.GraphModule, example_inputs: Sequence[Any], target: Target | None = None
) -> Callable[[list[Any]], Any]:
    """One graph of ATen operators as a function that takes its arguments in a list.

    For a target that is asked for, kernels are printed only, and ATen computes.
    """
    try:
        program = Program(gm, target=target)
        if target is None:
            if errors_are_suppressed():
                program.build()  # Dynamo leaves a refused kernel to Python now, and not in a call
            else:
                program.start()  # Dynamo writes guards meanwhile
    except CannotLower as refusal:
        log.warning("A graph is run by ATen, node by node: %s.", refusal)
        return boxed(lambda args: gm(*args))
    announce(lambda: announcement(program))
    for listener in _listeners:
        listener(program)
    return boxed(program if target is None else lambda args: gm(*args))


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
