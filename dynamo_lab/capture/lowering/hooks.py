"""Private names of PyTorch for lowering."""

from dynamo_lab.capture.core.private import Field, Names, Nobody, Private, nothing

_COMPILE = "torch._inductor.compile_fx"
_IR = "torch._inductor.ir"
_GRAPH = "torch._inductor.graph"
_SETTINGS = "torch._inductor.config"

COMPILE_FX = Private(
    _COMPILE, "", "the import of Inductor is not noticed before Dynamo has a graph."
)
COMPILE_INNER = Private(
    _COMPILE,
    "_compile_fx_inner",
    "what a compile cache has for a backward is hidden from the recording.",
)
PRE_GRAD = Private(
    _COMPILE, "_recursive_pre_grad_passes", "the graph after the pre-grad passes is not recorded."
)
POST_GRAD = Private(
    _COMPILE,
    "_recursive_post_grad_passes",
    "the graph that is lowered is not recorded, nor what ties kernels to its nodes.",
)
CODEGEN = Private(
    _COMPILE,
    "_InProcessFxCompile.codegen_and_compile",
    "kernels, buffers and schedules are not linked to a graph.",
)
VIRTUALIZED = Private(
    "torch._inductor.virtualized",
    "V",
    "buffers, fusions and lines of kernels are not linked to the graph that is lowered.",
)

RUN = Private(_GRAPH, "GraphLowering.run", "the lowering of graphs is not recorded.")
RUN_NODE = Private(_GRAPH, "GraphLowering.run_node", "what each node became is not recorded.")
REGISTER = Private(_GRAPH, "GraphLowering.register_buffer", "buffers are not recorded.")
SIMPLIFY = Private(
    _IR, "ComputedBuffer.simplify_and_reorder", "the loops of buffers are not recorded."
)
DROP = Private(
    "torch._inductor.scheduler",
    "Scheduler.dead_node_elimination",
    "that a buffer is dropped because nothing needs it is not recorded.",
)
LOWERINGS = Private(
    "torch._inductor.lowering",
    "lowerings",
    "the lowering rule of each node is not recorded.",
    otherwise={},
)
NEEDS_REALIZED = Private(
    "torch._inductor.lowering",
    "needs_realized_inputs",
    "the operator that needed a value stored is not named.",
    otherwise=(),
)
FALLBACK_BY_DEFAULT = Private(
    _SETTINGS,
    "fallback_by_default",
    "whether a fallback was requested by a setting is not known.",
    otherwise=False,
)

IR_MODULE = Private(_IR, "", "lines of kernels are not linked to nodes.")
LOOPS = Private(_IR, "Loops", "lines of kernels are not linked to nodes.", otherwise=Nobody)
LOOPS_MADE = Private(_IR, "Loops.__post_init__", "lines of kernels are not linked to nodes.")
OPERATION_TRACED = Private(
    "torch._inductor.loop_body",
    "LightTracer.create_node",
    "lines of kernels are not linked to nodes.",
)
IR = Names(
    _IR,
    "buffers of this class are shown as of another kind.",
    "IRNode",
    "Loops",
    "BaseView",
    "Buffer",
    "MutableBox",
    "ComputedBuffer",
    "Scatter",
    "Pointwise",
    "Reduction",
    "Scan",
    "Sort",
    "TemplateBuffer",
    "FallbackKernel",
    "MultiOutput",
    "ConcatKernel",
    "MutationOutput",
    "ExternKernel",
    "DeviceCopy",
    "Layout",
    "FlexibleLayout",
    "MutationLayoutSHOULDREMOVE",
    "NonOwningLayout",
    otherwise=Nobody,
)
CURRENT_NODE = Field(
    _GRAPH,
    "GraphLowering.current_node",
    "loops are not linked to the node that made them.",
    otherwise=None,
)
CURRENT_OPERATION = Field(
    "torch._inductor.loop_body",
    "InterpreterShim.current_node",
    "lines of kernels are not linked to nodes.",
    otherwise=None,
)
INNER_FUNCTIONS = Field(
    _IR, "Scan.inner_fns", "lines of scans and sorts are not linked to nodes.", otherwise=None
)
PARENT = Field(
    _GRAPH,
    "SubgraphLowering.parent",
    "the lowering of a body inside an operator is attributed to the graph.",
)
KERNEL_NAME = Field(
    _IR,
    "ExternKernel.python_kernel_name",
    "the kernel that an extern buffer calls is not named.",
    otherwise=None,
)
KERNEL_OPERATOR = Field(
    _IR,
    "ExternKernel.op_overload",
    "the operator that an extern buffer calls is not named.",
    otherwise=None,
)
OPERATION_NAME = Field(
    _IR,
    "Operation.operation_name",
    "buffers are not linked to the operations that the scheduler orders.",
    otherwise=None,
)
INPUTS = Field(
    _IR, "InputsKernel.inputs", "what an extern kernel reads is not recorded.", otherwise=()
)

