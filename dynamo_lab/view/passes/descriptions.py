"""What the well-known passes and patterns do, each in one sentence, checked against its source."""

from dynamo_lab.model.passes import HOOKS, Pass, Pattern, Phase

PHASES: dict[Phase, tuple[str, str]] = {
    "pre_grad": (
        "pre-grad",
        "On the graph that Dynamo captured, before AOTAutograd traces it: still `torch` functions, "
        "with views and mutation.",
    ),
    "joint": (
        "joint",
        "On the graph of ATen operators, without mutation. In training, forward and backward are "
        "still one graph.",
    ),
    "layout": (
        "layout",
        "Before freezing, if the graph has convolutions that benefit from it.",
    ),
    "freezing": (
        "freezing",
        "Parameters become constants, and whatever depends only on constants is computed now.",
    ),
    "post_grad": (
        "post-grad",
        "On the graph that is about to be lowered, forward and backward each on its own.",
    ),
    "training": (
        "training step",
        "What `lab.tiny` does ahead of time, on one graph of forward, loss and backward.",
    ),
}
"""The title of each phase, and what it works on."""

_STABLE_SORT = "Puts each node after everything it reads, and otherwise keeps the order."

_PASSES: dict[tuple[str, str], str] = {
    ("", "group_batch_fusion_passes"): (
        "Combines several like operators into a large one, such as parallel linear layers. It does "
        "only what `pre_grad_fusion_options` and `post_grad_fusion_options` enable."
    ),
    ("", "efficient_conv_bn_eval_pass"): (
        "Folds a batch normalization in eval mode into the convolution before it, if "
        "`efficient_conv_bn_eval_fx_passes` enables it."
    ),
    ("", "apply_gumbel_max_trick_pass"): (
        "Samples from logits with Gumbel noise instead of dividing a softmax by exponential noise: "
        "`argmax` gives the same distribution without the softmax."
    ),
    ("", "sink_cat_after_pointwise"): (
        "Moves a `relu` or `tanh` that follows a `cat` in front of it, onto each part."
    ),
    ("", "remove_noop_ops"): "Removes operators that only copy or alias what they read.",
    ("", "constant_fold_uniform_value"): (
        "Replaces tensors of a single value by a `full` of it, then removes `+ 0`, `- 0`, `* 1` "
        "and `/ 1`, and views that already exist."
    ),
    ("", "fuse_seed_creation_pass"): (
        "Draws all random seeds of a device at once, and looks each one up where it was drawn."
    ),
    ("", "replace_random.patterns"): (
        "Replaces `rand` and `randn` by Inductor's own random numbers, which can be fused."
    ),
    ("", "joint_graph.early_patterns"): (
        "Removes views and permutations that change nothing, before the other patterns run."
    ),
    ("joint", "pass_pattern_0"): (
        "The main patterns of this phase: hand-written attention, matrix products that are "
        "faster padded, conversions without effect."
    ),
    ("joint", "pass_pattern_1"): (
        "Patterns that must come after attention: softmax of a scaled input, made more stable."
    ),
    ("post_grad", "pass_pattern_0"): "The first of three rounds of patterns.",
    ("post_grad", "pass_pattern_1"): (
        "The second round of patterns: mostly ones that are lowered by their own handlers, "
        "such as fused operators of oneDNN."
    ),
    ("post_grad", "pass_pattern_2"): (
        "The last round of patterns, among them `addmm` from a product and a sum."
    ),
    ("", "remove_assert_ops"): (
        "Removes checks of a tensor's metadata: they compute nothing and would prevent fusions."
    ),
    ("", "remove_profiler_ops"): (
        "Removes `record_function` markers, which would prevent fusions."
    ),
    ("", "reorder_for_locality"): (
        "Moves each operator directly before its reader, so that values are used while they are "
        "still in the cache. Only for inference."
    ),
    ("", "stable_sort"): _STABLE_SORT,
    ("", "stable_topological_sort"): _STABLE_SORT,
    ("", "move_constructors_to_cuda"): (
        "Creates tensors on the GPU right away where they were created on the CPU and moved."
    ),
    ("", "reinplace_inplaceable_ops"): (
        "Lets an operator write into its input if nothing reads that afterwards, which saves the "
        "copy that functionalization had added."
    ),
    ("", "fix_auto_functionalized_dtype_views"): (
        "Determines which copies custom operators that mutate a view of an input can omit."
    ),
    ("", "decompose_triton_kernel_wrapper_functional"): (
        "Turns your own Triton kernels back into calls that mutate, with a copy where one is "
        "needed."
    ),
    ("", "decompose_auto_functionalized"): (
        "Turns custom operators that mutate back into calls that do, with a copy where one is "
        "needed."
    ),
    ("", "decompose_scan_to_while_loop"): "Rewrites `scan` as a `while_loop`.",
    ("", "decompose_map_to_while_loop"): "Rewrites `map` as a `while_loop`.",
    ("", "convert_conv_weights_to_channels_last"): (
        "Changes the weights of convolutions to channels last, which their kernels handle "
        "best, and keeps the strides of the outputs."
    ),
    ("", "replace_params_with_constants"): "Turns the parameters into constants: `_frozen_param0`.",
    ("", "constant_fold"): "Computes whatever depends only on constants, and keeps the result.",
    ("", "freezing_patterns.binary_folding_pass"): (
        "Folds additions and multiplications that follow a convolution or a linear layer into its "
        "weight and bias."
    ),
    ("", "view_to_reshape"): (
        "Rewrites `view` as `reshape`: a change of layout may have made the view impossible."
    ),
    ("", "fx_graph_cse"): "Computes repeated expressions only once.",
    ("", "eliminate_dead_code"): "Removes nodes that nothing reads.",
    ("", "fake_tensor_prop"): "Recomputes shapes and strides.",
    ("", "split_cat_pass"): "Removes a `split` whose parts are joined again by a `cat`.",
    ("", "merge_splits_pass"): "Merges nested `split`s into one.",
    ("", "normalization_pass"): (
        "Rewrites `split`, `cat` and similar operators in one form, so that later patterns match."
    ),
    ("", "remove_split_with_size_one_pass"): "Removes a `split` into a single part.",
    ("", "b2b_gemm_pass"): "Fuses two matrix products, one after the other, into one kernel.",
    ("", "partitioned_scatter_optimization"): (
        "Spreads a scatter over several copies, so that fewer threads wait for the same location."
    ),
    ("", "bucket_all_gathers"): (
        "Puts all-gathers of one group together into one, as many as a bucket holds. "
        "`bucket_all_gathers_fx` enables it."
    ),
    ("", "bucket_reduce_scatters"): (
        "Puts reduce-scatters of one group together into one, as many as a bucket holds. "
        "`bucket_reduce_scatters_fx` enables it."
    ),
    ("", "bucket_all_reduce"): (
        "Puts all-reduces of one group together into one, as many as a bucket holds. "
        "`bucket_all_reduces_fx` enables it."
    ),
    ("", "overlap_scheduling"): (
        "Starts collectives early and waits for them late, so that computing hides them, and may "
        "put some together. Its settings are in `aten_distributed_optimizations`."
    ),
    ("", "dedup_reduce_scatters"): (
        "Adds tensors before they are reduced and scattered, not afterwards: one collective in "
        "place of several."
    ),
    ("", "decomp_comms"): (
        "Multiplies what a rank has, and sums up the products of all, where a product of gathered "
        "rows with themselves was asked for."
    ),
    ("", "replace_collectives_with_low_contention"): (
        "Has the copy engines of the GPUs do all-gathers and reduce-scatters, in symmetric memory."
    ),
    ("", "micro_pipeline_tp_pass"): (
        "Async tensor parallelism: an all-gather and the products that read it, or a product and "
        "the reduce-scatter of it, become one operator that does both piece by piece. "
        "`_micro_pipeline_tp` enables it."
    ),
    ("", "fuse_ddp_communication"): (
        "Puts the all-reduces of DDP's gradients together, for the reducer in Python."
    ),
}
"""By phase, empty for any, and by name or by the name of the function."""

