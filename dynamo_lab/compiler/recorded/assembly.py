"""A kernel of this compiler as machine code: by the command that builds it, or by Triton.

In comes a recorded kernel; out come its levels, each line tied to a line of the kernel. Nothing of
it is run, and the device need not be here.
"""

from __future__ import annotations

import importlib.util
import platform
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from dynamo_lab.capture.assembly import cpp, triton
from dynamo_lab.compiler.build import compiler, options
from dynamo_lab.compiler.printers.prelude import prelude
from dynamo_lab.compiler.printers.triton_text import PRELUDE
from dynamo_lab.compiler.targets.triton import STARTED
from dynamo_lab.errors import AssemblyError
from dynamo_lab.model.assembly import Assembly

if TYPE_CHECKING:
    from dynamo_lab.model.assembly import Level
    from dynamo_lab.model.kernels import Kernel
    from dynamo_lab.model.targets import Target

_FILE = "dynamo_lab_kernel.c"


def assemble(kernel: Kernel, target: Target) -> Assembly:
    """The kernel's levels down to machine code.

    Raises:
        AssemblyError: there is no tool here to assemble it, or not for this target.
        NoCCompiler: there is no C compiler.
    """
    if kernel.language == "metal":
        raise AssemblyError(
            "Metal kernels are assembled only on a Mac, by Apple's compiler: there is none here."
        )
    if kernel.language not in ("c", "triton"):
        raise AssemblyError(
            f"{kernel.name} is {kernel.language}: ATen computes it, so there is no code of it."
        )
    kinds = ("cpu",) if kernel.language == "c" else ("cuda", "rocm")
    if target.kind not in kinds:
        raise AssemblyError(
            f"{kernel.name} is {kernel.language}, which is not for {target.name}: lower the "
            f'program for it first, with relower(target="{target.name}").'
        )
    assembler = _of_c if kernel.language == "c" else _of_triton
    with tempfile.TemporaryDirectory(prefix="dynamo_lab_assembly_") as folder:
        return assembler(kernel, target, Path(folder))


def _of_c(kernel: Kernel, target: Target, folder: Path) -> Assembly:
    """By the command that builds it, of this machine's processor."""
    if target.architecture:
        raise AssemblyError(
            "The backend lab builds for the processor that is here, with all it has: ask for "
            '"cpu", without an instruction set.'
        )
    source, made = folder / _FILE, folder / "kernel.o"
    source.write_text(f'#line 1 "prelude.c"\n{prelude()}#line 1 "{_FILE}"\n{kernel.code}\n')
    told = [option for option in options() if option != "-shared"]
    command = [*compiler(), *told, "-g1", "-c", str(source), "-o", str(made)]
    return Assembly(
        kernel=kernel.id,
        target=target.name,
        levels=(cpp.machine_code(command, made, _FILE),),
        chosen=f"Built by {Path(command[0]).name} with the flags that build it to run, for this "
        f"{platform.machine()} processor.",
    )


def _of_triton(kernel: Kernel, target: Target, folder: Path) -> Assembly:
    """As it is launched, but for the target."""
    if importlib.util.find_spec("triton") is None:
        raise AssemblyError("Triton is not installed here: `pip install triton` needs no GPU.")
    types, blocks, told = _started(kernel)
    names = _parameters(kernel)
    signature = dict(zip(names, types, strict=False)) | dict.fromkeys(blocks, "constexpr")
    text = f"{PRELUDE}\n\n{kernel.code}"
    try:
        given = signature, {(names.index(name),): value for name, value in blocks.items()}
        compiled = triton.compile_alone(folder, text, kernel.name, given, told, target)
    except Exception as error:
        reason = str(error).strip().split("\n")[0][:200]
        raise AssemblyError(
            f"Triton does not compile {kernel.name} for {target.name}: "
            f"{type(error).__name__}: {reason}"
        ) from error
    sizes = ", ".join(f"{name} = {value}" for name, value in blocks.items())
    chosen = f"Block sizes: {sizes}, {told['num_warps']} warps, as the backend lab launches it."
    found = triton.read(compiled, kernel, target, folder, chosen)
    above = text.count("\n", 0, len(PRELUDE) + 2)
    levels = tuple(_without_prelude(level, above) for level in found.levels)
    return structs.replace(found, levels=levels)


def _started(kernel: Kernel) -> tuple[list[str], dict[str, int], dict[str, Any]]:
    """The types of its parameters, its block sizes, and what Triton's compiler is told."""
    line = kernel.code.rstrip().rpartition("\n")[2]
    if not line.startswith(STARTED):
        raise AssemblyError(f"{kernel.name} does not say how it is started: record it again.")
    types, _, told = line.removeprefix(STARTED).partition("; ")
    pairs = [text.partition("=") for text in told.split()]
    values = {name: _value(text) for name, _, text in pairs}
    blocks = {name: value for name, value in values.items() if name.isupper()}
    return types.split(), blocks, {k: v for k, v in values.items() if k not in blocks}


def _value(text: str) -> Any:
    return text == "True" if text in ("True", "False") else int(text)


def _parameters(kernel: Kernel) -> list[str]:
    head = kernel.code[kernel.code.index("(") + 1 : kernel.code.index("):")]
    return [part.partition(":")[0].strip() for part in head.split(", ")]


def _without_prelude(level: Level, above: int) -> Level:
    """Lines of the module as lines of the kernel; those of helpers are of none."""
    own = tuple((row, line - above) for row, line in level.lines if line > above)
    return structs.replace(level, lines=own)
