"""Private names of PyTorch's logs in words."""

from dynamo_lab.capture.core.private import Names, Private

LOGGING = Names(
    "torch._logging._internal",
    "the logs that `logs=` asks for are not recorded.",
    "_parse_log_settings",
    "configure_artifact_log",
    "log_registry",
    "log_state",
)
TRACE_ID = Private(
    "torch._guards",
    "CompileContext.current_trace_id",
    "messages of a log are not tied to the compilation that they are of.",
    otherwise=lambda: None,
)
