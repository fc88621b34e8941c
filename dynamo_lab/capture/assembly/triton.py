"""Assembly of a Triton kernel, for a GPU that need not be present: Triton only needs its name."""

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from dynamo_lab.capture.assembly import hooks, listings
from dynamo_lab.capture.core.undo import whole
from dynamo_lab.capture.targets.targets import gpu_target, pretend
from dynamo_lab.errors import AssemblyError
from dynamo_lab.model.assembly import Assembly, Level, Resources, occupancy
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.targets import Target

_MODULE = "dynamo_lab_kernel"
_FILE = f"{_MODULE}.py"
_AMD_OPTIONS = ("matrix_instr_nonkdim", "waves_per_eu", "kpack")


def assemble(kernel: Kernel, target: Target, folder: Path) -> Assembly:
    """The kernel at each level that Triton goes through, down to the chip's instructions.

    Raises:
        AssemblyError: there is no Triton, or it refuses the kernel.
    """
    compiled, tuner = compiled_for(kernel, target, folder)
    chosen = _chosen(tuner.configs[0], len(tuner.configs))
    return read(compiled, kernel, target, folder, chosen)


def compiled_for(kernel: Kernel, target: Target, folder: Path) -> tuple[Any, Any]:
    """What Triton makes of a kernel with the first block sizes to try, and what knows all of them.

    Raises:
        AssemblyError: there is no Triton, or it refuses the kernel.
    """
    if importlib.util.find_spec("triton") is None:
        raise AssemblyError("Triton is not installed here: `pip install triton` needs no GPU.")
    (folder / _FILE).write_text(f"{kernel.code}\n", encoding="utf-8")
    with pretend(target), _compiling(folder):
        try:
            tuner = _tuner(folder)
            return _compiled(tuner, tuner.configs[0], target), tuner
        except Exception as error:
            reason = str(error).strip().split("\n")[0][:200]
            raise AssemblyError(
                f"Triton does not compile {kernel.name} for {target.name}: "
                f"{type(error).__name__}: {reason}"
            ) from error


def read(compiled: Any, kernel: Kernel, target: Target, folder: Path, chosen: str) -> Assembly:
    """The levels of what Triton compiled, and what it uses of the chip."""
    is_amd = target.kind == "rocm"
    levels = tuple(_amd(compiled) if is_amd else _nvidia(compiled, folder))
    found = _amd_resources(compiled) if is_amd else _nvidia_resources(compiled, folder)
    return Assembly(
        kernel=kernel.id,
        target=target.name,
        levels=levels,
        resources=_with_occupancy(found, compiled, target),
        chosen=chosen,
    )


def compile_alone(
    folder: Path, text: str, name: str, given: tuple[dict[str, str], dict[Any, Any]],
    options: dict[str, Any], target: Target,
) -> Any:  # fmt: skip
    """A kernel of a module's text as Triton compiles it for a target, which need not be present.

    `given` are the types of its parameters, and those of them that are constants.
    """
    import triton
    from triton.compiler import ASTSource

    (folder / _FILE).write_text(text, encoding="utf-8")
    with _compiling(folder):
        source = ASTSource(getattr(_module(folder), name), *given)
        return triton.compile(source, target=gpu_target(target), options=options)


@whole
def _compiling(folder: Path) -> Generator[None, None, None]:
    """Triton stores what it compiles only in the folder, and takes nothing from elsewhere."""
    from triton import knobs

    before = sys.modules.pop(_MODULE, None)
    with (
        knobs.cache.scope(),
        mock.patch.object(hooks.TRITON_HELPERS.get(), "set_driver_to_gpu", return_value=None),
    ):
        knobs.cache.dir = str(folder / "cache")
        try:
            yield
        finally:
            sys.modules.pop(_MODULE, None)
            if before is not None:
                sys.modules[_MODULE] = before


def _tuner(folder: Path) -> Any:
    """The kernel in Inductor's own decorator, which knows the block sizes to try."""
    tuner = hooks.AUTOTUNER.get()
    return next(value for value in vars(_module(folder)).values() if isinstance(value, tuner))


def _module(folder: Path) -> ModuleType:
    spec: Any = importlib.util.spec_from_file_location(_MODULE, folder / _FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE] = module
    spec.loader.exec_module(module)
    return module


