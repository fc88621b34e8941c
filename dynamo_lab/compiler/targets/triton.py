"""Triton, for CUDA (and, in Triton's interpreter, the CPU): kernels of a graph are one module.

Triton reads the text of a kernel from its file, so the module is written beside the libraries of C
kernels, under the hash of its text.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.build import folder, keep
from dynamo_lab.compiler.printers.triton import TritonPrinter
from dynamo_lab.compiler.printers.triton_text import PRELUDE, TYPES
from dynamo_lab.compiler.targets.target import Accelerator
from dynamo_lab.errors import LoweringError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from dynamo_lab.compiler.kernel import Kernel
    from dynamo_lab.compiler.printers.triton_text import Launch
    from dynamo_lab.compiler.targets.target import Origins


class Triton(Accelerator):
    """Kernels as Triton, printed by `printer`; Triton compiles each at its first launch."""

    language = "triton"
    adds = (torch.float32, torch.float64, torch.int32, torch.int64)

    def __init__(self, printer: type[TritonPrinter] = TritonPrinter) -> None:
        super().__init__(printer)

    def printed(self, kernel: Kernel) -> tuple[str, Origins]:
        """Its text, and a last line that says how it is started, for who compiles that alone."""
        made = self.printer(kernel)
        return f"{made.text()}{STARTED}{_started(made)}\n", made.origins

    def functions(
        self, kernels: Sequence[Kernel], sources: Sequence[str]
    ) -> dict[str, Callable[..., None]]:
        """What launches each.

        Raises:
            LoweringError: there is no GPU, and Triton does not interpret either.
        """
        if not torch.cuda.is_available() and not _interprets():
            raise LoweringError(
                "Triton kernels need a GPU to run, and there is none here: "
                'torch.compile(fn, backend="lab", options={"target": "triton"}) prints them '
                "without running them; with TRITON_INTERPRET=1 set before Python starts, "
                "Triton's interpreter runs them."
            )
        return super().functions(kernels, sources)

    def _loaded(self, sources: Sequence[str]) -> ModuleType:
        return module(text_of(sources))

    def _launched(self, function: Any, launch: Launch, kernel: Kernel) -> Callable[..., None]:
        """On the device of the tensors that it is given."""
        first = len(kernel.ins) + len(kernel.outs)
        fixed = None if kernel.sizes else launch.grid({})
        named = {**launch.constexprs, **launch.options}

        def run(*args: Any) -> None:
            sizes = dict(zip(kernel.sizes, args[first:], strict=False))
            grid = fixed or launch.grid(sizes)
            if not grid[0]:
                return
            device = args[0].device
            rows = [
                torch.empty(ix.evaluated(elements, sizes), dtype=dtype, device=device)
                for dtype, elements in launch.rows.values()
            ]
            if device.type == "cuda" and device.index != torch.cuda.current_device():
                with torch.cuda.device(device):
                    function[grid](*args, *rows, **named)
            else:
                function[grid](*args, *rows, **named)

        return run


def _interprets() -> bool:
    from triton import knobs

    return bool(knobs.runtime.interpret)


STARTED = "# started with "
"""Begins the last line of a kernel: what it is given, and what its compiler is told."""


def _short(dtype: torch.dtype) -> str:
    """What Triton's compiler calls a type: `fp32`, `bf16`, `i64`, `u8`, `i1`."""
    name = TYPES[dtype].removeprefix("tl.")
    kind = name.rstrip("0123456789")
    return {"float": "fp", "bfloat": "bf", "int": "i", "uint": "u"}[kind] + name[len(kind) :]


def _started(printed: TritonPrinter) -> str:
    """Triton's types of the parameters, then the block sizes and the options."""
    kernel, launch = printed.kernel, printed.launch
    types = [f"*{_short(kernel.buffers[name].dtype)}" for name in (*kernel.ins, *kernel.outs)]
    types += ["i64" for _ in kernel.sizes]
    types += [_short(dtype) for dtype in kernel.scalars.values()]
    types += [f"*{_short(dtype)}" for dtype, _ in launch.rows.values()]
    told = {**launch.constexprs, **launch.options}
    return "; ".join([" ".join(types), " ".join(f"{name}={value}" for name, value in told.items())])


def text_of(sources: Sequence[str]) -> str:
    """The module of these kernels."""
    return "\n\n".join([PRELUDE, *sources])


def module(text: str) -> ModuleType:
    """Triton kernels as a module of a file that stays."""
    name = f"dynamo_lab_kernels_{hashlib.sha256(text.encode()).hexdigest()[:24]}"
    if name not in sys.modules:
        folder().mkdir(parents=True, exist_ok=True)
        path = folder() / f"{name}.py"
        if not path.exists():
            keep(path, text.encode())
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec
        assert spec.loader
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        sys.modules[name] = made
    return sys.modules[name]
