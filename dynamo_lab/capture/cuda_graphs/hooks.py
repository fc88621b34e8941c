"""Private names of PyTorch for the trees and pools of CUDA graphs."""

from dynamo_lab.capture.core.private import Field, Nobody, Private

_TREES = "torch._inductor.cudagraph_trees"
_MANAGER = "CUDAGraphTreeManager"
_NODE = "CUDAGraphNode"

_NONE = "the trees of CUDA graphs, and their memory, are not recorded."
WRAPPED = Private("torch._inductor.compile_fx", "cudagraphify", _NONE)
TREES = Private(_TREES, "", _NONE)
RECORD = Private(_TREES, f"{_MANAGER}.record_function", _NONE)
REPLAY = Private(_TREES, f"{_MANAGER}.execute_node", "how often CUDA graphs ran is not known.")
WARM_UP = Private(_TREES, f"{_MANAGER}.run_eager", "warm-ups of CUDA graphs are not recorded.")
CALL = Private(_TREES, f"{_MANAGER}._run", "which calls run without a CUDA graph is not known.")
OVERWRITE = Private(
    _TREES,
    f"{_MANAGER}.dealloc_current_path_weakrefs",
    "which outputs of CUDA graphs were overwritten while they were held is not known.",
)
CHECK = Private(
    _TREES, f"{_NODE}.check_invariants", "why a CUDA graph is recorded anew is not known."
)

CURRENT = Field(_TREES, f"{_MANAGER}.current_node", _NONE, otherwise=None)
POOL = Field(_TREES, f"{_MANAGER}.cuda_graphs_thread_pool", _NONE, otherwise=None)
DEVICE = Field(_TREES, f"{_MANAGER}.device_index", _NONE, otherwise=0)
GENERATION = Field(
    _TREES, f"{_MANAGER}.current_gen", "the steps of CUDA graphs are not counted.", otherwise=0
)
_UNTIED = "which graph a CUDA graph replays is not known."
FUNCTIONS = Field(_TREES, f"{_MANAGER}.ids_to_funcs", _UNTIED, otherwise={})
MODES = Field(_TREES, f"{_MANAGER}.id_to_mode", _UNTIED, otherwise={})
COMPILE_IDS = Field(_TREES, f"{_MANAGER}.id_to_compile_id", _UNTIED, otherwise={})
WRITTEN = Field(
    "torch._inductor.cudagraph_utils",
    "WrappedFunction.mutated_input_idxs",
    "why a call runs without its CUDA graph may be wrong.",
    otherwise=(),
)
PLACEHOLDERS = Field(
    "torch._inductor.cudagraph_utils",
    "WrappedFunction.placeholders",
    "inputs that moved are not named.",
    otherwise=(),
)
RECORDED_ANEW = Field(
    _TREES,
    f"{_MANAGER}.num_rerecord",
    "why a call runs without its CUDA graph may be wrong.",
    otherwise={},
)
LIMIT = Private(
    "torch._inductor.config",
    "triton.cudagraph_unexpected_rerecord_limit",
    "why a call runs without its CUDA graph may be wrong.",
    otherwise=128,
)

PARENT = Field(
    _TREES,
    f"{_NODE}.parent",
    "the trees of CUDA graphs are shown as if each were alone.",
    otherwise=None,
)
PATH = Field(
    _TREES, f"{_NODE}._path_from_root", "what earlier CUDA graphs made is not told.", otherwise=()
)
_INPUTS = "the inputs of a recorded CUDA graph are not counted."
STATIC = Field(_TREES, f"{_NODE}.static_input_idxs", _INPUTS, otherwise=())
MANAGED = Field(_TREES, f"{_NODE}.cudagraph_managed_idxs", _INPUTS, otherwise=())
NOT_STATIC = Field(_TREES, f"{_NODE}.non_static_input_idx", _INPUTS, otherwise=())
COPIED = Field(_TREES, f"{_NODE}.input_copy_idxs", _INPUTS, since="2.15", otherwise=None)
COPIES = Field(
    _TREES,
    f"{_NODE}.reconstructed_inputs",
    "where copies of inputs lie in a pool is not known.",
    otherwise=(),
)
ADDRESSES = Field(
    _TREES, f"{_NODE}.static_input_data_ptrs", "inputs that moved are not named.", otherwise=()
)
EXPECTED_DEAD = Field(
    _TREES,
    f"{_NODE}.expected_dead_indices_before_graph",
    "which held output has a CUDA graph recorded anew is not known.",
    otherwise=(),
)
_OUTPUTS = "the outputs of a recorded CUDA graph are not recorded."
OUTPUTS = Field(_TREES, f"{_NODE}.outputs_metadata", _OUTPUTS, otherwise=())
ALIASES = Field(_TREES, f"{_NODE}.output_storage_alias", _OUTPUTS, otherwise=())
STACKS = Field(
    _TREES, f"{_NODE}.stack_traces", "outputs of CUDA graphs have no line.", otherwise=None
)
ALIVE = Field(
    _TREES,
    f"{_NODE}.tensor_weakrefs",
    "which outputs of CUDA graphs were overwritten while they were held is not known.",
    otherwise=(),
)
EARLIER_OUTPUT = Private(_TREES, "AliasesPriorGraphOutput", _OUTPUTS, otherwise=Nobody)
SAME_OUTPUT = Private(_TREES, "AliasesNewOutput", _OUTPUTS, otherwise=Nobody)