REALIZE_READS = Private(_SETTINGS, "realize_reads_threshold", "why a value is stored is not known.")
_LIMIT = "the limit above which a value is stored is shown as 0."
REALIZE_OPERATIONS = (
    Private(_SETTINGS, "realize_opcount_threshold", _LIMIT, otherwise=None),
    Private(_SETTINGS, "realize_cpu_opcount_threshold", _LIMIT, since="2.13", otherwise=0),
    Private(_SETTINGS, "_realize_opcount_threshold_default", _LIMIT, since="2.13", otherwise=0),
)
"""The limit of operations: what is set, and what holds on a CPU and elsewhere where it is not."""
REALIZE_ACC_READS = (
    Private(_SETTINGS, "realize_acc_reads_threshold", _LIMIT, otherwise=None),
    Private(_SETTINGS, "realize_cpu_acc_reads_threshold", _LIMIT, since="2.13", otherwise=0),
    Private(_SETTINGS, "_realize_acc_reads_threshold_default", _LIMIT, since="2.13", otherwise=0),
)

_HEAVY = "that a value is stored because it is expensive to compute is not known."
STORED_ON_REUSE = Private(_IR, "StorageBox.should_realize_on_reuse", _HEAVY)
LOOP_OPERATORS = Private("torch._inductor.ops_handler", "OpsHandler", _HEAVY)

_CUDA = "whether CUDA graphs replay a graph is not recorded."
SCHEDULER_CODEGEN = Private("torch._inductor.scheduler", "Scheduler.codegen", _CUDA)
SHOULD_PARTITION = Private("torch._inductor.scheduler", "Scheduler.should_partition", _CUDA)
SETTINGS = Private(_SETTINGS, "", _CUDA)
CUDA_GRAPHS = Private(_SETTINGS, "triton.cudagraphs", _CUDA, otherwise=False)
PARTITIONED = Private(
    _SETTINGS, "graph_partition", "that a CUDA graph may be in parts is not known.", otherwise=False
)
DEVICES_REFUSED = Private(
    "torch._inductor.cudagraph_utils",
    "check_multiple_devices_or_any_cpu_nodes",
    "that several devices keep a graph from being recorded is not known.",
    otherwise=nothing,
)
REFUSED_NODE = Private(
    "torch._inductor.utils",
    "get_first_incompatible_cudagraph_node",
    "which operator keeps a graph from being recorded is not known.",
    otherwise=nothing,
)
_MOVED = "that an input gets other memory, which keeps a graph from being recorded, is not known."
MOVED_INPUTS = Private(
    "torch._inductor.cudagraph_utils",
    "get_input_storage_mutation_info",
    _MOVED,
    since="2.13",
    otherwise=nothing,
)
MOVED_REFUSED = Private(
    "torch._inductor.cudagraph_utils",
    "get_input_storage_mutation_reason",
    _MOVED,
    since="2.13",
    otherwise=nothing,
)
AWAITED = Private(
    "torch._inductor.dependencies",
    "WeakDep",
    "which part of a CUDA graph takes an input that is written to may be wrong.",
    otherwise=Nobody,
)
_AUTOTUNED = "the candidates that autotuning times are not recorded."
_CANDIDATES = "torch._inductor.select_algorithm"
SELECTED = Private(_CANDIDATES, "AlgorithmSelectorCache.__call__", _AUTOTUNED)
AUTOTUNED = Private(_CANDIDATES, "AlgorithmSelectorCache.do_autotuning", _AUTOTUNED)
TIMED = Private(
    _CANDIDATES,
    "AlgorithmSelectorCache.autotune",
    "whether times of candidates are from a cache is not known.",
)
LIBRARY = Private(
    _CANDIDATES,
    "ExternKernelCaller",
    "which candidates are kernels of a library is not known.",
    otherwise=Nobody,
)
_ORDER = "parts of a CUDA graph are shown in the order without one."
FEWER_PARTS = (
    Private(
        "torch._inductor.scheduler",
        "Scheduler.maybe_reorder_for_minimizing_partition",
        _ORDER,
    ),
    Private(
        "torch._inductor.scheduler",
        "Scheduler.reorder_for_partition_with_simple_dependency",
        _ORDER,
    ),
)
