"""Private names of PyTorch for passes."""

from dynamo_lab.capture.core.private import Field, Private, nothing

_COMPILE = "torch._inductor.compile_fx"
_FREEZING = "torch._inductor.freezing"
_OBSERVER = "torch.fx.passes.graph_transform_observer"
_MATCHER = "torch._inductor.pattern_matcher"
PASSES = "torch._inductor.fx_passes"
"""Where Inductor keeps its passes."""
_GROUPS = f"{PASSES}.group_batch_fusion"

PRE_GRAD = Private(
    _COMPILE, "_recursive_pre_grad_passes", "the passes over Dynamo's graph are not recorded."
)
JOINT = Private(
    _COMPILE, "_recursive_joint_graph_passes", "the passes over joint graphs are not recorded."
)
POST_GRAD = Private(
    _COMPILE, "_recursive_post_grad_passes", "the passes before lowering are not recorded."
)
CONV_LAYOUT = Private(
    _FREEZING,
    "convert_conv_weights_to_channels_last",
    "that the weights of convolutions get another layout is not recorded.",
)
FREEZE = Private(_FREEZING, "freeze", "what freezing does is not recorded as a phase.")

_APPLIED = "passes that PyTorch observes are not recorded one by one."
APPLY_MODULE = Private(_OBSERVER, "GraphTransformObserver.apply_gm_pass", _APPLIED)
APPLY_GRAPH = Private(_OBSERVER, "GraphTransformObserver.apply_graph_pass", _APPLIED)
DISABLED = Private(
    _OBSERVER,
    "GraphTransformObserver._check_disable_pass",
    "that a pass is turned off is not recorded.",
)
ENTERED = Private(_OBSERVER, "GraphTransformObserver.__enter__", _APPLIED)
EXITED = Private(_OBSERVER, "GraphTransformObserver.__exit__", _APPLIED)
MATCHER = Private(
    _MATCHER, "PatternMatcherPass.apply", "sets of patterns are not separated within a pass."
)

_MATCHES = "the patterns that matched are not recorded."
REPLACEMENT = Private(_MATCHER, "ReplacementPatternEntry.apply", _MATCHES)
GRAPH_ENTRY = Private(_MATCHER, "GraphPatternEntry.apply", _MATCHES)
LOWERING_ENTRY = Private(_MATCHER, "LoweringPatternEntry.apply", _MATCHES)
_FUSED = "groups of similar nodes that were fused are not recorded."
PRE_GRAD_FUSIONS = Private(_GROUPS, "PRE_GRAD_FUSIONS", _FUSED, otherwise={})
POST_GRAD_FUSIONS = Private(_GROUPS, "POST_GRAD_FUSIONS", _FUSED, otherwise={})

_STEP = "what this code rewrites is attributed to the next pass."
STEPS = (
    Private("torch.fx", "Graph.eliminate_dead_code", _STEP),
    Private(f"{PASSES}.quantization", "quant_lift_up", _STEP),
    Private(f"{PASSES}.pre_grad", "numpy_compat_normalization", _STEP),
    Private(f"{PASSES}.pre_grad", "sink_cat_after_pointwise", _STEP),
    Private(f"{PASSES}.pre_grad", "stable_topological_sort", _STEP),
    Private(f"{PASSES}.joint_graph", "canonicalize_aten_ir_passes", _STEP),
    Private(f"{PASSES}.joint_graph", "stable_topological_sort", _STEP),
    Private(f"{PASSES}.post_grad", "micro_pipeline_tp_pass", _STEP),
    Private(f"{PASSES}.freezing_patterns", "fake_tensor_prop", _STEP),
    Private(f"{PASSES}.freezing_patterns", "stable_topological_sort", _STEP),
    Private(_FREEZING, "view_to_reshape", _STEP),
    Private(_FREEZING, "replace_params_with_constants", _STEP),
    Private(_FREEZING, "fx_graph_cse", _STEP),
    Private(_FREEZING, "constant_fold", _STEP),
)
"""Code of the phases that rewrites a graph and that no observer of passes watches."""

_CUSTOM = "a user's pass cannot be added to Inductor."
SETTINGS = Private("torch._inductor.config", "", _CUSTOM)
CUSTOM_PASS = Private(
    "torch._inductor.custom_graph_pass", "CustomGraphPass", _CUSTOM, otherwise=object
)
SEVERAL_PASSES = Private(
    "torch._inductor.custom_graph_pass",
    "get_custom_graph_passes",
    "Inductor runs one pass of the user's per phase.",
    since="2.13",
)
SORT = Private(
    _MATCHER,
    "stable_topological_sort",
    "a pass that leaves a graph out of order is reported as broken.",
    otherwise=nothing,
)
SUBSYSTEM = Field(
    _MATCHER,
    "PatternMatcherPass.subsystem",
    "which part of Inductor a set of patterns belongs to is not recorded.",
    otherwise=None,
)
