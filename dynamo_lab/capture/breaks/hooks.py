"""Private names of PyTorch for breaks."""

from dynamo_lab.capture.core.private import Field, Nobody, Private

MESSAGE = Private(
    "torch._dynamo.exc",
    "format_graph_break_message",
    "a break has no explanation, no hints and no operands.",
)
LOGGED = Private(
    "torch._dynamo.symbolic_convert",
    "InstructionTranslatorBase.log_graph_break",
    "a break that Dynamo does not explain has no message of its own.",
)
SUBGRAPH = Private(
    "torch._dynamo.output_graph", "OutputGraph.compile_subgraph", "breaks are not recorded."
)
TRANSLATOR = Private(
    "torch._dynamo.symbolic_convert",
    "InstructionTranslatorBase",
    "the instruction that a break is at is not recorded.",
    otherwise=Nobody,
)
_OPERANDS = "the tensors that a break was about are not recorded."
LAZY_VARIABLE = Private(
    "torch._dynamo.variables", "LazyVariableTracker", _OPERANDS, otherwise=Nobody
)
TENSOR_VARIABLE = Private("torch._dynamo.variables", "TensorVariable", _OPERANDS, otherwise=Nobody)
REGISTRY = Private(
    "torch._dynamo.exc",
    "_load_gb_type_to_gb_id_map",
    "breaks have no number of PyTorch's registry and no link to its page.",
    otherwise=dict,
)
REAL_STACK = Field(
    "torch._dynamo.exc",
    "Unsupported.real_stack",
    "a break inside of a called function is not linked to its own line.",
    otherwise=None,
)
