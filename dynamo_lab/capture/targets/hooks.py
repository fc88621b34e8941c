"""Private names of PyTorch for lowering to an absent device."""

from dynamo_lab.capture.core.private import Nobody, Private, nothing

_LOWER = "programs cannot be lowered for a target."

INDUCTOR_INNER = Private("torch._inductor.compile_fx", "compile_fx_inner", _LOWER)
INDUCTOR = Private("torch._inductor.compile_fx", "", _LOWER)
SETTINGS = Private("torch._inductor.config", "", _LOWER)
AOTAUTOGRAD_SETTINGS = Private("torch._functorch.config", "", _LOWER)
LIST_MODES = Private("torch._inductor", "list_mode_options", "a mode cannot be used.")
RANDOM_RULES = Private(
    "torch._inductor.decomposition",
    "fast_random_decomps",
    "rules that were registered since the last lowering are not seen.",
    otherwise=nothing,
)
GRAPH = Private("torch._inductor.graph", "GraphLowering", _LOWER)
CONSTANT_OF_GRAPH = Private("torch._inductor.graph", "getattr_recursive", _LOWER)
AUTOTUNING = Private("torch._inductor.select_algorithm", "AlgorithmSelectorCache", _LOWER)
PADDING = Private("torch._inductor.fx_passes.pad_mm", "", _LOWER)
FOLDING = Private("torch._inductor.constant_folding", "ConstantFolder.run", _LOWER)
PRODUCTS_OF_ZERO = Private(
    "torch._inductor.fx_passes.joint_graph",
    "UniformValueConstantFolder._add_peephole_patterns",
    "programs that multiply by 0 cannot be lowered for an absent device.",
)
VIRTUALIZED = Private("torch._inductor.virtualized", "V", _LOWER)
FAKE_TENSOR = Private("torch._subclasses.fake_tensor", "FakeTensor", _LOWER, otherwise=Nobody)
FAKE_DEVICE = Private("torch._subclasses.fake_tensor", "FakeTensor.fake_device", _LOWER, "2.13")
RUN_FOR_FAKES = Private("torch._subclasses.fake_tensor", "run_fallback_kernel", _LOWER)
WITHOUT_MODES = Private("torch.utils._python_dispatch", "_disable_current_modes", _LOWER)
FAKE_HANDLERS = Private("torch._subclasses.fake_tensor", "_DISPATCH_META_HANDLERS", _LOWER)
DISPATCH_MODE = Private("torch.utils._python_dispatch", "TorchDispatchMode", _LOWER)
FAKE_MODE = Private("torch._subclasses.fake_tensor", "FakeTensorMode", _LOWER)
TRACING = Private("torch.fx.experimental.proxy_tensor", "ProxyTorchDispatchMode", _LOWER)
DECOMPOSED = (
    Private("torch._subclasses.functional_tensor", "autograd_would_have_decomposed", _LOWER),
    Private("torch.fx.experimental.proxy_tensor", "autograd_would_have_decomposed", _LOWER),
)
"""Whether a device composes an operator of others: by the kernels that PyTorch was built with."""
FUNCTIONAL_TENSOR = Private("torch._subclasses.functional_tensor", "FunctionalTensor", _LOWER)

INDUCTOR_UTILS = Private("torch._inductor.utils", "", _LOWER)
_GPU = "programs cannot be lowered for an absent GPU."
DEVICES = Private("torch._dynamo.device_interface", "", _GPU)
CUDA = Private("torch._dynamo.device_interface", "CudaInterface", _GPU)
TRITON = Private("torch.utils._triton", "", _GPU)
DATASHEETS = Private("torch._inductor.analysis.device_info", "lookup_device_info", _GPU)
ESTIMATES = Private(
    "torch.utils._runtime_estimation", "", "collectives are not moved as for an absent GPU."
)
FORMAT = Private("torch._prims_common", "suggest_memory_format", _GPU)
CONVOLUTIONS = Private("torch._C", "_ConvBackend", _GPU)
C = Private("torch._C", "", _GPU)

_REFILLED = "a lowering takes longer, as Inductor fills its table of types for each operation."
TYPES = Private("torch._inductor.dtype_propagation", "DtypePropagationOpsHandler", _REFILLED)
TYPES_FROM = (
    Private("torch._inductor.utils", "op_dtype_propagation_rules", _REFILLED),
    Private("torch._inductor.codegen.common", "pointwise_overrides_data", _REFILLED),
)
"""What the table of types is filled from."""

HEADER = Private(
    "torch._dynamo.symbolic_convert",
    "InstructionTranslatorBase.get_line_of_code_header",
    "a lowering takes longer, as Dynamo reads the program's files for a log that nobody keeps.",
)

VECTORS = Private("torch._inductor.cpu_vec_isa", "", "programs cannot be lowered for other CPUs.")

REMEMBERING = (
    "torch._inductor.utils",
    "torch._inductor.runtime.hints",
    "torch._inductor.codegen.triton_utils",
    "torch._inductor.codegen.simd",
    "torch._inductor.choices",
    "torch.utils._triton",
)
"""Modules that remember answers about the device: they forget when it changes."""
