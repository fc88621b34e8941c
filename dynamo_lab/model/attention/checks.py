"""PyTorch's conditions on a call of attention, each under the name that it has there.

From `aten/src/ATen/native/transformers/sdp_utils_cpp.h`, for every device, and
`aten/src/ATen/native/transformers/cuda/sdp_utils.cpp`, for CUDA. A check returns the reason why the
kernel is refused, None if it is not; where the answer depends on something that is not known, it
raises `UnknownError`.
"""

from collections.abc import Callable

from dynamo_lab.model.attention.calls import Operand, Problem
from dynamo_lab.model.attention.platforms import Platform

Check = Callable[[Problem, Platform], str | None]

_HALF = ("f16", "bf16")


class UnknownError(Exception):
    """A condition cannot be decided; the message says what it depends on."""


def need(number: int | None, what: str) -> int:
    """A size that must be known."""
    if number is None:
        raise UnknownError(f"It depends on {what}, which is known only at run time.")
    return number


def _size(operand: Operand, dim: int, what: str) -> int:
    return need(operand.shape[dim], what)


def lengths(problem: Problem) -> tuple[int, int]:
    """The lengths of the query, and of key and value."""
    return (
        _size(problem.query, -2, "the length of the query"),
        _size(problem.key, -2, "the length of the key"),
    )


def heads(problem: Problem) -> tuple[int, int, int]:
    """How many heads query, key and value have."""
    query, key, value = (_size(t, -3, "the number of heads") for t in problem.inputs)
    return query, key, value


def head_sizes(problem: Problem) -> tuple[int, int, int]:
    """The sizes of a head of query, key and value."""
    query, key, value = (_size(t, -1, "the size of a head") for t in problem.inputs)
    return query, key, value


def is_trained(problem: Problem) -> bool:
    """Whether a gradient is wanted (`input_requires_grad`)."""
    if problem.grad is None:
        raise UnknownError("It depends on whether gradients are recorded, which is not known.")
    return problem.grad and any(t.requires_grad for t in problem.inputs)


def check_nested_tensor(problem: Problem, _: Platform) -> str | None:
    """On a CPU no kernel takes nested tensors."""
    if any(t.is_nested for t in problem.inputs):
        return "Query, key or value is a nested tensor, which no fused kernel takes on a CPU."
    return None


def check_for_nested_inputs(problem: Problem, _: Platform) -> str | None:
    """CuDNN takes nested tensors only where an environment variable says so."""
    if any(t.is_nested for t in problem.inputs):
        return "cuDNN's attention takes no nested tensors, unless an experiment is switched on."
    return None


def check_for_dropout(problem: Problem, _: Platform) -> str | None:
    """On a CPU no fused kernel drops."""
    if problem.dropout > 0:
        return f"dropout_p is {problem.dropout:g}, and the CPU's fused kernel cannot drop out."
    return None


def check_tensor_shapes(problem: Problem, _: Platform) -> str | None:
    """Every fused kernel wants batch, heads, length, size.

    Since torch 2.14, where all three lack the batch they get one before they come here.
    """
    dims = tuple(len(t.shape) for t in problem.inputs)
    if dims == (4, 4, 4):
        return None
    return (
        f"Query, key and value have {dims[0]}, {dims[1]} and {dims[2]} dimensions: a fused kernel "
        "takes 4, (batch, heads, length, head size)."
    )


def check_for_attn_mask(problem: Problem, _: Platform) -> str | None:
    """CUDA's flash attention has no mask."""
    return None if problem.mask is None else "It is called with attn_mask, which it cannot take."


def check_attn_mask_shape(problem: Problem, _: Platform) -> str | None:
    """A mask may be (queries, keys) or (batch, heads, queries, keys), or 1 in place of each."""
    mask = problem.mask
    if mask is None:
        return None
    if mask.requires_grad:
        return "attn_mask requires a gradient, which the kernel does not compute."
    query, key = problem.query, problem.key
    wanted = [(query, 0), (query, 1), (query, 2), (key, 2)]
    if len(mask.shape) not in (2, 4):
        return f"attn_mask has {len(mask.shape)} dimensions: it may have 2 or 4."
    for dim, (operand, at) in zip(
        range(-len(mask.shape), 0), wanted[-len(mask.shape) :], strict=True
    ):
        if not _fits(mask, dim, operand, at):
            return (
                f"attn_mask has the shape {_shape(mask)}: each size must be 1 or that of the "
                f"scores, {_scores(problem)}."
            )
    return None


