"""A program run by kernels of another target: its wrapper as it is, with other functions."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.func import functionalize
from torch.fx.experimental.proxy_tensor import make_fx

from dynamo_lab.capture.kernels.libdevice import Libdevice
from dynamo_lab.compiler.backend import decompositions
from dynamo_lab.compiler.printers.metal import MetalPrinter, library
from dynamo_lab.compiler.printers.printer import evaluated
from dynamo_lab.compiler.printers.triton import TritonPrinter, module
from dynamo_lab.compiler.program import Program
from tests.kernels.metal_on_cpu import Library

if TYPE_CHECKING:
    from pathlib import Path

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
Kernel = Callable[..., None]


def program_of(case: Case) -> Program:
    mode = "symbolic" if case.is_dynamic else "fake"
    run = functionalize(case.run, remove="mutations")
    trace = make_fx(run, decomposition_table=dict(decompositions()), tracing_mode=mode)
    return Program(trace(*copy.deepcopy(case.args())))


def problem_of(case: Case, kernels_of: Callable[[Program], dict[str, Kernel]]) -> str:
    """What differs from eager; nothing if nothing does."""
    try:
        program = program_of(case)
        assert program.kernels, "nothing was lowered"
        given, same = copy.deepcopy((case.args(), case.args()))
        wrapper = program.wrapper
        wrapper.text = wrapper.text.replace(".data_ptr()", "")
        got = wrapper.function(kernels_of(program))(list(given))
        expected = case.run(*same)
        leaves = expected if isinstance(expected, list | tuple) else [expected]
        for mine, eager in zip([*got, *given], [*leaves, *same], strict=True):
            torch.testing.assert_close(
                mine, eager, rtol=case.tolerance, atol=case.least, equal_nan=True
            )
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def triton_kernels(program: Program, folder: Path, **blocks: int) -> dict[str, Kernel]:
    made = loaded(program, folder, **blocks)
    for _, function in made:
        function.fn.__globals__["libdevice"] = Libdevice()
    return {printer.kernel.name: _in_triton(printer, function) for printer, function in made}


def loaded(program: Program, folder: Path, **blocks: int) -> list[tuple[TritonPrinter, Any]]:
    """The kernels as functions of a module, with the size of blocks that is asked for."""
    printers = [type("Printer", (TritonPrinter,), blocks)(k) for k in program.kernels]
    path = folder / "kernels.py"
    path.write_text(module(printers))
    spec = importlib.util.spec_from_file_location("kernels", path)
    assert spec
    assert spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return [(printer, getattr(made, printer.kernel.name)) for printer in printers]


def signature(printer: TritonPrinter) -> dict[str, str]:
    """The types of the parameters, as Triton's compiler is told them."""
    kernel, rows = printer.kernel, printer.launch.rows
    found = {name: f"*{SHORT[kernel.buffer(name).dtype]}" for name in (*kernel.ins, *kernel.outs)}
    found |= dict.fromkeys(kernel.sizes, "i64")
    found |= {name: SHORT[dtype] for name, dtype in kernel.scalars.items()}
    found |= {name: f"*{SHORT[dtype]}" for name, (dtype, _) in rows.items()}
    found |= {"out_of_range": "*i32"} if kernel.checks else {}
    return found | dict.fromkeys(printer.launch.constexprs, "constexpr")


def _in_triton(printer: TritonPrinter, function: Any) -> Kernel:
    launch = printer.launch

    def run(*args: Any) -> None:
        given, flag = _given(printer.kernel, args)
        sizes = {name: given[name] for name in printer.kernel.sizes}
        for name, (dtype, elements) in launch.rows.items():
            given[name] = torch.empty(evaluated(elements, sizes), dtype=dtype)
        grid = launch.grid(sizes)
        if grid[0]:
            function[grid](*(given[name] for name in launch.parameters), **launch.constexprs)
        flag()

    return run


def metal_kernels(program: Program, folder: Path) -> dict[str, Kernel]:
    """Threads of a CPU are those of the GPU: 32 at a time if they work together, else one."""
    printers = [MetalPrinter(k) for k in program.kernels]
    built = Library(library(printers), folder, warnings=["-w"])
    return {p.kernel.name: _in_metal(p, getattr(built, p.kernel.name)) for p in printers}


def _in_metal(printer: MetalPrinter, function: Any) -> Kernel:
    launch = printer.launch

    def run(*args: Any) -> None:
        given, flag = _given(printer.kernel, args)
        threads = launch.threads({name: given[name] for name in printer.kernel.sizes})
        arguments = [given[name] for name in launch.parameters]
        if threads:
            function(*arguments, threads=threads, group_size=launch.lanes)
        flag()

    return run


def _given(kernel: Any, args: Any) -> tuple[dict[str, Any], Callable[[], None]]:
    """The arguments by name, and what hands the flag of a bad index back."""
    names = [*kernel.ins, *kernel.outs, *kernel.sizes, *kernel.scalars]
    given = dict(zip(names, args, strict=False))
    given["out_of_range"] = refused = torch.zeros(1, dtype=torch.int32)

    def flag() -> None:
        if kernel.checks:
            args[len(names)].contents.value = int(refused)

    return given, flag
