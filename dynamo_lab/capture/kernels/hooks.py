"""Private names of PyTorch for kernels."""

from typing import Any

from dynamo_lab.capture.core.private import Field, Nobody, Private

_CODEGEN = "torch._inductor.codegen"
_CALLED = "which nodes a kernel was made from, and how often it is called, is not recorded."

CALLED = Private("torch._inductor.debug", "set_kernel_post_grad_provenance_tracing", _CALLED)
CALLERS = (
    Private(f"{_CODEGEN}.cpp", "", _CALLED),
    Private(f"{_CODEGEN}.triton", "", _CALLED),
    Private("torch._inductor.scheduler", "", _CALLED),
)
"""Modules that call it: some import it by name, some when they call it."""
UNTOLD = tuple(
    Private("torch._inductor.ir", f"{name}.codegen", f"calls of a library by {name}: {_CALLED}")
    for name in (
        "ScatterFallback",
        "IndexPutFallback",
        "InplaceBernoulliFallback",
        "InplaceCopyFallback",
        "MutatingFirstArgExternKernel",
        "DeviceCopy",
    )
)
"""What writes a call of a library, most of them in place, and does not tell `CALLED` of it."""
DEFINED = Private(
    f"{_CODEGEN}.wrapper",
    "PythonWrapperCodegen.define_kernel",
    "the code of each kernel is not recorded.",
)
DEFINED_METAL = Private(
    f"{_CODEGEN}.mps", "MetalScheduling.define_kernel", "the code of Metal kernels is not recorded."
)
GENERATED = Private(
    "torch._inductor.graph",
    "GraphLowering.codegen",
    "the module that calls the kernels is not recorded.",
)
CODE_WRITTEN = Private(
    "torch._inductor.scheduler",
    "Scheduler.codegen",
    "how long the code of each kernel took to write is not recorded.",
)
_BUILT = "how long each C++ kernel took to build is not recorded."
BUILD_ASKED = Private("torch._inductor.async_compile", "AsyncCompile.cpp_pybinding", _BUILT)
BUILD_WRITTEN = Private("torch._inductor.codecache", "write", _BUILT)
BUILT = Private("torch._inductor.codecache", "_worker_compile_cpp", _BUILT)
IS_BACKWARD = Field(
    "torch._inductor.graph",
    "GraphLowering.is_backward",
    "the module of a backward is shown as that of a forward.",
    otherwise=False,
)

_LINES = "lines of kernels are not linked to nodes."
SCHEDULINGS = (
    Private(f"{_CODEGEN}.cpp", "CppScheduling", _LINES),
    Private(f"{_CODEGEN}.mps", "MetalScheduling", _LINES),
    Private(f"{_CODEGEN}.triton", "TritonScheduling", _LINES),
    Private(f"{_CODEGEN}.simd", "SIMDScheduling", _LINES),
)
TEMPLATE = Private("torch._inductor.ir", "TemplateBuffer", _LINES, otherwise=Nobody)
WRITE_LINE = Private("torch._inductor.utils", "IndentedBuffer.writeline", _LINES)
MAKE_TEXT = Private("torch._inductor.utils", "IndentedBuffer.getvaluewithlinemap", _LINES)
ASK_VALUE = Private(f"{_CODEGEN}.common", "CSE.generate", _LINES)
DEFERRED_LINE = Private(f"{_CODEGEN}.common", "DeferredLine", _LINES, otherwise=Nobody)
_INDICES = "lines of a kernel that compute an index may be attributed to a node."
METAL_INDEX = Private(f"{_CODEGEN}.mps", "MetalKernel.codegen_iteration_ranges_entry", _INDICES)
TRITON_INDEX = Private(
    f"{_CODEGEN}.triton", "TritonKernel.codegen_iteration_ranges_entry", _INDICES
)
_CPP = "some lines of C++ kernels with a reduction are not linked to nodes."
RENAMED = Private(f"{_CODEGEN}.cpp", "replace_acc_name", _CPP)
RENAMED_SUM = Private(f"{_CODEGEN}.cpp", "replace_cascade_sum_with_add", _CPP)
MOVED = Private(f"{_CODEGEN}.cpp", "move_code_under_inner_loop", _CPP)
ACCUMULATOR = Private(f"{_CODEGEN}.cpp", "CppKernel._gen_reduction_prefix", _CPP)
ACCUMULATORS = Private(f"{_CODEGEN}.cpp", "CppKernel.finalize_reduction_prefix", _CPP)

_EDITS = "a kernel cannot be edited and built again."
SETTINGS = Private("torch._inductor.config", "", _EDITS)
LIST_MODES = Private("torch._inductor", "list_mode_options", _EDITS)
ASYNC_COMPILE = Private("torch._inductor.async_compile", "AsyncCompile", _EDITS)
METAL_SHADER = Private(
    "torch._inductor.runtime.runtime_utils",
    "compile_mps_shader",
    "a Metal kernel cannot be edited and built again.",
    otherwise=None,
)
LOADED = Private(
    "torch._inductor.codecache",
    "PyCodeCache.modules",
    "kernels cannot be timed one by one, or edited.",
)

_INTERPRETED = "Triton kernels are not checked on a CPU."
TRITON_HELPERS = Private("torch._inductor.runtime.triton_helpers", "", _INTERPRETED)
TRITON_HEURISTICS = Private("torch._inductor.runtime.triton_heuristics", "", _INTERPRETED)
GRIDS = Private("torch._inductor.runtime.triton_heuristics", "GridExpr", _INTERPRETED)


def _empty_cpu(size: Any, stride: Any, dtype: Any) -> Any:
    import torch  # late: the doctor reads this table without it

    return torch.empty_strided(size, stride, dtype=dtype)


EMPTY_CPU = Private(
    "torch._C._dynamo.guards",
    "_empty_strided_cpu",
    "wrappers of the backend lab take twice as long to allocate memory.",
    otherwise=_empty_cpu,
)
