"""The living programs of a function: one for each graph that is compiled of it.

In comes a function with its arguments; it runs once, and out come its programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler.backend import boxed, by_aot
from dynamo_lab.compiler.live.program import LiveProgram
from dynamo_lab.compiler.lower import CannotLower
from dynamo_lab.errors import LoweringError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import fx


class Collector:
    """A backend that keeps a living program of each graph.

    Attributes:
        programs: those made so far, in the order in which they were compiled.
        refused: why graphs were left to ATen as a whole.
    """

    def __init__(self) -> None:
        self.programs: list[LiveProgram] = []
        self.refused: list[str] = []

    def __call__(self, module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        """Compile a captured graph, as `torch.compile` asks it of a backend."""
        return by_aot(module, inputs, self._compiled)

    def _compiled(self, gm: fx.GraphModule, _: Sequence[Any]) -> Callable[[list[Any]], Any]:
        try:
            made = LiveProgram(gm).build()
        except CannotLower as refusal:
            self.refused.append(str(refusal))
            return boxed(lambda args: gm(*args))
        assert isinstance(made, LiveProgram)
        self.programs.append(made)
        return boxed(made)


def programs(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> list[LiveProgram]:
    """Compile a function with backend `lab`, run it once, and give a program for each graph.

    A graph a break leaves behind is one of its own. A backward is compiled when it runs, so its
    program comes only from a function that calls `backward` itself. All that was compiled before is
    forgotten, as by `torch.compiler.reset`.

    Raises:
        LoweringError: no graph was compiled by it.
    """
    made = Collector()
    torch.compiler.reset()
    torch.compile(fn, backend=made)(*args, **kwargs)
    if not made.programs:
        why = "; ".join(made.refused) or "nothing in it was captured"
        raise LoweringError(f"No graph was compiled: {why}.")
    return made.programs
