"""Private names of PyTorch for assembly."""

from dynamo_lab.capture.core.private import Field, Private

_GPU = "Triton kernels cannot be assembled."
TRITON_HELPERS = Private("torch._inductor.runtime.triton_helpers", "", _GPU)
AUTOTUNER = Private("torch._inductor.runtime.triton_heuristics", "CachingAutotuner", _GPU)
TUNER_META = Field(
    "torch._inductor.runtime.triton_heuristics",
    "CachingAutotuner.inductor_meta",
    "how many blocks a kernel is launched with is not known.",
    otherwise=None,
)

_CPU = "C++ kernels cannot be assembled."
VECTORS = Private("torch._inductor.cpu_vec_isa", "pick_vec_isa", _CPU)
OPTIONS = Private("torch._inductor.cpp_builder", "CppTorchOptions", _CPU)
BUILDER = Private("torch._inductor.cpp_builder", "CppBuilder", _CPU)
