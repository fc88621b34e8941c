"""What the lessons give: a graph to compile, a C compiler to call, kernels put into the graph."""

from __future__ import annotations

import ctypes
import importlib.util
import operator
import os
import subprocess
import sys
import tempfile
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from functorch.compile import aot_module_simplified, make_boxed_func
from torch import fx, nn

from dynamo_lab.compiler.build import BuildError, compiler
from dynamo_lab.errors import CourseError

OpOverload = type(torch.ops.aten.add.Tensor)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Source = tuple[str, Sequence[fx.Node], Sequence[fx.Node]] if TYPE_CHECKING else tuple
"""A kernel's text, the nodes whose memory it reads, and those whose memory it writes."""


def graph_of(fn: Callable[..., Any], *args: Any, **options: Any) -> fx.GraphModule:
    """The graph of ATen operators that a backend is given for a function; nothing is compiled.

    Options are those of `aot_module_simplified`, such as `decompositions`.
    """
    caught: list[fx.GraphModule] = []

    def catch(gm: fx.GraphModule, _: Any) -> Any:
        caught.append(gm)
        return make_boxed_func(gm.forward)

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
    gm: fx.GraphModule, groups: Sequence[Any], source: Callable[..., Source]
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
    gm.graph.eliminate_dead_code()
    _in_order(gm.graph)
    gm.recompile()
    if (watcher := _WATCHER.get()) is not None:
        watcher.append(gm)
    return make_boxed_func(gm.forward)


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


HEADER = """\
import triton
import triton.language as tl


@triton.jit
def larger(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def tanh(x):
    e = tl.exp(-2 * tl.abs(x))
    return tl.where(x < 0, e - 1, 1 - e) / (1 + e)


"""
"""What stands before a Triton kernel: functions that Triton's own language lacks."""


def interpreted(
    text: str, launch: tuple[int, int], reads: Sequence[Any], writes: Sequence[fx.Node]
) -> list[torch.Tensor]:
    """What a Triton kernel writes, run by Triton's interpreter: on the CPU, element by element.

    Triton decides when it is imported whether it interprets, so this is a process of its own.

    Args:
        text: The kernel, `kernel0`.
        launch: How many programs there are, and the elements of a block.
        reads: The tensors that it is given.
        writes: The nodes whose memory it is given after them.

    Raises:
        CourseError: There is no Triton here, or it refused the kernel.
    """
    _need_triton()
    values = [node.meta["val"] for node in writes]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernels.py").write_text(HEADER + text)
        made = [torch.empty_strided(v.shape, v.stride(), dtype=v.dtype) for v in values]
        torch.save((launch, list(reads), made), Path(folder, "given.pt"))
        done = subprocess.run(
            [sys.executable, "-c", _INTERPRET],
            cwd=folder,
            env={**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise CourseError(f"Triton refused the kernel: {done.stderr.strip().splitlines()[-1]}")
        return torch.load(Path(folder, "made.pt"))


_INTERPRET = """\
import torch, kernels
(programs, block), reads, made = torch.load("given.pt")
kernels.kernel0[(programs,)](*reads, *made, BLOCK=block)
torch.save(made, "made.pt")
"""


def ptx(text: str, launch: tuple[int, int], nodes: Sequence[fx.Node]) -> str:
    """A Triton kernel as assembly for an NVIDIA GPU, which need not be there.

    Raises:
        CourseError: There is no Triton here, or it refused the kernel.
    """
    _need_triton()
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernels.py")
        path.write_text(HEADER + text)
        spec = importlib.util.spec_from_file_location("kernels", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        types = {torch.float32: "*fp32", torch.bool: "*i1"}
        signature = {node.name: types[node.meta["val"].dtype] for node in nodes}
        source = ASTSource(
            module.kernel0, {**signature, "BLOCK": "constexpr"}, {"BLOCK": launch[1]}
        )
        return triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"]


def _need_triton() -> None:
    if importlib.util.find_spec("triton") is None:
        raise CourseError("Triton is not installed here: `pip install triton` needs no GPU.")
