"""What kind of work an operator does, for colours, derived from its name where that is known."""

from collections.abc import Iterable

from dynamo_lab.view.core.names import operator_name

KINDS = (
    "matrix", "reduction", "elementwise", "normalisation", "view", "copy", "creation", "control",
)  # fmt: skip
"""In the order of their colours; unknown operators are "other"."""

_NAMES = {
    "matrix": """
        mm bmm addmm baddbmm matmul linear conv1d conv2d conv3d convolution conv_transpose2d
        mkldnn_linear linear_unary convolution_unary scaled_dot_product_attention dot mv einsum
        scaled_dot_product_flash_attention scaled_dot_product_efficient_attention
        scaled_dot_product_flash_attention_for_cpu int_mm scaled_mm addmv outer vdot tensordot
        bilinear multi_head_attention_forward convolution_pointwise linear_pointwise""",
    "normalisation": """
        batch_norm layer_norm group_norm instance_norm rms_norm softmax log_softmax normalize
        batch_norm_legit batch_norm_with_update safe_softmax batch_norm_legit_functional
        batch_norm_legit_no_training fused_rms_norm local_response_norm""",
    "reduction": """
        sum mean amax amin max min argmax argmin var var_mean std std_mean prod any all norm
        cumsum cumprod logsumexp max_pool2d avg_pool2d adaptive_avg_pool2d max_pool2d_with_indices
        linalg_vector_norm nll_loss nll_loss_forward cross_entropy mse_loss topk sort median
        adaptive_avg_pool1d avg_pool1d max_pool1d nansum count_nonzero logcumsumexp nll_loss2d
        low_memory_max_pool_with_offsets low_memory_max_pool_offsets_to_indices
        low_memory_max_pool2d_with_offsets binary_cross_entropy""",
    "elementwise": """
        add sub mul div neg pow sqrt rsqrt exp log sin cos tan tanh sigmoid relu gelu silu mish
        abs sign maximum minimum where clamp clamp_min clamp_max eq ne lt le gt ge logical_and
        logical_or logical_not bitwise_and bitwise_or bitwise_not bitwise_xor erf reciprocal floor
        ceil round trunc fmod remainder square threshold leaky_relu elu hardtanh hardswish
        hardsigmoid softplus dropout addcmul addcdiv lerp truediv floordiv iadd isub imul itruediv
        rsub masked_fill and or xor not invert exp2 log2 log10 log1p expm1 sinh cosh asin acos
        atan atan2 relu6 isnan isinf isfinite special_erf hypot log_sigmoid floor_divide mod
        fma xlogy native_dropout diff""",
    "view": """
        view reshape permute transpose t expand squeeze unsqueeze slice select split chunk getitem
        alias as_strided flatten unflatten view_as expand_as unbind narrow movedim swapaxes detach
        split_with_sizes getattr diagonal unsafe_view unfold mT T contiguous_view view_of
        broadcast_in_dim real imag""",
    "copy": """
        clone copy to_copy to cat stack index gather scatter index_select index_put constant_pad_nd
        embedding embedding_dense repeat contiguous roll flip tril triu pad scatter_add index_add
        convert_element_type device_put slice_scatter select_scatter masked_scatter float half
        type_as concat index_copy unsafe_index unsafe_index_put as_strided_scatter
        unsafe_masked_index unsafe_masked_index_put_accumulate setitem force_stride_order foreach
        take_along_dim repeat_interleave masked_select copy_to""",
    "creation": """
        full zeros ones empty arange rand randn randint zeros_like ones_like empty_like full_like
        rand_like randn_like iota scalar_tensor tensor eye linspace bernoulli new_zeros new_ones
        new_empty new_full inductor_random inductor_seeds inductor_lookup_seed lift_fresh_copy
        lift_fresh random seeds lookup_seed empty_strided new_empty_strided empty_permuted
        one_hot multinomial normal randperm fill tril_indices""",
    "control": """
        cond while_loop scan map map_impl associative_scan tag_activation_checkpoint
        autograd_function_apply wrap checkpoint set_grad_enabled invoke_subgraph flex_attention
        flex_attention_backward triton_kernel_wrapper_mutation auto_functionalized_v2
        auto_functionalized triton_kernel_wrapper_functional run_and_save_rng_state
        run_with_rng_state with_effects vmap_increment_nesting vmap_decrement_nesting
        grad_increment_nesting grad_decrement_nesting jvp_increment_nesting jvp_decrement_nesting
        add_batch_dim remove_batch_dim wrap_for_grad unwrap_for_grad make_dual unpack_dual
        enter_dual_level exit_dual_level autograd_grad set_fwd_grad_enabled
        set_inplace_requires_grad_allowed set_tensor_requires_grad saved_tensors_hooks_disable
        saved_tensors_hooks_enable lazy_load_decompositions maybe_load_decompositions
        enter_autocast exit_autocast sym_size assert_scalar assert_async""",
}  # fmt: skip

_KIND_OF = {name: kind for kind, names in _NAMES.items() for name in names.split()}


def kind_of(target: str) -> str:
    """One of KINDS, or "other": 'matrix' for "aten.convolution_backward.default"."""
    name = operator_name(target).rpartition(".")[2].strip("_")
    for known in (name, name.removesuffix("_backward"), name.removesuffix("_backward_data")):
        kind = _KIND_OF.get(known) or _KIND_OF.get(known.removeprefix("native_"))
        if kind:
            return kind
    return "control" if ".higher_order." in target else "other"


def by_kind(targets: Iterable[tuple[int, str]]) -> dict[str, tuple[int, ...]]:
    """The targets of each kind, by their numbers; "other" is left out."""
    found: dict[str, list[int]] = {}
    for number, target in targets:
        if (kind := kind_of(target)) != "other":
            found.setdefault(kind, []).append(number)
    return {kind: tuple(found[kind]) for kind in KINDS if kind in found}
