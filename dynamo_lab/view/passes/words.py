"""What the well-known passes and patterns do, each in a sentence that its source bears out."""

from dynamo_lab.model.passes import HOOKS, Pass, Pattern, Phase

PHASES: dict[Phase, tuple[str, str]] = {
    "pre_grad": (
        "pre-grad",
        "On the graph that Dynamo captured, before AOTAutograd traces it: still `torch` functions, "
        "with views and mutation.",
    ),
    "joint": (
        "joint",
        "On the graph of ATen operators, without mutation. In training forward and backward are "
        "still one graph.",
    ),
    "layout": (
        "layout",
        "Before freezing, where the graph has convolutions that gain from it.",
    ),
    "freezing": (
        "freezing",
        "Parameters become constants, and what depends on constants alone is computed now.",
    ),
    "post_grad": (
        "post-grad",
        "On the graph that is about to be lowered, forward and backward each on its own.",
    ),
}
"""What each phase is called, and what it works on."""

_STABLE_SORT = "Puts each node after all that it reads, and leaves the order alone otherwise."

_PASSES: dict[tuple[str, str], str] = {
    ("", "group_batch_fusion_passes"): (
        "Makes one large operator of several alike, such as linear layers side by side. It does "
        "only what `pre_grad_fusion_options` and `post_grad_fusion_options` ask for."
    ),
    ("", "efficient_conv_bn_eval_pass"): (
        "Folds a batch normalization that does not train into the convolution before it, where "
        "`efficient_conv_bn_eval_fx_passes` asks for it."
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
        "Replaces what always holds one value by a `full` of it, then drops `+ 0`, `- 0`, `* 1` "
        "and `/ 1`, and views that are there already."
    ),
    ("", "fuse_seed_creation_pass"): (
        "Draws all random seeds of a device at once, and looks each up where it was drawn."
    ),
    ("", "replace_random.patterns"): (
        "Replaces `rand` and `randn` by Inductor's own random numbers, which can be fused."
    ),
    ("", "joint_graph.early_patterns"): (
        "Removes views and permutations that change nothing, before the other patterns look."
    ),
    ("joint", "pass_pattern_0"): (
        "The main patterns of this phase: attention written out by hand, matrix products that are "
        "faster padded, conversions without effect."
    ),
    ("joint", "pass_pattern_1"): (
        "Patterns that must come after attention: softmax of a scaled input, made more stable."
    ),
    ("post_grad", "pass_pattern_0"): "The first of three rounds of patterns.",
    ("post_grad", "pass_pattern_1"): (
        "The second round of patterns: mostly ones that are lowered by a handler of their own, "
        "such as fused operators of oneDNN."
    ),
    ("post_grad", "pass_pattern_2"): (
        "The last round of patterns, among them `addmm` from a product and a sum."
    ),
    ("", "remove_assert_ops"): (
        "Removes checks of a tensor's metadata: they compute nothing and would be in the way of "
        "fusions."
    ),
    ("", "remove_profiler_ops"): (
        "Removes `record_function` marks, which would be in the way of fusions."
    ),
    ("", "reorder_for_locality"): (
        "Moves each operator right before what reads it, so that values are used while they are "
        "still near. Only for inference."
    ),
    ("", "stable_sort"): _STABLE_SORT,
    ("", "stable_topological_sort"): _STABLE_SORT,
    ("", "move_constructors_to_cuda"): (
        "Creates tensors on the GPU right away where they were created on the CPU and moved."
    ),
    ("", "reinplace_inplaceable_ops"): (
        "Lets an operator write into its input where nobody reads that afterwards, which saves the "
        "copy that working without mutation had cost."
    ),
    ("", "fix_auto_functionalized_dtype_views"): (
        "Says of custom operators that mutate a view of an input which copies they can do without."
    ),
    ("", "decompose_triton_kernel_wrapper_functional"): (
        "Turns your own Triton kernels back into calls that mutate, with a copy where one is "
        "needed."
    ),
    ("", "decompose_auto_functionalized"): (
        "Turns custom operators that mutate back into calls that do, with a copy where one is "
        "needed."
    ),
    ("", "decompose_scan_to_while_loop"): "Writes `scan` as a `while_loop`.",
    ("", "decompose_map_to_while_loop"): "Writes `map` as a `while_loop`.",
    ("", "convert_conv_weights_to_channels_last"): (
        "Lays the weights of convolutions out with the channels last, which their kernels like "
        "best, and keeps the strides of the outputs."
    ),
    ("", "replace_params_with_constants"): "Makes constants of the parameters: `_frozen_param0`.",
    ("", "constant_fold"): "Computes what depends on constants alone, and keeps the result.",
    ("", "freezing_patterns.binary_folding_pass"): (
        "Folds additions and multiplications that follow a convolution or a linear layer into its "
        "weight and bias."
    ),
    ("", "view_to_reshape"): (
        "Writes `view` as `reshape`: a change of layout may have made the view impossible."
    ),
    ("", "fx_graph_cse"): "Computes what is asked for twice only once.",
    ("", "eliminate_dead_code"): "Removes what nobody reads.",
    ("", "fake_tensor_prop"): "Works out shapes and strides anew.",
    ("", "split_cat_pass"): "Drops a `split` whose parts are put together again by a `cat`.",
    ("", "merge_splits_pass"): "Makes one `split` of a `split` of a `split`.",
    ("", "normalization_pass"): (
        "Writes `split`, `cat` and their like in one form, so that later patterns find them."
    ),
    ("", "remove_split_with_size_one_pass"): "Removes a `split` into a single part.",
    ("", "b2b_gemm_pass"): "Fuses two matrix products, one after the other, into one kernel.",
    ("", "partitioned_scatter_optimization"): (
        "Spreads a scatter over several copies, so that fewer threads wait for the same place."
    ),
}
"""By phase, empty for any, and by name or by the name of the function."""