def _compiled(tuner: Any, config: Any, target: Target) -> Any:
    """As Inductor compiles a config (`CachingAutotuner._precompile_config`), but for the target."""
    import triton
    from triton.compiler import ASTSource

    meta = tuner._create_compile_meta(config)
    options = {
        "num_warps": meta["num_warps"],
        "num_stages": meta["num_stages"],
        "debug": meta["debug"] and target.kind == "cuda",
        "sanitize_overflow": False,
        **{name: meta[name] for name in ("enable_fp_fusion",) if name in meta},
    }
    if target.kind == "rocm":  # what only AMD's backend knows; torch 2.11 keeps it beside the rest
        options |= {name: meta[name] for name in _AMD_OPTIONS if name in meta}
        options |= meta.get("backend_options", {})
    source = ASTSource(tuner.fn, meta["signature"], meta["constants"], meta["configs"][0])
    return triton.compile(source, target=gpu_target(target), options=options)


def _chosen(config: Any, count: int) -> str:
    sizes = ", ".join(f"{name} = {value}" for name, value in config.kwargs.items())
    chosen = f"{sizes + ', ' if sizes else ''}{config.num_warps} warp{'s' * (config.num_warps > 1)}"
    if count == 1:
        return f"Block sizes: {chosen}, the only ones that Inductor's heuristics offer."
    return (
        f"Block sizes: {chosen}, the first of {count} that Inductor's heuristics offer; "
        "autotuning on the device may choose others."
    )


def _ir(compiled: Any) -> Iterator[Level]:
    yield listings.level("TTIR", listings.mlir(compiled.asm["ttir"], _FILE))
    yield listings.level("TTGIR", listings.mlir(compiled.asm["ttgir"], _FILE))
    yield listings.level("LLVM IR", listings.llvm(compiled.asm["llir"], _FILE))


def _amd(compiled: Any) -> Iterator[Level]:
    yield from _ir(compiled)
    yield listings.level("AMDGCN", listings.amdgcn(compiled.asm["amdgcn"], _FILE))


def _nvidia(compiled: Any, folder: Path) -> Iterator[Level]:
    """Down to SASS, where there is a disassembler for it."""
    yield from _ir(compiled)
    ptx = compiled.asm["ptx"]
    yield listings.level("PTX", listings.ptx(ptx, _FILE, compiled.metadata.name))
    (folder / "kernel.cubin").write_bytes(compiled.asm["cubin"])
    printed = _tool("nvdisasm", "-c", "-gp", str(folder / "kernel.cubin"))
    if printed:
        lines = listings.ptx_lines(ptx, _FILE)
        yield listings.level("SASS", listings.sass(printed, lines))


def _tool(name: str, *arguments: str) -> str:
    """What one of NVIDIA's tools says, of those that Triton brings or that are installed."""
    import triton

    brought = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / name
    path = str(brought) if brought.exists() else shutil.which(name)
    if path is None:
        return ""
    ran = subprocess.run([path, *arguments], capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr


def _nvidia_resources(compiled: Any, folder: Path) -> Resources:
    """From what `cuobjdump -res-usage` says, and of spills from `ptxas -v`."""
    said = _tool("cuobjdump", "-res-usage", str(folder / "kernel.cubin"))
    ptx = compiled.asm["ptx"]
    (folder / "kernel.ptx").write_text(ptx, encoding="utf-8")
    architecture = _number(r"\.target (sm_\w+)", ptx, str)
    arguments = ["-v", f"-arch={architecture}", str(folder / "kernel.ptx")]
    arguments += ["-o", str(folder / "resources.cubin")]
    # each takes the chips and the versions of PTX that it knows
    spilled = "".join(_tool(name, *arguments) for name in ("ptxas", "ptxas-blackwell"))
    return Resources(
        registers=_number(r"REG:(\d+)", said),
        stack=_number(r"STACK:(\d+)", said),
        spills=_number(r"(\d+) bytes spill stores", spilled),
    )


def _amd_resources(compiled: Any) -> Resources:
    """From the metadata that LLVM writes below the code."""
    text = compiled.asm["amdgcn"]
    registers = _number(r"\.vgpr_spill_count:\s*(\d+)", text)
    return Resources(
        registers=_number(r"\.vgpr_count:\s*(\d+)", text),
        scalar_registers=_number(r"\.sgpr_count:\s*(\d+)", text),
        spills=None if registers is None else 4 * registers,
        stack=_number(r"\.private_segment_fixed_size:\s*(\d+)", text),
    )


def _number(pattern: str, text: str, kind: Any = int) -> Any:
    found = re.search(pattern, text)
    return kind(found[1]) if found else None


def _with_occupancy(found: Resources, compiled: Any, target: Target) -> Resources:
    from msgspec.structs import replace

    shared, warps = compiled.metadata.shared, compiled.metadata.num_warps
    known = replace(found, shared=shared, threads=warps * compiled.metadata.target.warp_size)
    if target.chip is None or known.threads is None or not known.registers:
        return known
    share, limit = occupancy(
        target.chip, known.threads, known.registers, shared, target.kind == "rocm"
    )
    return replace(known, occupancy=share, limit=limit)
