"""Private names of PyTorch that all nouns share."""

from dynamo_lab.capture.core.private import Field, Names, Nobody, Private, nothing

_SETTINGS = "the compiler's settings are neither read nor restored."

DYNAMO_SETTINGS = Private("torch._dynamo.config", "", _SETTINGS)
AOTAUTOGRAD_SETTINGS = Private("torch._functorch.config", "", _SETTINGS)
INDUCTOR_SETTINGS = Private("torch._inductor.config", "", _SETTINGS)

_CACHES = "a compile cache that is switched off by it may hide stages from the recording."
CACHE_SETTINGS = (
    Private("torch._inductor.config", "fx_graph_cache", _CACHES),
    Private("torch._inductor.config", "fx_graph_remote_cache", _CACHES),
    Private("torch._functorch.config", "enable_autograd_cache", _CACHES),
    Private("torch._functorch.config", "enable_remote_autograd_cache", _CACHES),
)

CACHES_FORBIDDEN = Private(
    "torch._inductor.config",
    "force_disable_caches",
    "that a setting switches all compile caches off is not known.",
)

FROZEN = Private(
    "torch._inductor.config", "freezing", "models are quantized without weights that are packed."
)

PRE_GRAD_PASS = Private(
    "torch._inductor.config",
    "pre_grad_custom_pass",
    "torchao's pass for quantized attention stays in the settings of the process.",
)

SUPPRESSED = Private(
    "torch._dynamo.config",
    "suppress_errors",
    "the backend lab ends a program whose kernel is refused, though errors are suppressed.",
    otherwise=False,
)

_LIMITS = "a function is not compiled more often than Dynamo's limit, as a benchmark may need."
RECOMPILE_LIMITS = (
    Private("torch._dynamo.config", "recompile_limit", _LIMITS),
    Private("torch._dynamo.config", "accumulated_recompile_limit", _LIMITS),
)

COMPILE_CALLBACKS = Private(
    "torch._dynamo.callback",
    "callback_handler",
    "that a benchmark's calls are compiled anew is not known.",
)

RESET = Private(
    "torch._dynamo",
    "reset",
    "functions that were compiled before the recording are not traced again.",
    otherwise=nothing,
)
SET_EVAL_FRAME = Private(
    "torch._C._dynamo.eval_frame",
    "set_eval_frame",
    "functions of this package may appear among the frames of a backward.",
    otherwise=nothing,
)
_OURS = "functions of this package may appear among the frames."
SKIPPED_FOLDERS = Private("torch._dynamo.trace_rules", "SKIP_DIRS", _OURS)
SKIP_AGAIN = Private("torch._dynamo.trace_rules", "_recompile_re", _OURS)
LIST_MODES = Private(
    "torch._inductor", "list_mode_options", "the modes of `torch.compile` are not known by name."
)
_APART = "a program is not timed with and without a change in turns."
INDUCTOR_BACKEND = Private("torch", "_TorchCompileInductorWrapper", _APART)
LOOKUP_BACKEND = Private("torch._dynamo", "lookup_backend", _APART)
FRESH_CACHE = Private(
    "torch._inductor.utils", "fresh_cache", "a benchmark cannot compile with empty caches."
)

COMPILE_CONTEXT = Private(
    "torch._guards",
    "CompileContext.current_compile_id",
    "graphs, breaks and timings are not linked to the frame that they belong to.",
    otherwise=nothing,
)
COMPILE_CONTEXT_NOW = Private(
    "torch._guards",
    "CompileContext.try_get",
    "graphs of Inductor's patterns are recorded as if they were the program's.",
    otherwise=nothing,
)
TRACING_CONTEXT = Private(
    "torch._guards",
    "TracingContext.try_get",
    "the symbols of a compilation are not recorded, and graphs of Inductor's patterns are "
    "recorded as the program's.",
    otherwise=nothing,
)

PYTREE = Names(
    "torch.utils._pytree",
    "calls of operators with nested arguments are not decomposed.",
    "tree_flatten",
    "tree_leaves",
    "tree_map",
    "tree_map_only",
    "arg_tree_leaves",
)
OPERATORS = Names(
    "torch._ops",
    "operators are shown as plain functions, and not decomposed.",
    "OpOverload",
    "OpOverloadPacket",
    "HigherOrderOperator",
    otherwise=Nobody,
)

_TIMES = "the phases of compilation are not timed."
EVENT_START = Private("torch._dynamo.utils", "ChromiumEventLogger.log_event_start", _TIMES)
EVENT_END = Private("torch._dynamo.utils", "ChromiumEventLogger.log_event_end", _TIMES)

ORIGINAL_CODES = Private(
    "torch._dynamo.utils",
    "orig_code_map",
    "the line of an exception in a compiled function of one line is not recorded.",
    otherwise={},
)

REAL_STACK = Field(
    "torch._dynamo.exc",
    "Unsupported.real_stack",
    "an error that ends the program is not linked to a line of it.",
    otherwise=None,
)

DISPATCH_MODE = Private(
    "torch.utils._python_dispatch",
    "TorchDispatchMode",
    "the lines that hold eager's memory are not known.",
)
