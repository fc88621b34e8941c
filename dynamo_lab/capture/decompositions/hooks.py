"""Private names of PyTorch for decompositions."""

from dynamo_lab.capture.core.private import Field, Names, Nobody, Private

_TRACING = "torch.fx.experimental.proxy_tensor"

LOOKED_UP = Private(
    _TRACING, "maybe_handle_decomp", "the rules that AOTAutograd applied are not recorded."
)
TAKEN_APART = Private(
    "torch._ops",
    "OpOverload.decompose",
    "composite operators that AOTAutograd decomposed are not recorded.",
)
PROXY_MODE = Private(
    _TRACING, "get_proxy_mode", "composite operators that AOTAutograd decomposed are not recorded."
)
RULES = Field(
    _TRACING,
    "ProxyTorchDispatchMode.decomposition_table",
    "which rule decomposed an operator is not recorded.",
    since="2.13",
    otherwise=None,
)
RULES_BEFORE_2_13 = Private(
    _TRACING,
    "CURRENT_DECOMPOSITION_TABLE",
    "which rule decomposed an operator is not recorded.",
    until="2.12",
    otherwise={},
)

CORE_TABLE = Private(
    "torch._decomp", "core_aten_decompositions", "operators are not decomposed to core ATen."
)
CORE_TABLE_ITSELF = Field(
    "torch.export.decomp_utils",
    "CustomDecompTable.decomp_table",
    "looking up a rule of core ATen takes longer.",
    otherwise=None,
)
INDUCTOR_TABLE = Private(
    "torch._inductor.decomposition",
    "select_decomp_table",
    "operators are not decomposed to Inductor's set.",
)
WHOLE_TABLE = Private(
    "torch._decomp", "decomposition_table", "operators are not decomposed to prims."
)
_REFERENCES = "operators that have only a reference are not decomposed to prims."
REFERENCES = Private("torch._refs", "", _REFERENCES)
OTHER_REFERENCES = (
    Private("torch._refs.nn.functional", "", _REFERENCES),
    Private("torch._refs.special", "", _REFERENCES),
    Private("torch._refs.linalg", "", _REFERENCES),
    Private("torch._refs.fft", "", _REFERENCES),
)
LOWERINGS = Private(
    "torch._inductor.lowering",
    "lowerings",
    "whether Inductor writes code for an operator or calls a kernel is not known.",
)
COMPOSITE_KEY = Private(
    "torch._C",
    "DispatchKey.CompositeImplicitAutograd",
    "composite rules that are written in Python are shown as kernels in C++.",
    otherwise=None,
)
OVER_LISTS_KEY = Private(
    "torch._C",
    "DispatchKey.CompositeExplicitAutograd",
    "our compiler leaves operators on lists of tensors to ATen.",
    otherwise=None,
)
ALL_OPERATORS = Private(
    "torch._C",
    "_dispatch_get_all_op_names",
    "the atlas cannot list the operators; our compiler leaves those on lists of tensors to ATen.",
)
LOOP_OPERATORS = Private(
    "torch._inductor.ops_handler", "OpsHandler", "the atlas does not count the loop IR."
)

FAKES = Private(
    "torch._subclasses.fake_tensor", "FakeTensorMode", "operators cannot be decomposed."
)
NO_NUMBERS = Names(
    "torch._subclasses.fake_tensor",
    "that an operator depends on the numbers in a tensor is reported in PyTorch's words.",
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    otherwise=Nobody,
)
DISPATCH_MODE = Private(
    "torch.utils._python_dispatch",
    "TorchDispatchMode",
    "operators cannot be decomposed, and eager kernels are not timed one by one.",
    otherwise=Nobody,
)
NO_MODES = Private(
    "torch.utils._python_dispatch", "_disable_current_modes", "operators cannot be decomposed."
)
BELOW_AUTOGRAD = Private(
    "torch._C", "_AutoDispatchBelowAutograd", "operators cannot be decomposed."
)

_EAGER = "what eager runs is not linked to the nodes of a graph, so a benchmark compares wholes."
RUN_BACKWARD = Private("torch.autograd", "_engine_run_backward", _EAGER)
AUTOGRAD_NODE = Private("torch._C", "_current_autograd_node", _EAGER)
SEQUENCE_NUMBER = Private("torch.autograd", "_get_sequence_nr", _EAGER)
