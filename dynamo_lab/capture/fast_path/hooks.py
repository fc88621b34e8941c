"""Private names of PyTorch for the fast path of transformer modules."""

from dynamo_lab.capture.core.private import Private

_LOST = "whether modules took their fast path is not recorded."

ATTEMPT = Private("torch._dynamo.convert_frame", "trace_frame", _LOST)
RUN = Private("torch._dynamo.symbolic_convert", "InstructionTranslatorBase.run", _LOST)
SUBGRAPH = Private("torch._dynamo.output_graph", "OutputGraph.compile_subgraph", _LOST)
