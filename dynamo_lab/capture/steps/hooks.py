"""Private names of PyTorch for Dynamo's steps."""

from dynamo_lab.capture.core.private import Nobody, Private

_CONVERT = "torch._dynamo.symbolic_convert"
_OUTPUT = "torch._dynamo.output_graph"

TAKE = Private("torch._dynamo.convert_frame", "trace_frame", "no steps are recorded.")
STEP = Private(_CONVERT, "InstructionTranslatorBase.step", "no steps are recorded.")
CHECKPOINT = Private(
    _CONVERT, "InstructionTranslatorBase.speculate", "steps do not show where Dynamo could go back."
)
_NODES = "steps do not show the nodes that they add or remove."
NODE_ADDED = Private(_OUTPUT, "SubgraphTracer.create_node", _NODES)
NODE_REMOVED = Private(_OUTPUT, "SubgraphTracer.remove_node", _NODES)
GUARD_ADDED = Private(
    "torch._guards", "GuardsSet.add", "steps do not show the guards that they add."
)
_EFFECTS = "steps do not show what they change outside of the frame."
MUTATED = Private("torch._dynamo.side_effects", "SideEffects.mutation", _EFFECTS)
ATTRIBUTE_STORED = Private("torch._dynamo.side_effects", "SideEffects.store_attr", _EFFECTS)
COMPILED = Private(
    _OUTPUT, "OutputGraph.compile_subgraph", "steps do not show where the frame breaks."
)
RESTART = Private(
    "torch._dynamo.exc",
    "RestartAnalysis",
    "a step after which the analysis restarts is shown as one that raised.",
    otherwise=Nobody,
)
