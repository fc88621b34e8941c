"""Private names of PyTorch for frames."""

from dynamo_lab.capture.core.private import Field, Nobody, Private, nothing

_MODULE = "torch._dynamo.convert_frame"

COMPILE = Private(_MODULE, "_compile", "whether and how each frame was compiled is not recorded.")
TRACE_FRAME = Private(_MODULE, "trace_frame", "the attempts on each frame are not recorded.")
RECOMPILATION = Private(
    _MODULE,
    "get_and_maybe_log_recompilation_reasons",
    "why a frame was recompiled is not recorded.",
)
HANDLE_SKIP = Private(
    _MODULE,
    "CatchErrorsWrapper._handle_skip",
    "why a frame was skipped is derived as for the releases before 2.13.",
    since="2.13",
)
CALL = Private(_MODULE, "CatchErrorsWrapper.__call__", "skipped frames are not recorded.")
CONVERT = Private(
    _MODULE,
    "ConvertFrameAssert.__call__",
    "a program cannot be lowered without a run of it, as the playground does.",
)
BYTECODE_HOOK = Private(
    _MODULE,
    "register_bytecode_hook",
    "the bytecode that Dynamo writes is not recorded, nor which frame called which through it.",
    otherwise=nothing,
)
BYTECODE_HOOKS = Private(
    _MODULE,
    "_bytecode_hooks",
    "an interrupt at the start of a recording may leave its hook for bytecode registered.",
    otherwise={},
)
RESUME = Private(
    "torch._dynamo.resume_execution",
    "ContinueExecutionCache.lookup",
    "the functions that resume after a break are not linked to the frame that broke.",
)
SKIP_REASON = Field(
    "torch._dynamo.types",
    "ConvertFrameReturn.skip_reason",
    "why a frame was skipped is not recorded.",
    since="2.13",
    otherwise="",
)

_STANCE = "which stance compiled functions had is not recorded."
STANCE = Private("torch._dynamo.eval_frame", "_stance", _STANCE)
SET_STANCE = Private("torch._dynamo.decorators", "_set_stance", _STANCE)
TAKEN_AS_CONSTANT = Private(
    "torch._dynamo.variables.functions",
    "invoke_and_store_as_constant",
    "that the result of a function is taken as a constant is not recorded.",
)
MESSAGE = Private(
    "torch._dynamo.variables.misc",
    "DebuggingVariable.call_function",
    "that a message is printed later than its line says is not recorded.",
)

_BEFORE_2_13 = "why a frame was skipped is not recorded."
IS_SKIPPED = Private("torch._dynamo.trace_rules", "check", _BEFORE_2_13, until="2.12")
IS_DISABLED = Private(
    "torch._dynamo.config", "disable", _BEFORE_2_13, until="2.12", otherwise=False
)
HAS_TENSOR = Private(_MODULE, "has_tensor_in_frame", _BEFORE_2_13, until="2.12")

_ENDING = "whether a frame was skipped, failed or is analysed again is not known."
UNSUPPORTED = Private("torch._dynamo.exc", "Unsupported", _ENDING, otherwise=Nobody)
USER_ERROR = Private("torch._dynamo.exc", "UserError", _ENDING, otherwise=Nobody)
RESTART = Private("torch._dynamo.exc", "RestartAnalysis", _ENDING, otherwise=Nobody)
SKIP_FRAME = Private("torch._dynamo.exc", "SkipFrame", _ENDING, otherwise=Nobody)
LIMIT_HIT = Private(
    "torch._dynamo.exc",
    "FailOnRecompileLimitHit",
    "that a frame reached the recompile limit is read from the error's text.",
    otherwise=Nobody,
)
