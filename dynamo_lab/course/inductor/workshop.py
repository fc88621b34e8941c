"""What the lessons give: a graph to compile, a C compiler to call, kernels put into the graph."""

from __future__ import annotations

import ctypes
import html
import operator
import subprocess
import tempfile
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from functorch.compile import aot_module_simplified
from torch import fx, nn

from dynamo_lab.compiler.backend import boxed
from dynamo_lab.compiler.build import BuildError, compiler

OpOverload = type(torch.ops.aten.add.Tensor)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def graph_of(fn: Callable[..., Any], *args: Any, **options: Any) -> fx.GraphModule:
    """The graph of ATen operators that a backend is given for a function; nothing is compiled.

    Options are those of `aot_module_simplified`, such as `decompositions`.
    """
    caught: list[fx.GraphModule] = []

    def catch(gm: fx.GraphModule, example_inputs: Any) -> Any:
        caught.append(gm)
        return boxed(lambda args: gm(*args))

    def backend(gm: fx.GraphModule, inputs: Any) -> Any:
        return aot_module_simplified(gm, inputs, fw_compiler=catch, **options)

    torch.compiler.reset()  # however often one function is compiled here
    with torch.no_grad():
        torch.compile(fn, backend=backend, dynamic=False)(*args)
    return caught[0]


@dataclass(frozen=True)
class Made:
    """What a backend made of a function, and what that computed."""

    out: Any
    graphs: tuple[fx.GraphModule, ...]
    """Those that kernels were put into: one, or a forward and a backward."""

    @property
    def kernels(self) -> list[Kernel]:
        """All kernels, in the order of the graphs."""
        return [m for gm in self.graphs for m in gm.children() if isinstance(m, Kernel)]

    @property
    def text(self) -> str:
        """The text of all kernels."""
        return "\n\n".join(kernel.text for kernel in self.kernels)

    @property
    def aten(self) -> list[str]:
        """The operators that ATen computes, each once; views are left out, as they cost nothing."""
        nodes = [node for gm in self.graphs for node in gm.graph.nodes]
        called = [node.target for node in nodes if isinstance(node.target, OpOverload)]
        names = (str(target).removeprefix("aten.") for target in called if not target.is_view)
        return list(dict.fromkeys(names))

    @property
    def traffic(self) -> int:
        """The bytes that all kernels read and write, if each reads and writes a tensor once."""
        return sum(kernel.bytes for kernel in self.kernels)


def made_by(
    backend: Callable[..., Any], fn: Callable[..., Any], *args: Any, train: bool = False
) -> Made:
    """Compile a function by a backend, and call it.

    Args:
        backend: The compiler.
        fn: A function or a module.
        args: What it is called with.
        train: Also call the backward of the mean of its result's squares.
    """
    graphs: list[fx.GraphModule] = []
    reset = _WATCHER.set(graphs)
    torch.compiler.reset()  # however often one function is compiled here
    try:
        with torch.set_grad_enabled(train):
            out = torch.compile(fn, backend=backend, dynamic=False)(*args)
            if train:
                out.square().mean().backward()
    finally:
        _WATCHER.reset(reset)
    return Made(out, tuple(graphs))


_WATCHER: ContextVar[list[fx.GraphModule] | None] = ContextVar("graphs", default=None)


def machine_code(text: str) -> ctypes.CDLL:
    """C as a library, whose functions Python can call.

    Raises:
        NoCCompiler: no C compiler was found.
        BuildError: the compiler refused the text.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "kernels.c"), Path(folder, "kernels.so")
        source.write_text(f"#include <math.h>\n\n{text}\n")
        command = [*compiler(), "-O3", "-fno-math-errno", "-ffp-contract=off", "-w"]
        command += ["-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise BuildError(done.stderr.replace(folder, "").strip()[:2000], text)
        return ctypes.CDLL(str(library))


class Kernel(nn.Module):
    """A function of the library: called with what it reads, it returns what it writes."""

    def __init__(
        self, text: str, run: Any, reads: Sequence[fx.Node], writes: Sequence[fx.Node]
    ) -> None:
        super().__init__()
        self.text, self.run = text, run
        self.values = [node.meta["val"] for node in writes]
        self.bytes = sum(node.meta["val"].nbytes for node in (*reads, *writes))

    def forward(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        """New memory for what it writes, in the layout that the graph says, and the call."""
        made = [torch.empty_strided(v.shape, v.stride(), dtype=v.dtype) for v in self.values]
        self.run(*(ctypes.c_void_p(tensor.data_ptr()) for tensor in (*tensors, *made)))
        return made


def put_in(
    gm: fx.GraphModule,
    groups: Sequence[Any],
    source: Callable[..., tuple[str, Sequence[fx.Node], Sequence[fx.Node]]],
) -> Callable[..., Any]:
    """Put a call of a kernel into a graph for each group of loops; the graph as a function.

    What no kernel computes stays as it is, a call of ATen.

    Args:
        gm: The graph. It is changed.
        groups: For each kernel its loops, pairs of a node and its recipe.
        source: Makes of a kernel's name and its loops its text, what it reads, what it writes.
    """
    made = [source(f"kernel{at}", loops) for at, loops in enumerate(groups)]
    library = machine_code("\n".join(text for text, _, _ in made)) if made else None
    for at, (text, reads, writes) in enumerate(made):
        name = f"kernel{at}"
        gm.add_module(name, Kernel(text, getattr(library, name), reads, writes))
        with gm.graph.inserting_before(writes[0]):
            call = gm.graph.call_module(name, tuple(reads))
        for which, node in enumerate(writes):
            node.target, node.args = operator.getitem, (call, which)
    _in_order(gm.graph)  # first: what is dead is looked for in a graph that can run
    gm.graph.eliminate_dead_code()
    gm.recompile()
    if (watcher := _WATCHER.get()) is not None:
        watcher.append(gm)
    return boxed(lambda args: gm(*args))


def indented(lines: Sequence[str]) -> str:
    """Lines of C, each as far to the right as it is deep in braces."""
    depth, found = 0, list[str]()
    for line in lines:
        depth -= line.startswith("}")
        found.append("    " * depth + line)
        depth += line.endswith("{")
    return "\n".join(found)


def _in_order(graph: fx.Graph) -> None:
    """Each node after what it needs, otherwise as they were: a kernel may need a later node."""
    placed: dict[fx.Node, None] = {}
    last: list[fx.Node] = []

    def settle(node: fx.Node) -> None:
        if node in placed:
            return
        for needed in node.all_input_nodes:
            settle(needed)
        if last:
            last[-1].append(node)
        placed[node] = None
        last[:] = [node]

    for node in list(graph.nodes):
        settle(node)
    graph.lint()


@dataclass(frozen=True)
class Beside:
    """Texts beside each other in a notebook, one below the other in a terminal."""

    texts: dict[str, str]

    def __repr__(self) -> str:
        return "\n\n".join(f"--- {name}\n{text}" for name, text in self.texts.items())

    def _repr_html_(self) -> str:
        column = '<div style="flex: 1 1 24em; min-width: 0"><b>{}</b><pre {}>{}</pre></div>'
        style = 'style="overflow-x: auto; white-space: pre; font-size: 12px; line-height: 1.35"'
        columns = [
            column.format(html.escape(name), style, html.escape(text))
            for name, text in self.texts.items()
        ]
        return f'<div style="display: flex; flex-wrap: wrap; gap: 16px">{"".join(columns)}</div>'


def beside(**texts: object) -> Beside:
    """Texts to look at side by side, each under its name."""
    return Beside({name.replace("_", " "): str(text) for name, text in texts.items()})
