"""A program run by kernels of another target, on this CPU."""

from __future__ import annotations

import copy
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch.func import functionalize
from torch.fx.experimental.proxy_tensor import make_fx

from dynamo_lab.capture.kernels.libdevice import Libdevice
from dynamo_lab.compiler.backend import decompositions
from dynamo_lab.compiler.printers.triton import TritonPrinter
from dynamo_lab.compiler.program import Program
from dynamo_lab.compiler.targets.metal import Metal
from dynamo_lab.compiler.targets.triton import Triton
from tests.kernels.metal_on_cpu import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import ModuleType

    from dynamo_lab.compiler.targets.target import Target
    from tests.compiler.programs import Case

SHORT = {
    torch.float64: "fp64",
    torch.float32: "fp32",
    torch.float16: "fp16",
    torch.bfloat16: "bf16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.int16: "i16",
    torch.bool: "i1",
}


def program_of(case: Case, target: Target | None = None) -> Program:
    mode = "symbolic" if case.is_dynamic else "fake"
    run = functionalize(case.run, remove="mutations")
    trace = make_fx(run, decomposition_table=dict(decompositions()), tracing_mode=mode)
    return Program(trace(*copy.deepcopy(case.args())), target=target)


def problem_of(case: Case, target: Target) -> str:
    """What differs from eager; nothing if nothing does."""
    try:
        program = program_of(case, target)
        assert program.kernels, "nothing was lowered"
        given, same = copy.deepcopy((case.args(), case.args()))
        got = program(list(given))
        expected = case.run(*same)
        leaves = expected if isinstance(expected, list | tuple) else [expected]
        for mine, eager in zip([*got, *given], [*leaves, *same], strict=True):
            torch.testing.assert_close(
                mine, eager, rtol=case.tolerance, atol=case.least, equal_nan=True
            )
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


class Interpreted(Triton):
    """Triton's interpreter, told what it lacks; blocks as large as is asked for.

    It has no libdevice, and takes assertions of the device for text. Triton 3.6 takes a size for
    an index by `int` of an array of one element, which numpy from 2.4 refuses.
    """

    def __init__(self, **blocks: int) -> None:
        super().__init__(type("Printer", (TritonPrinter,), blocks))
        from triton.runtime import interpreter

        builder = interpreter.interpreter_builder
        builder.options = replace(builder.options, debug=True, sanitize_overflow=False)
        builder.create_assert = _all_hold
        if not hasattr(interpreter, "sizes_are_indices"):
            interpreter._patch_lang_tensor = _with_indices(interpreter._patch_lang_tensor)
            setattr(interpreter, "sizes_are_indices", True)  # noqa: B010 - no type has it

    def _loaded(self, sources: Sequence[str]) -> ModuleType:
        made = super()._loaded(sources)
        vars(made)["libdevice"] = Libdevice()
        return made


def _with_indices(patch: Callable[..., None]) -> Callable[..., None]:
    def patched(tensor: Any, *scope: Any) -> None:
        patch(tensor, *scope)
        tensor.__index__ = lambda self: int(self.handle.data.squeeze())

    return patched


def _all_hold(condition: Any, message: str) -> None:
    assert condition.data.all(), message


class Shader(Library):
    """A Metal library as C++: groups as large as divides the threads."""

    def __getattr__(self, name: str) -> Any:
        launch = super().__getattr__(name)

        def run(*args: Any, threads: int, group_size: int) -> None:
            launch(*args, threads=threads, group_size=math.gcd(threads, group_size))

        return run


def metal(folder: Path) -> Metal:
    """Threads of a CPU are those of the GPU."""
    return Metal(compiled=lambda text: Shader(text, folder, warnings=["-w"]))


def signature(printer: TritonPrinter) -> dict[str, str]:
    """The types of the parameters, as Triton's compiler is told them."""
    kernel, rows = printer.kernel, printer.launch.rows
    found = {name: f"*{SHORT[kernel.buffers[name].dtype]}" for name in (*kernel.ins, *kernel.outs)}
    found |= dict.fromkeys(kernel.sizes, "i64")
    found |= {name: SHORT[dtype] for name, dtype in kernel.scalars.items()}
    found |= {name: f"*{SHORT[dtype]}" for name, (dtype, _) in rows.items()}
    return found | dict.fromkeys(printer.launch.constexprs, "constexpr")
