"""Private names of PyTorch for fusion and memory."""

from dynamo_lab.capture.core.private import Nobody, Private

_SCHEDULER = "torch._inductor.scheduler"
_WRAPPER = "torch._inductor.codegen.wrapper"

INIT = Private(_SCHEDULER, "Scheduler._init", "schedules are not recorded.")
ROUND = Private(_SCHEDULER, "Scheduler.fuse_nodes_once", "no fusion is recorded.")
CAN_FUSE = Private(
    _SCHEDULER, "Scheduler.can_fuse", "the pairs that the scheduler considered are not recorded."
)
WHY_NOT = Private(
    _SCHEDULER, "WhyNoFuse.__call__", "why a pair was not fused is not recorded in full."
)
SHARED = Private(
    "torch._inductor.choices",
    "InductorChoices.can_fuse",
    "what a pair shares in memory is not recorded.",
)
SCORED = Private(_SCHEDULER, "Scheduler.score_fusion_key", "the score of a pair is not recorded.")
TIMED = Private(
    _SCHEDULER, "Scheduler.speedup_by_fusion", "that a fusion was timed is not recorded."
)
FUSED = Private(_SCHEDULER, "Scheduler.fuse_two_nodes", "which pairs were fused is not recorded.")
SUBGRAPH = Private(
    "torch._inductor.graph",
    "SubgraphLowering",
    "the schedule of a body inside an operator is attributed to the graph around it.",
    otherwise=Nobody,
)
REUSE_PLANNED = Private(
    _WRAPPER, "PythonWrapperCodegen.memory_plan_reuse", "the memory plan is not recorded."
)
POOLS_PLANNED = Private(
    _WRAPPER, "PythonWrapperCodegen.memory_plan", "a plan of memory pools is not recorded."
)
_SIZES = "the memory plan is not recorded."
DTYPE_SIZE = Private("torch._inductor.utils", "get_dtype_size", _SIZES)
UNBACKED = Private("torch.fx.experimental.symbolic_shapes", "free_unbacked_symbols", _SIZES)
