"""PyTorch's conditions on a call of attention that are about the device and one kernel there.

From `aten/src/ATen/native/transformers/cuda/sdp_utils.cpp`, and `sdp_utils_cpp.cpp` for a CPU.
"""

from dynamo_lab.model.attention.calls import Problem
from dynamo_lab.model.attention.checks import UnknownError, head_sizes, is_half, is_trained, lengths
from dynamo_lab.model.attention.platforms import Platform

_LARGEST_HEAD = 256
_LARGEST_OF_CUDNN = 128
_NEWEST_GPU = (12, 1)


def check_head_dim_size_cpp(problem: Problem, _: Platform) -> str | None:
    """On a CPU heads may be of any size, if it is the same one."""
    query, key, value = head_sizes(problem)
    if query == key == value:
        return None
    return f"A head of query has {query} elements, of key {key}, of value {value}: one size needed."


def check_head_dim_size_flash(problem: Problem, platform: Platform) -> str | None:
    """Heads of one size, up to 256."""
    reason = check_head_dim_size_cpp(problem, platform)
    query = head_sizes(problem)[0]
    if reason is None and query > _LARGEST_HEAD:
        return f"A head has {query} elements: it takes at most {_LARGEST_HEAD}."
    return reason


def check_head_dim_size_mem_efficient(problem: Problem, platform: Platform) -> str | None:
    """Heads that fill 128 bits a number of times."""
    query, key, value = head_sizes(problem)
    if query != key:
        return f"A head of query has {query} elements and one of key has {key}."
    step = _alignment(problem, platform)
    for name, size in (("query", query), ("value", value)):
        if size == 0 or size % step:
            return (
                f"A head of {name} has {size} elements: of {problem.query.dtype} it takes "
                f"multiples of {step}."
            )
    return None


def _alignment(problem: Problem, platform: Platform) -> int:
    """`minimum_gemm_alignment`, in elements."""
    half = is_half(problem)
    if platform.capability >= (8, 0) or (platform.capability >= (7, 0) and half):
        return 8 if half else 4
    return 1


def check_data_ptr_alignment_mem_efficient(problem: Problem, platform: Platform) -> str | None:
    """Newer releases refuse a tensor that begins off 128 bits; in which one that came is unknown.

    PyTorch's allocator aligns every storage, so what counts is where in it a tensor begins.
    """
    step = _alignment(problem, platform)
    if all(t.offset is not None and t.offset % step == 0 for t in problem.inputs):
        return None
    raise UnknownError("It depends on where in its storage a tensor begins: see storage_offset().")


def check_flash_attention_hardware_support(_: Problem, platform: Platform) -> str | None:
    """From the A100 on."""
    return _of(platform, (8, 0))


def check_cudnn_hardware_support(_: Problem, platform: Platform) -> str | None:
    """From the A100 on."""
    return _of(platform, (8, 0))


def check_mem_efficient_hardware_support(_: Problem, platform: Platform) -> str | None:
    """From Maxwell on."""
    return _of(platform, (5, 0))


def _of(platform: Platform, oldest: tuple[int, int]) -> str | None:
    if oldest <= platform.capability <= _NEWEST_GPU:
        return None
    return f"It needs a GPU from {_sm(oldest)} to {_sm(_NEWEST_GPU)}, not {platform.name}."


def _sm(capability: tuple[int, int]) -> str:
    return f"sm_{capability[0]}{capability[1]}"


def check_requires_grad_and_head_dim_gt192_constraints_on_sm86_89_or_120(
    problem: Problem, platform: Platform
) -> str | None:
    """The backward of large heads does not fit into the shared memory of smaller chips."""
    head = head_sizes(problem)[0]
    small = (8, 6) <= platform.capability <= (8, 9) or platform.capability >= (12, 0)
    fits = head <= 192 or (not problem.dropout and head > 224)
    if fits or not small or not is_trained(problem):
        return None
    return f"Its backward takes no head of {head} elements on {platform.name}: at most 192."


def check_flash_causal_non_square_seqlens(problem: Problem, _: Platform) -> str | None:
    """`is_causal` means another mask to FlashAttention where lengths differ."""
    if not problem.is_causal or any(t.is_nested for t in (problem.query, problem.key)):
        return None
    query, key = lengths(problem)
    if query == key:
        return None
    return (
        f"is_causal=True with {query} queries and {key} keys: FlashAttention aligns its mask at "
        "the other corner. See `torch.nn.attention.bias`."
    )


def check_cudnn_deterministic(problem: Problem, _: Platform) -> str | None:
    """Its backward adds in any order."""
    if problem.deterministic:
        return "torch.use_deterministic_algorithms(True) is set, and it is not deterministic."
    return None


def check_cudnn_dropout(problem: Problem, platform: Platform) -> str | None:
    """CuDNN drops with a probability in steps of 1/16; since when PyTorch asks that is unknown."""
    if problem.dropout > 0 and 91100 < platform.cudnn < 91400:
        return "cuDNN 9.11 to 9.13 cannot drop out."
    if problem.dropout * 16 != int(problem.dropout * 16):
        raise UnknownError(
            f"It depends on the release of PyTorch: newer ones refuse dropout_p={problem.dropout:g}"
            ", which is no multiple of 1/16."
        )
    return None


def check_cudnn_tensor_shapes(problem: Problem, platform: Platform) -> str | None:
    """Heads of a multiple of 8 elements, up to 128; on Hopper and Blackwell some larger ones."""
    query, _, value = head_sizes(problem)
    largest = max(query, value)
    if largest > _LARGEST_HEAD or (largest > _LARGEST_OF_CUDNN and not _is_large(platform)):
        most = _LARGEST_HEAD if _is_large(platform) else _LARGEST_OF_CUDNN
        return f"A head has {largest} elements: it takes at most {most}."
    if query % 8 or value % 8:
        return f"Heads of {query} and {value} elements: it takes multiples of 8."
    tokens, keys = lengths(problem)
    if keys == 1:
        return "Key and value have one token."
    if problem.dropout and tokens == 1:
        return "The query has one token, with dropout."
    if largest > _LARGEST_OF_CUDNN:
        raise UnknownError(
            f"It depends on the releases of PyTorch and cuDNN: not all take heads of {largest}."
        )
    return None


def _is_large(platform: Platform) -> bool:
    return platform.capability[0] == 10 or platform.capability == (9, 0)
