"""Private names of PyTorch for graphs and the operators in them."""

from dynamo_lab.capture.core.private import Private

USER_COMPILER = Private(
    "torch._dynamo.output_graph",
    "OutputGraph.call_user_compiler",
    "the graphs that Dynamo captures are not recorded.",
)
SPLIT = Private(
    "torch._dynamo.backends.distributed",
    "SubmodCompiler.compile_submod",
    "the parts into which DDP splits a graph are not numbered.",
)
RESOLVE_PACKET = Private(
    "torch._C",
    "_jit_resolve_packet",
    "an operator without its overload cannot be decomposed: name the overload.",
)
