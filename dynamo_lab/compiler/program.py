"""One graph through all stages, each kept as an attribute and printable."""

from __future__ import annotations

import ctypes
import time
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import fx

from dynamo_lab.compiler import build as building
from dynamo_lab.compiler.fusion import Choices, Group, Schedule, schedule
from dynamo_lab.compiler.kernel import Kernel
from dynamo_lab.compiler.lower import Fallback, fallbacks, lower
from dynamo_lab.compiler.printers.c import CPrinter
from dynamo_lab.compiler.work import View
from dynamo_lab.compiler.wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.compiler.tensors import LoweredGraph

T = TypeVar("T")


class Program:
    """A graph of ATen operators, compiled.

    Attributes:
        module: the graph that was handed over.
        graph: its loops and calls of ATen.
        schedule: which loops share a kernel, and every verdict on a pair.
        kernels: the fused loops.
        sources: their C texts, in the same order.
        origins: of each text, the node that a line computes for.
        wrapper: the Python function around them; `wrapper.text` is its text.
        seconds: what each stage took.
    """

    def __init__(
        self,
        module: fx.GraphModule,
        *,
        choices: Choices | None = None,
        printer: type[CPrinter] = CPrinter,
        only: Callable[[fx.Node], bool] | None = None,
    ) -> None:
        self.module, self.seconds = module, dict[str, float]()
        self.graph: LoweredGraph = self._timed("lower", lambda: lower(module, only=only))
        self.schedule: Schedule = self._timed("fuse", lambda: schedule(self.graph, choices))
        made = self._timed("kernels", self._made_kernels)
        self.kernels: list[Kernel] = list(made.values())
        printed = self._timed("print", lambda: [_printed(k, printer) for k in self.kernels])
        self.sources = [text for text, _ in printed]
        self.origins = [origins for _, origins in printed]
        self.wrapper = self._timed(
            "wrapper", lambda: Wrapper(self.graph, self.schedule.units, made)
        )
        self._function: Callable[[list[Any]], Any] | None = None

    @property
    def fallbacks(self) -> list[Fallback]:
        """What ATen computes, by node, with the reason."""
        return fallbacks(self.graph)

    def build(self) -> Program:
        """Compile the kernels and make the wrapper callable.

        Raises:
            NoCCompiler: no C compiler was found.
            BuildError: the compiler refused a kernel.
        """
        if self._function is None:
            functions = self._timed("build", lambda: building.build(self.sources))
            for kernel, function in zip(self.kernels, functions, strict=True):
                function.restype, function.argtypes = None, _argument_types(kernel)
            named = {k.name: f for k, f in zip(self.kernels, functions, strict=True)}
            self._function = self.wrapper.function(named)
        return self

    def __call__(self, args: list[Any]) -> Any:
        """Run it. The list is emptied, so that memory is let go as early as can be."""
        self.build()
        assert self._function is not None
        return self._function(args)

    def _made_kernels(self) -> dict[int, Kernel]:
        units = self.schedule.units
        outputs = {out.buffer for out in self.graph.outputs if isinstance(out, View)}
        found: dict[int, Kernel] = {}
        for unit in units:
            if isinstance(unit, Group):
                others = (other.reads for other in units if other is not unit)
                live = outputs | self.graph.mutated | set[str]().union(*others)
                name = f"kernel{len(found)}"
                found[id(unit)] = Kernel(name, unit.nodes, self.graph, live)
        return found

    def _timed(self, stage: str, run: Callable[[], T]) -> T:
        start = time.perf_counter()
        made = run()
        self.seconds[stage] = time.perf_counter() - start
        return made

    def __str__(self) -> str:
        calls = len(self.fallbacks)
        return f"{len(self.kernels)} kernels, {calls} calls of ATen\n\n{self.wrapper.text}"


def _printed(kernel: Kernel, printer: type[CPrinter]) -> tuple[str, dict[int, str]]:
    """The text under a name that does not depend on the program, so that equal kernels are one."""
    name, kernel.name = kernel.name, building.NAME
    try:
        made = printer(kernel)
        return made.text(), made.origins
    finally:
        kernel.name = name


def _argument_types(kernel: Kernel) -> list[Any]:
    numbers = {torch.float64: ctypes.c_double, torch.int64: ctypes.c_long}
    return [
        *[ctypes.c_void_p] * (len(kernel.ins) + len(kernel.outs)),
        *[ctypes.c_long] * len(kernel.sizes),
        *(numbers.get(dtype, ctypes.c_ubyte) for dtype in kernel.scalars.values()),
        *([ctypes.POINTER(ctypes.c_int)] if kernel.checks else []),
        ctypes.c_int,
    ]
