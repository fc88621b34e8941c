"""Who asked for a collective, and what for, from the functions of PyTorch on the way to it."""

from dynamo_lab.model.ranks.names import COMPILERS, kind_of
from dynamo_lab.model.ranks.ranks import Call, Rank

_SHARDS = "FSDP reduces gradients, each rank its shard"
_REPLICAS = "FSDP adds up the gradients of a shard over its replicas"
_WORDS = (
    ("_inductor.fx_passes.node_runtime_estimation", "Inductor, compiling, measures a collective"),
    ("_inductor.", "Inductor, compiling, lets the ranks agree on its estimates"),
    ("_functorch.", "the compiler lets the ranks agree on what a forward saves"),
    ("_dynamo.", "the compiler lets the ranks agree on what is dynamic"),
    ("_fsdp_param_group._prefetch_unshard", "FSDP gathers parameters ahead of the backward"),
    ("_fsdp_param_group.pre_forward", "FSDP gathers parameters before a forward"),
    ("_fsdp_param_group.pre_backward", "FSDP gathers parameters before a backward"),
    ("_fsdp_collectives.foreach_all_gather", "FSDP gathers parameters"),
    ("_fsdp_collectives.foreach_reduce", _SHARDS),
    ("ddp_comm_hooks", "a communication hook of DDP reduces a bucket"),
    ("_verify_param_shape_across_processes", "DDP compares the parameters' shapes"),
    ("_sync_params_and_buffers", "DDP sends the parameters and buffers of one rank to all"),
    ("_sync_module_states", "DDP sends the parameters and buffers of one rank to all"),
    ("_sync_buffers", "DDP sends the buffers of one rank to all"),
    ("nn.parallel.distributed._pre_forward", "DDP prepares a step"),
    ("style._prepare_input_fn", "tensor parallelism prepares the input of a module"),
    ("style._prepare_output_fn", "tensor parallelism prepares the output of a module"),
    ("_api.distribute_tensor", "`distribute_tensor` gives each rank its shard"),
    ("_redistribute.", "a DTensor changes its placement"),
    ("_dispatch.", "an operator on DTensors"),
    ("distributed_c10d.broadcast_object_list", "objects are sent"),
    ("distributed_c10d.all_gather_object", "objects are sent"),
)
"""What a function on the way tells, the most telling first."""
_C10D = "distributed_c10d."
_WRAPPED = {
    "all_gather_single": "all_gather_into_tensor",
    "reduce_scatter_single": "reduce_scatter_tensor",
}
"""The names that PyTorch 2.13 has inside for functions that everybody knows under another name."""

_IN_CPP = {"allreduce": "all_reduce", "allgather": "all_gather"}
"""Those of C++, which DDP's reducer calls."""


def operator_of(call: Call) -> str:
    """What the program, or PyTorch for it, called: `reduce_scatter_tensor`, where gloo reduces."""
    asked = next((one for one in call.through if one.startswith(_C10D)), "")
    name = asked.removeprefix(_C10D)
    return _WRAPPED.get(name, name) or _IN_CPP.get(call.name, call.name)


def why(call: Call, has_ddp: bool) -> str:
    """Who asked for it, and what for; empty for what the user's own line calls."""
    for part, words in _WORDS:
        if any(part in one for one in call.through):
            is_of_replicas = words == _SHARDS and operator_of(call) == "all_reduce"
            return _REPLICAS if is_of_replicas else words
    if is_reducers(call):
        if not has_ddp:
            return "called in C++ by the backward"
        if call.dtypes and set(call.dtypes) == {"Int"}:
            return "DDP tells which parameters a rank used"
        return "DDP reduces a bucket of gradients"
    return ""


def is_compilers(call: Call) -> bool:
    """Whether the compiler called it itself, as it compiled: it is none of the program's."""
    return any(one.startswith(COMPILERS) for one in call.through)


def is_reducers(call: Call) -> bool:
    """Whether C++ reduced in a backward, as DDP's reducer does: no Python function led to it."""
    from_cpp = call.is_backward and not call.is_compiled and not call.through
    return from_cpp and kind_of(call.name) == "allreduce"


def has_ddp(rank: Rank) -> bool:
    """Whether a module was wrapped in DDP on this rank, which asks all ranks when it is made."""
    sign = "_verify_param_shape_across_processes"
    return any(one.endswith(sign) for call in rank.calls or () for one in call.through)
