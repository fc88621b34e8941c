"""What to change so that a kernel of attention is not refused, by PyTorch's condition."""

from collections.abc import Mapping

from msgspec import Struct

_ALL = ("cpu", "cuda")


class Remedy(Struct, frozen=True):
    """What to change. It is said only of the `devices` on which it helps."""

    text: str
    devices: tuple[str, ...] = _ALL


REMEDIES: Mapping[str, Remedy] = {
    "check_for_attn_mask": Remedy(
        "If the mask only hides what is ahead, pass `is_causal=True` instead of it; other masks "
        "are code for `flex_attention`."
    ),
    "check_for_dropout": Remedy("Pass `dropout_p=0.0` where you do not train.", ("cpu",)),
    "check_tensor_shapes": Remedy(
        "Give each a dimension of its own for batch and for heads: `q.unsqueeze(0)`."
    ),
    "check_attn_mask_shape": Remedy(
        "Give the mask 2 or 4 dimensions, as in `mask[:, None]` for one of each batch, and no "
        "gradient."
    ),
    "check_dtypes_low_precision": Remedy(
        'Compute in half precision: `torch.autocast("cuda")` makes query, key and value float16, '
        "and bfloat16 with `dtype=torch.bfloat16`.",
        ("cuda",),
    ),
    "check_last_dim_stride_equals_1_dense": Remedy(
        "Call `contiguous()` on what was transposed in its last dimension."
    ),
    "check_batch_size_and_num_heads_dense": Remedy(
        "`expand` the batch. If heads share key and value, pass `enable_gqa=True`, or for a kernel "
        "without grouped heads repeat them: `key.repeat_interleave(n, -3)`, and so the value."
    ),
    "check_flash_causal_non_square_seqlens": Remedy(
        "Pass `causal_lower_right(L, S)` of `torch.nn.attention.bias` as `attn_mask`, if the last "
        "query sees all keys."
    ),
    "check_cudnn_deterministic": Remedy(
        "Another kernel runs in its place; it costs nothing but that choice.", ("cuda",)
    ),
}
