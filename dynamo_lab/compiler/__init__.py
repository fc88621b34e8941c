"""A compiler of our own, small enough to be read: ATen graph -> loops -> fused kernels -> text.

In comes a graph of ATen operators; out comes a function that runs kernels of C, Triton or Metal.
Read in this order, each file with one idea:

1. `polynomial`, `index`, `layout`: where an element lies, as a polynomial of loop variables and
   sizes; `sizes`: those of the run time
2. `operators`: the operators of the loop IR, what each means and how each target writes it
3. `body`: values and straight-line code, recorded by running closures
4. `work`, `tensors`: buffers, loops and calls of ATen, and the lazy tensors that they store
5. `rules`: ATen operators as closures, a table (first `table`, then `pointwise`);
   `decompositions`: how other operators are brought to these
6. `lower`: a graph, node by node, through that table; `convolutions`: where its tensors lie,
   `parts`: reductions in two steps
7. `groups`, `space`, `fusion`: which loops share a kernel, with the reason
8. `kernel`: the loops of a kernel merged, its values handed on, its stores dropped
9. `printers`: a kernel as text (first `printer`, `c_statements` and `c`); `targets`: what runs it
10. `build`: a text of C as machine code
11. `wrapper`: the Python function that allocates, calls and frees
12. `program`: all of it for one graph, each stage kept
13. `backend`: what `torch.compile(backend="lab")` calls
14. `live`: a program made again with something changed, and held against eager; `recorded`: a
    program as facts of a recording

`lab.compiler.programs(fn, *args)` gives the programs of a function, `lab.compiler.rule` changes a
rule. What is named here is loaded when it is first asked for: most users never do.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dynamo_lab.compiler.fusion import Choices
    from dynamo_lab.compiler.live.making import programs
    from dynamo_lab.compiler.live.program import LiveProgram
    from dynamo_lab.compiler.live.rules import rule
    from dynamo_lab.compiler.printers.tuning import Tuning
    from dynamo_lab.compiler.program import Program
    from dynamo_lab.compiler.rules.table import pointwise

__all__ = ["Choices", "LiveProgram", "Program", "Tuning", "pointwise", "programs", "rule"]

_MODULES = {
    "Choices": "fusion",
    "LiveProgram": "live.program",
    "Program": "program",
    "Tuning": "printers.tuning",
    "pointwise": "rules.table",
    "programs": "live.making",
    "rule": "live.rules",
}


def __getattr__(name: str) -> Any:
    """A public name, its module loaded now."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
