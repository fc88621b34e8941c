"""One graph through all stages, each kept as an attribute and printable.

In comes a graph of ATen operators; out comes a function of its arguments, in a list.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from dynamo_lab.compiler.build import BuildError
from dynamo_lab.compiler.fusion import Choices, Schedule, schedule
from dynamo_lab.compiler.groups import Group, Unit
from dynamo_lab.compiler.kernel import Kernel
from dynamo_lab.compiler.lower import CannotLower, Fallback, device_of, fallbacks, lower
from dynamo_lab.compiler.printers.tuned import tune
from dynamo_lab.compiler.targets import target_of
from dynamo_lab.compiler.work import Extern, Loop, Unsupported, View
from dynamo_lab.compiler.wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FunctionType

    from torch import fx

    from dynamo_lab.compiler.printers.tuning import Tuning
    from dynamo_lab.compiler.targets.target import Target
    from dynamo_lab.compiler.tensors import LoweredGraph

T = TypeVar("T")


class Listed(list[T]):
    """A list that prints what it holds, one below the other."""

    def __str__(self) -> str:
        return "\n\n".join(str(item).rstrip("\n") for item in self)


class Program:
    """A graph of ATen operators, compiled.

    Attributes:
        module: the graph that was handed over.
        graph: its loops and calls of ATen; `loops` lists and prints them.
        schedule: which loops share a kernel, and every verdict on a pair; `groups` lists them.
        kernels: the fused loops.
        sources: their texts, in the same order.
        origins: of each text, the node that a line computes for.
        wrapper: the Python function around them; `wrapper.text` is its text.
        seconds: what each stage took; of `build`, what was waited for.
        target: the language of the kernels, and what runs them.
    """

    def __init__(
        self,
        module: fx.GraphModule,
        *,
        choices: Choices | None = None,
        target: Target | None = None,
        only: Callable[[fx.Node], bool] | None = None,
        tunings: Mapping[tuple[str, ...], Tuning] | None = None,
    ) -> None:
        """Through all stages but the last, `build`.

        Args:
            module: a graph of ATen operators, its nodes with `meta["val"]`.
            choices: what fusion may decide otherwise.
            target: the language; that of the graph's device, unless said.
            only: which nodes may be lowered by a rule; all, unless said.
            tunings: how loops are written, by the buffers that their kernel joins.

        Raises:
            CannotLower: the graph as a whole has to be left to ATen.
            LoweringError: there is nothing in the graph for a choice or a tuning.
        """
        self.module, self.seconds = module, dict[str, float]()
        self.target = target or target_of(device_of(module))
        self.graph: LoweredGraph = self._timed(
            "lower", lambda: lower(module, only=only, rows=self.target.rows, adds=self.target.adds)
        )
        self.schedule: Schedule = self._timed("fuse", lambda: schedule(self.graph, choices))
        made = self._timed("kernels", self._made_kernels)
        self.kernels: list[Kernel] = Listed(made.values())
        tune(self.kernels, tunings or {}, self.target.language)
        printed = self._timed("print", lambda: [self._printed(k) for k in self.kernels])
        self.sources: list[str] = Listed(text for text, _ in printed)
        self.origins = [origins for _, origins in printed]
        self.wrapper = self._timed(
            "wrapper",
            lambda: Wrapper(
                self.graph, self.schedule.units, made, by_address=self.target.by_address
            ),
        )
        self._function: FunctionType | None = None
        self._is_built = False

    @property
    def loops(self) -> list[Loop | Extern]:
        """The loops of the lowered graph and its calls of ATen, before any share a kernel."""
        return Listed(self.graph.work)

    @property
    def groups(self) -> list[Unit]:
        """Which loops share a kernel, and the calls of ATen, in the order in which they run."""
        return Listed(self.schedule.units)

    @property
    def fallbacks(self) -> list[Fallback]:
        """What ATen computes, by node, with the reason."""
        return fallbacks(self.graph)

    def start(self) -> FunctionType:
        """Begin to compile the kernels; the wrapper's function has to wait for `build`.

        Raises:
            NoCCompiler: no C compiler was found.
        """
        self.target.begin(self.kernels, self.sources)
        self._function = self._function or self.wrapper.function({})
        return self._function

    def build(self) -> Program:
        """Compile the kernels and make the wrapper callable.

        Raises:
            NoCCompiler: no C compiler was found.
            BuildError: the compiler refused a kernel, whose nodes and the reader's line it names.
        """
        if not self._is_built:
            wrapper = self.start()
            functions = self._timed("build", self._functions)
            wrapper.__globals__.update(functions)
            self._is_built = True
        return self

    def __call__(self, args: list[Any]) -> Any:
        """Run it. The list is emptied, so that memory is let go as early as can be."""
        self.build()
        assert self._function is not None
        return self._function(args)

    def _functions(self) -> dict[str, Callable[..., None]]:
        try:
            return self.target.functions(self.kernels, self.sources)
        except BuildError as refused:
            stack = self._stack(refused)
            raise BuildError(refused.message, refused.source, refused.nodes, stack) from None

    def _stack(self, refused: BuildError) -> str:
        """Where the reader wrote what the refused line computes, or the kernel's first node."""
        at = next(at for at, one in enumerate(self.kernels) if one.origins == refused.nodes)
        name = self.origins[at].get(refused.line or 0, refused.nodes[0])
        stacks = (n.meta.get("stack_trace") for n in self.module.graph.nodes if n.name == name)
        return next(stacks, None) or ""

    def _made_kernels(self) -> dict[int, Kernel]:
        units = self.schedule.units
        outputs = {out.buffer for out in self.graph.outputs if isinstance(out, View)}
        found: dict[int, Kernel] = {}
        for unit in units:
            if isinstance(unit, Group):
                others = (other.reads for other in units if other is not unit)
                live = outputs | self.graph.mutated | set[str]().union(*others)
                name = f"kernel{len(found)}"
                kernel = Kernel(name, unit.nodes, self.graph, live, forced=unit.forced)
                if kernel.outs or kernel.checks:  # else nothing is left of it: nobody reads it
                    found[id(unit)] = kernel
        kept = [unit for unit in units if not isinstance(unit, Group) or id(unit) in found]
        self.schedule = replace(self.schedule, units=kept)
        return found

    def _printed(self, kernel: Kernel) -> tuple[str, dict[int, str]]:
        try:
            return self.target.printed(kernel)
        except Unsupported as refusal:
            raise CannotLower(f"{', '.join(kernel.origins)}: {refusal}") from None

    def _timed(self, stage: str, run: Callable[[], T]) -> T:
        start = time.perf_counter()
        made = run()
        self.seconds[stage] = time.perf_counter() - start
        return made

    def __str__(self) -> str:
        calls = len(self.fallbacks)
        return f"{len(self.kernels)} kernels, {calls} calls of ATen\n\n{self.wrapper.text}"