def _fits(mask: Operand, dim: int, operand: Operand, at: int) -> bool:
    one, other = mask.shape[dim], operand.shape[at]
    if mask.symbols or operand.symbols:
        texts = (_text(mask, dim), _text(operand, at))
        if texts[0] != texts[1] and one == other:
            raise UnknownError(
                f"It depends on whether PyTorch can prove {texts[0]} and {texts[1]} equal."
            )
    return one == 1 or need(one, "a size of attn_mask") == need(other, "a size of the scores")


def _text(operand: Operand, dim: int) -> str:
    return operand.symbols[dim] if operand.symbols else str(operand.shape[dim])


def _shape(operand: Operand) -> str:
    return f"({', '.join(_text(operand, dim) for dim in range(len(operand.shape)))})"


def _scores(problem: Problem) -> str:
    parts = [_text(problem.query, dim) for dim in (0, 1, 2)] + [_text(problem.key, 2)]
    return f"({', '.join(parts)})"


def batch_and_heads(*, gqa: bool, same_heads: bool = True) -> Check:
    """One batch size, and one number of heads except for grouped heads where those are known."""

    def check_batch_size_and_num_heads_dense(problem: Problem, platform: Platform) -> str | None:
        batches = {_size(t, 0, "the batch size") for t in problem.inputs}
        if len(batches) > 1:
            return "Query, key and value have different batch sizes: `expand` the smaller ones."
        query, key, value = heads(problem)
        if query == key == value:
            return None
        if platform.is_newer and (problem.enable_gqa or 1 in (key, value)):
            known = ".".join(map(str, platform.newest_known))
            raise UnknownError(f"Its rule for grouped heads may be another after torch {known}.")
        if not problem.enable_gqa:
            if key == value == 1 and _broadcasts_a_head(platform):
                return None
            return f"Query has {query} heads, key {key} and value {value}, without enable_gqa=True."
        if not gqa:
            return f"It has no grouped heads: query has {query} heads, key has {key}."
        if same_heads and key != value:
            return f"Key has {key} heads and value has {value}: they must be as many."
        if query % key or query % value:
            return f"{query} heads of the query are no multiple of {key} of the key."
        return None

    return check_batch_size_and_num_heads_dense


def _broadcasts_a_head(platform: Platform) -> bool:
    """Whether all heads of the query share one of the key, though it is not asked for."""
    if platform.device == "cpu" and platform.release == (2, 14):
        raise UnknownError("Its rule for a single head of the key came with torch 2.14 or 2.15.")
    return platform.device == "cpu" and platform.release > (2, 14)


def check_nonzero_sequence_lengths_dense(problem: Problem, _: Platform) -> str | None:
    """No fused kernel takes sequences without a token."""
    if 0 in lengths(problem):
        return "A sequence has no tokens."
    return None


def last_stride(*, of_one: bool) -> Check:
    """Heads must be dense in memory; `of_one` says whether that matters for heads of size 1."""

    def check_last_dim_stride_equals_1_dense(problem: Problem, platform: Platform) -> str | None:
        strides = [need(t.stride[-1], "a stride") for t in problem.inputs]
        if any(s != 1 for s in strides) and not (of_one and head_sizes(problem)[0] == 1):
            return (
                f"The last dimension of query, key and value has the strides "
                f"{strides[0]}, {strides[1]} and {strides[2]}: it must be 1, see `contiguous()`."
            )
        mask = problem.mask
        if mask is None or platform.device == "cpu":
            return None
        if need(mask.stride[-1], "a stride of attn_mask") != 1:
            return (
                f"The last dimension of attn_mask has the stride {mask.stride[-1]}: on a GPU it "
                "must be 1, so expand no size of 1 there."
            )
        return None

    return check_last_dim_stride_equals_1_dense


def dtypes(*allowed: str) -> Check:
    """Query, key and value are of one of these types, all of the same."""

    def check_tensor_dtype(problem: Problem, _: Platform) -> str | None:
        found = [t.dtype for t in problem.inputs]
        if len(set(found)) > 1:
            return f"Query, key and value are {found[0]}, {found[1]} and {found[2]}: of one type."
        if found[0] not in allowed:
            return f"Query is {found[0]}: it takes {', '.join(allowed)}."
        return None

    return check_tensor_dtype


def check_dtypes_low_precision(problem: Problem, platform: Platform) -> str | None:
    """Half precision; bfloat16 only on GPUs that have it."""
    return dtypes(*(_HALF if platform.capability >= (8, 0) else _HALF[:1]))(problem, platform)


def is_half(problem: Problem) -> bool:
    """Whether the query is of half precision."""
    return problem.query.dtype in _HALF