_BETWEEN = "Changed by PyTorch code that is not a pass, so it has no name here."
_BEFORE_POST_GRAD = (
    "On the way here PyTorch rewrote `view` as `reshape`, since a layout change may make a view "
    "impossible, and recomputed shapes and strides."
)

_PATTERNS = {
    "pointless_view": "A view to the shape that its input has already.",
    "pointless_view_pair": "Two views, the second of which undoes the first.",
    "pointless_permute_pair": "Two permutations, the second of which undoes the first.",
    "pointless_convert": "A conversion of a conversion, as automatic mixed precision makes them.",
    "bmm_to_mm": "A batched matrix product with batch size one, as a plain product.",
    "replace_random": "Random numbers, replaced by Inductor's own.",
    "addmm": "A matrix product and an addition, as one `addmm`.",
    "unfuse_bias_add_to_pointwise": (
        "A bias added inside `addmm`, moved out so that it fuses with what follows."
    ),
    "mm_plus_mm": "The sum of two matrix products, computed by one kernel.",
    "folded_op": "An addition or multiplication that the preceding layer's weights can absorb.",
    "merge_splits": "A `split` of a part of a `split`.",
    "simplify_split_cat": "A `split` whose parts a `cat` joins again.",
}


def phase_title(phase: Phase) -> str:
    """'post-grad'."""
    return PHASES[phase][0]


def is_users(item: Pass) -> bool:
    """Whether this is a pass registered by the user, not one of Inductor's own."""
    if item.hook:
        return True
    own = "torch/_inductor/"  # older recordings have no such field
    return item.name.startswith(HOOKS) and not item.place.startswith(own)


def pass_sentence(item: Pass, phase: Phase) -> str:
    """What a pass does; for an unknown one, what its own documentation says."""
    if item.kind == "between":
        return _BEFORE_POST_GRAD if item.name == "before the post_grad passes" else _BETWEEN
    if is_users(item):
        return item.description
    names = [name for name in (item.function, item.name) if name]
    keys = [(scope, name) for scope in (phase, "") for name in names]
    known = next((_PASSES[key] for key in keys if key in _PASSES), "")
    return known or item.description


def pattern_sentence(pattern: Pattern) -> str:
    """What a pattern matches."""
    if pattern.name.startswith("_sfdp_pattern_"):
        return "Hand-written attention, as one call of `scaled_dot_product_attention`."
    if pattern.name in _PATTERNS:
        return _PATTERNS[pattern.name]
    if pattern.description:
        return pattern.description
    return {
        "replacement": "Matched by the function below, and replaced by another.",
        "graph": "Matched by the expression below; its handler rewrites the graph.",
        "lowering": "Matched by the expression below; its handler generates the code later.",
        "fusion": "Several like operators, combined into one.",
    }[pattern.kind]
