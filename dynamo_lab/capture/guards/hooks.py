"""Private names of PyTorch for guards and symbols."""

from dynamo_lab.capture.core.private import Field, Nobody, Private, nothing

BUILT = Private("torch._dynamo.guards", "CheckFunctionManager.__init__", "guards are not recorded.")
BUILDING = Private(
    "torch._dynamo.guards",
    "CheckFunctionManager.build_guards",
    "guards that a `guard_filter_fn` drops are recorded as if they were checked.",
)
CODE_PARTS = Field(
    "torch._dynamo.guards",
    "GuardManagerWrapper.code_parts",
    "what is checked of tensors and of the global state is not recorded.",
    otherwise=(),
)
USER_STACK = Field(
    "torch._C._dynamo.guards",
    "GuardDebugInfo.user_stack",
    "the line that caused a failing guard is found by its source.",
    since="2.12",
    otherwise=None,
)

_SHAPES = "torch.fx.experimental.symbolic_shapes"
_UNBACKED = "sizes that are known only at run time are not recorded as symbols."
UNBACKED_INT = Private(_SHAPES, "ShapeEnv.create_unbacked_symint", _UNBACKED)
UNBACKED_FLOAT = Private(_SHAPES, "ShapeEnv.create_unbacked_symfloat", _UNBACKED)
BACKED = Private(_SHAPES, "ShapeEnv.create_symbol", "the symbols of inputs are not recorded.")
REPLACED = Private(
    _SHAPES, "ShapeEnv._set_replacement", "that a symbol turned out to be constant is not recorded."
)
GUARDED = Private(
    _SHAPES, "ShapeEnv._log_guard", "what is assumed of sizes is not recorded as it is assumed."
)
COMPILE = Private(
    "torch._dynamo.convert_frame", "_compile", "symbols and what is known of them are not recorded."
)
STACK = Private(
    "torch._guards",
    "TracingContext.extract_stack",
    "symbols are not linked to lines of the program.",
    otherwise=nothing,
)

_REFUSED = "which calls a stance or a setting kept from being compiled is not recorded."
STANCE_OF_CALL = Private("torch._dynamo.eval_frame", "_callback_from_stance", _REFUSED)
TENSORS_SOUGHT = Private("torch._dynamo.convert_frame", "has_tensor_in_frame", _REFUSED)
RECOMPILATION = Private(
    "torch._dynamo.convert_frame", "get_and_maybe_log_recompilation_reasons", _REFUSED
)
RECOMPILE_ERROR = Private("torch._dynamo.exc", "RecompileError", _REFUSED, otherwise=Nobody)
ENTRIES = Private(
    "torch._C._dynamo.eval_frame",
    "_debug_get_cache_entry_list",
    "which guards failed where a stance lets nothing be compiled is not recorded.",
    otherwise=lambda code: (),
)
DIFF_GUARDS = Field(
    "torch._dynamo.guards",
    "GuardManagerWrapper.diff_guard_root",
    "that code ran whose guards do not hold, by `skip_guard_eval_unsafe`, is not recorded.",
)
