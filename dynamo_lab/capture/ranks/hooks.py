"""Private names of PyTorch for ranks."""

from dynamo_lab.capture.core.private import Private

_CALLS = "the collectives that a rank called, and those that it waits in, are not recorded."
DUMP = Private("torch._C._distributed_c10d", "_dump_fr_trace", _CALLS)
SPLITTER = Private(
    "torch._dynamo.backends.distributed",
    "DDPOptimizer.compile_fn",
    "the buckets for which DDP splits a graph are not recorded.",
)
C10D = Private("torch._C._distributed_c10d", "", _CALLS)
WORLD = Private(
    "torch.distributed.distributed_c10d",
    "_world",
    "which ranks are in which process group is not recorded.",
)
