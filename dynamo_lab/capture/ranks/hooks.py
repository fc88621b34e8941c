"""Private names of PyTorch for ranks."""

from dynamo_lab.capture.core.hooks import TRACING_CONTEXT
from dynamo_lab.capture.core.private import Field, Private, nothing

_CALLS = "the collectives that a rank called, and those that it waits in, are not recorded."
DUMP = Private("torch._C._distributed_c10d", "_dump_fr_trace", _CALLS)
SPLITTER = Private(
    "torch._dynamo.backends.distributed",
    "DDPOptimizer.compile_fn",
    "the buckets for which DDP splits a graph are not recorded.",
)
_BUCKETS = "which parameters DDP reduces together is not recorded."
DDP_MADE = Private("torch.nn.parallel.distributed", "DistributedDataParallel.__init__", _BUCKETS)
IN_PYTHON = Field(
    "torch.nn.parallel.distributed",
    "DistributedDataParallel._use_python_reducer",
    "whether DDP's reducer in C++ reduces is not known, and is assumed.",
    otherwise=False,
)
DDP_LOG = Private(
    "torch.nn.parallel.distributed",
    "DistributedDataParallel._get_ddp_logging_data",
    _BUCKETS,
    otherwise=lambda module: {},
)
_PLACEMENTS = "which operator wanted which placement of a DTensor is not recorded."
REDISTRIBUTES = tuple(
    Private(f"torch.distributed.tensor.{module}", "redistribute_local_tensor", _PLACEMENTS)
    for module in ("_dispatch", "_redistribute", "_api")
)
"""The function under each name by which it is called."""
REDISTRIBUTE_ARGUMENTS = Private(
    "torch.distributed.tensor._dispatch",
    "OpDispatcher.redistribute_local_args",
    _PLACEMENTS,
)
PROXY_MODE = Private(
    "torch.fx.experimental.proxy_tensor", "get_proxy_mode", _PLACEMENTS, otherwise=nothing
)
C10D = Private("torch._C._distributed_c10d", "", _CALLS)
WORLD = Private(
    "torch.distributed.distributed_c10d",
    "_world",
    "which ranks are in which process group is not recorded.",
)
NOT_IN_GROUP = Private(
    "torch.distributed.distributed_c10d",
    "_warn_not_in_group",
    "collectives on groups that a rank is not in are not recorded.",
)
ENDS_GROUPS = Private(
    "torch.distributed",
    "destroy_process_group",
    "which ranks were in process groups that the program has ended is not recorded.",
)
_MESHES = "the meshes of ranks that the program makes are not recorded."
MESH = Private("torch.distributed.device_mesh", "DeviceMesh.__init__", _MESHES)
_MEMORY = "what a rank keeps in memory for its parameters is not recorded."
BACKWARD = Private("torch.autograd", "_engine_run_backward", _MEMORY)


def is_traced() -> bool:
    """Whether the compiler traces: AOTAutograd calls a backward of its own then, of no step."""
    return TRACING_CONTEXT.exists and TRACING_CONTEXT.get()() is not None


LOCAL = Field("torch.distributed.tensor", "DTensor._local_tensor", _MEMORY)
_PLAN = "jobs are not planned without running them."
FAKE_MODE = Private("torch._subclasses.fake_tensor", "FakeTensorMode", _PLAN)
FAKE_TENSOR = Private("torch._subclasses.fake_tensor", "FakeTensor", _PLAN)
WITHOUT_FAKES = Private("torch._subclasses.fake_tensor", "unset_fake_temporarily", _PLAN)
FAKE_STORE = Private("torch.testing._internal.distributed.fake_pg", "FakeStore", _PLAN)
NEW_GROUP = Private(
    "torch.distributed.distributed_c10d",
    "_new_group_with_tag",
    "groups of another backend, and who is in which group, are not planned.",
)
_PLANNED_DDP = "modules under DDP are not planned."
COMM_HOOK = Private("torch.distributed", "_register_comm_hook", _PLANNED_DDP)
WORK_OF = Private("torch._C._distributed_c10d", "_create_work_from_future", _PLANNED_DDP)
WITHOUT_MODES = Private("torch.utils._python_dispatch", "_disable_current_modes", _MESHES)
INDUCTOR = Private("torch._inductor.compile_fx", "compile_fx", _PLAN)
FORGET_MESHES = (
    Private("torch.distributed.tensor.debug", "_clear_sharding_prop_cache", _PLAN),
    Private(
        "torch.distributed.tensor._redistribute",
        "clear_redistribute_planner_cache",
        _PLAN,
        since="2.12",
        otherwise=nothing,
    ),
)
_MOVED = "that FSDP moves parameters to its device is not known to a plan, which fails there."
MOVES = (
    Private("torch.distributed.fsdp._fully_shard._fsdp_init", "_move_states_to_device", _MOVED),
    Private(
        "torch.distributed.fsdp._fully_shard._fully_shard",
        "_move_states_to_device",
        _MOVED,
        until="2.11",
    ),
)
"""The function under each name by which it is called."""