_BETWEEN = "Changed by code of PyTorch that is no pass, so it has no name here."
_BEFORE_POST_GRAD = (
    "On the way here PyTorch wrote `view` as `reshape`, since a change of layout may make a view "
    "impossible, and worked out shapes and strides anew."
)

_PATTERNS = {
    "pointless_view": "A view to the shape that its input has already.",
    "pointless_view_pair": "Two views, the second of which undoes the first.",
    "pointless_permute_pair": "Two permutations, the second of which undoes the first.",
    "pointless_convert": "A conversion of a conversion, as automatic mixed precision makes them.",
    "bmm_to_mm": "A batched product of a single matrix, as a plain product.",
    "replace_random": "Random numbers, as Inductor's own.",
    "addmm": "A matrix product and an addition, as one `addmm`.",
    "unfuse_bias_add_to_pointwise": (
        "A bias added inside `addmm`, taken out so that it fuses with what follows."
    ),
    "mm_plus_mm": "The sum of two matrix products, computed by one kernel.",
    "folded_op": "An addition or multiplication that the layer before it can do with its weights.",
    "merge_splits": "A `split` of a part of a `split`.",
    "simplify_split_cat": "A `split` whose parts a `cat` puts together again.",
}


def phase_title(phase: Phase) -> str:
    """'post-grad'."""
    return PHASES[phase][0]


def is_users(item: Pass) -> bool:
    """Whether this is a pass that somebody hooked in, and not one of Inductor's own."""
    if item.hook:
        return True
    own = "torch/_inductor/"  # and so it was told before passes had the field
    return item.name.startswith(HOOKS) and not item.place.startswith(own)


def pass_sentence(item: Pass, phase: Phase) -> str:
    """What a pass does; what its own documentation says where it is not a well-known one."""
    if item.kind == "between":
        return _BEFORE_POST_GRAD if item.name == "before the post_grad passes" else _BETWEEN
    if is_users(item):
        return item.description
    names = [name for name in (item.function, item.name) if name]
    keys = [(scope, name) for scope in (phase, "") for name in names]
    known = next((_PASSES[key] for key in keys if key in _PASSES), "")
    return known or item.description


def pattern_sentence(pattern: Pattern) -> str:
    """What a pattern stands for."""
    if pattern.name.startswith("_sfdp_pattern_"):
        return "Attention written out by hand, as one call of `scaled_dot_product_attention`."
    if pattern.name in _PATTERNS:
        return _PATTERNS[pattern.name]
    if pattern.description:
        return pattern.description
    return {
        "replacement": "Looked for as the function below, and replaced by another.",
        "graph": "Looked for as the expression below; its handler rewrites the graph.",
        "lowering": "Looked for as the expression below; its handler generates the code later.",
        "fusion": "Several operators alike, made one.",
    }[pattern.kind]
