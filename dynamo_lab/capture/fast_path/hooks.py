"""Private names of PyTorch for the fast path of transformer modules."""

from dynamo_lab.capture.core.private import Nobody, Private

_LOST = "whether modules took their fast path is not recorded."

ATTEMPT = Private("torch._dynamo.convert_frame", "trace_frame", _LOST)
RUN = Private("torch._dynamo.symbolic_convert", "InstructionTranslatorBase.run", _LOST)
UNSUPPORTED = Private(
    "torch._dynamo.exc",
    "Unsupported",
    "that a graph breaks inside of a module with a fast path is not recorded with the module.",
    otherwise=Nobody,
)
