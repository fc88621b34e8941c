"""Private names of PyTorch for graphs and the operators in them."""

from dynamo_lab.capture.core.private import Private, nothing

USER_COMPILER = Private(
    "torch._dynamo.output_graph",
    "OutputGraph.call_user_compiler",
    "the graphs that Dynamo captures are not recorded.",
)
TRACING_STARTED = Private(
    "torch._dynamo.output_graph",
    "OutputGraph.__init__",
    "the time of tracing is not told by line.",
)
NODE_ADDED = Private(
    "torch._dynamo.output_graph",
    "SubgraphTracer.create_node",
    "the time of tracing is not told by line, and captured nodes are of lines, not of expressions.",
)
TRANSLATOR = Private(
    "torch._dynamo.symbolic_convert",
    "InstructionTranslatorBase",
    "how often Dynamo went through a Python loop is not recorded.",
)
_CACHE = "what the compile caches would keep, and why not, is not recorded."
COMPILE_FX = Private("torch._inductor.compile_fx", "compile_fx", _CACHE)
FREEZING = Private("torch._inductor.config", "freezing", _CACHE)
FX_CHECK = Private("torch._inductor.codecache", "FxGraphCache._check_can_cache", _CACHE)
FX_KEY = Private("torch._inductor.codecache", "compiled_fx_graph_hash", _CACHE)
TORCH_KEY = Private("torch._inductor.codecache", "torch_key", _CACHE)
FX_BYPASS = Private("torch._inductor.codecache", "BypassFxGraphCache", _CACHE)
AOT_CHECK_NODE = Private("torch._functorch._aot_autograd.autograd_cache", "check_node_safe", _CACHE)
AOT_BYPASS = Private(
    "torch._functorch._aot_autograd.autograd_cache",
    "BypassAOTAutogradCache",
    _CACHE,
)
_WARM = "how long a warm start takes is not measured."
ARTIFACTS = Private("torch.compiler._cache", "CacheArtifactManager", _WARM)
CLEAR_CACHES = Private("torch._inductor.utils", "clear_caches", _WARM)
COUNTERS = Private("torch._dynamo.utils", "counters", _WARM)
AOT_KEY = Private(
    "torch._functorch._aot_autograd.autograd_cache",
    "autograd_cache_key",
    "the part of AOTAutograd's key that differs is not known.",
)
AOT_KEY_LINES = Private(
    "torch._functorch._aot_autograd.autograd_cache",
    "_get_debug_lines_for_cache_key",
    "the part of AOTAutograd's key that differs is not known.",
    since="2.13",
    otherwise=nothing,
)
_PROFILE = "what profiles of dynamic sizes gave to a warm start is not known."
PGO_STATE = Private("torch._dynamo.pgo", "_CODE_STATE", _PROFILE)
PGO_LOOKUP = Private("torch._dynamo.pgo", "get_code_state", _PROFILE)
PGO_KEY = Private("torch._dynamo.pgo", "get_cache_key", _PROFILE)
PGO_PATH = Private("torch._dynamo.pgo", "code_state_path", _PROFILE)
PGO_REMOTE = Private("torch._dynamo.pgo", "should_use_remote_dynamo_pgo_cache", _PROFILE)
TENSORIFY = Private(
    "torch._functorch._aot_autograd.graph_compile",
    "tensorify_python_scalars",
    "what is computed with a number that may change is tied to no line.",
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
