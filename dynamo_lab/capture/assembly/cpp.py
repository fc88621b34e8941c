"""Machine code of a C++ kernel: Inductor's own compile command, then objdump."""

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from dynamo_lab.capture.assembly import hooks, listings
from dynamo_lab.capture.targets.targets import pretend
from dynamo_lab.errors import AbsentError, AssemblyError
from dynamo_lab.model.assembly import Assembly, Level
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.targets import Target

_FILE = "dynamo_lab_kernel.cpp"
_FAMILIES = {"x86_64": ("avx512", "avx2"), "aarch64": ("neon",), "arm64": ("neon",)}


def assemble(kernel: Kernel, target: Target, folder: Path) -> Assembly:
    """The kernel as machine code of this machine's kind of processor.

    Raises:
        AssemblyError: there is no compiler or objdump, it is another kind, or it does not compile.
    """
    import platform

    machine = platform.machine()
    if target.architecture not in ("", "scalar", *_FAMILIES.get(machine, ())):
        raise AssemblyError(
            f"The compiler here builds for {machine}, so there is no assembly for {target.name}: "
            "assemble it on a machine of that kind."
        )
    source = folder / _FILE
    source.write_text(f"{kernel.code}\n", encoding="utf-8")
    command, instructions = _command(source, target)
    return Assembly(
        kernel=kernel.id,
        target=target.name,
        levels=(machine_code(command, source.with_suffix(".o"), _FILE),),
        chosen=f"Built by {Path(command[0]).name} with Inductor's own flags, for {instructions}.",
    )


def machine_code(command: Sequence[str], made: Path, file: str) -> Level:
    """What this command compiles into an object, as instructions tied to lines of the file.

    Raises:
        AssemblyError: there is no objdump, or it does not compile.
    """
    import platform

    reader = shutil.which("objdump")
    if reader is None:
        raise AssemblyError("There is no objdump here to read machine code: install binutils.")
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode:
        wrong = [line for line in built.stderr.splitlines() if "error" in line]
        raise AssemblyError(f"{Path(command[0]).name} refuses the kernel: {' '.join(wrong)[:300]}")
    options = ["-dr", "-l", "--inlines", "--no-show-raw-insn", "-C"]
    asked = [reader, *options, str(made)]
    read = subprocess.run(asked, capture_output=True, text=True, check=False)
    name = platform.machine().replace("_", "-")
    return listings.level(name, listings.objdump(read.stdout, file))


def _command(source: Path, target: Target) -> tuple[list[str], str]:
    """Inductor's command to compile this file, with names of lines, and for which vectors."""
    try:
        with pretend(target):
            isa = hooks.VECTORS.get()()
            options = hooks.OPTIONS.get()(vec_isa=isa, compile_only=True)
            builder = hooks.BUILDER.get()(
                name=source.stem,
                sources=str(source),
                BuildOption=options,
                output_dir=str(source.parent),
            )
            line = builder.get_command_line()
    except AbsentError:
        raise
    except Exception as error:  # Inductor's, where it finds no compiler
        raise AssemblyError(
            f"There is no C++ compiler that Inductor would use ({type(error).__name__}): install "
            "g++ or clang."
        ) from None
    command = [*shlex.split(line), "-g1"]
    if shutil.which(command[0]) is None:
        raise AssemblyError(f"There is no C++ compiler {command[0]!r} here: install g++ or clang.")
    return command, str(isa) if isa else "no vector instructions"
