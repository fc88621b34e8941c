"""Which kernel `scaled_dot_product_attention` runs on a platform, and why not each of the others.

PyTorch tries its kernels in an order and takes the first whose conditions hold
(`select_sdp_backend` in `cuda/sdp_utils.cpp`, `select_sdp_backend_cpp` in `sdp_utils_cpp.cpp`).
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from dynamo_lab.model.attention import checks, gpu_checks
from dynamo_lab.model.attention.calls import DEFAULT_ORDER, Kernel, Problem
from dynamo_lab.model.attention.checks import Check, UnknownError
from dynamo_lab.model.attention.platforms import Platform

State = Literal["runs", "could", "refused", "unknown"]
"""A kernel that "could" run comes after the one that runs."""

_CPU: Mapping[Kernel, tuple[Check, ...]] = {
    "flash": (
        checks.check_nested_tensor,
        checks.check_for_dropout,
        checks.check_tensor_shapes,
        checks.batch_and_heads(gqa=True),
        checks.check_attn_mask_shape,
        gpu_checks.check_head_dim_size_cpp,
        checks.check_nonzero_sequence_lengths_dense,
        checks.last_stride(of_one=False),
        checks.dtypes("f32", "f64", "bf16", "f16"),
    ),
}

_CUDA: Mapping[Kernel, tuple[Check, ...]] = {
    "flash": (
        checks.check_tensor_shapes,
        checks.check_for_attn_mask,
        gpu_checks.check_head_dim_size_flash,
        gpu_checks.check_flash_attention_hardware_support,
        gpu_checks.check_requires_grad_and_head_dim_gt192_constraints_on_sm86_89_or_120,
        gpu_checks.check_flash_causal_non_square_seqlens,
        checks.check_dtypes_low_precision,
        checks.batch_and_heads(gqa=True),
        checks.check_nonzero_sequence_lengths_dense,
        checks.last_stride(of_one=True),
    ),
    "efficient": (
        gpu_checks.check_mem_efficient_hardware_support,
        checks.check_tensor_shapes,
        gpu_checks.check_head_dim_size_mem_efficient,
        checks.check_nonzero_sequence_lengths_dense,
        checks.last_stride(of_one=False),
        checks.batch_and_heads(gqa=False),
        checks.dtypes("f16", "f32", "bf16"),
        gpu_checks.check_data_ptr_alignment_mem_efficient,
    ),
    "cudnn": (
        checks.check_for_nested_inputs,
        checks.check_tensor_shapes,
        gpu_checks.check_cudnn_deterministic,
        checks.check_dtypes_low_precision,
        checks.check_attn_mask_shape,
        gpu_checks.check_cudnn_hardware_support,
        checks.check_nonzero_sequence_lengths_dense,
        checks.last_stride(of_one=True),
        checks.batch_and_heads(gqa=True, same_heads=False),
        gpu_checks.check_cudnn_tensor_shapes,
        gpu_checks.check_cudnn_dropout,
    ),
}
"""The conditions, in PyTorch's order: the first that does not hold is the reason."""


class Verdict(Struct, frozen=True, kw_only=True):
    """What becomes of a kernel. `check` is PyTorch's name for the condition that decided it."""

    kernel: Kernel
    state: State
    check: str = ""
    reason: str = ""


class Choice(Struct, frozen=True, kw_only=True):
    """The kernel that runs on a platform, and each verdict in the order in which they are tried.

    `kernel` is empty where it is not known, or where no kernel may run, which raises an error.
    """

    platform: str
    kernel: Kernel | Literal[""]
    verdicts: tuple[Verdict, ...]

    @property
    def is_error(self) -> bool:
        """Whether PyTorch finds no kernel and raises an error."""
        return all(verdict.state == "refused" for verdict in self.verdicts)


def choose(problem: Problem, platform: Platform) -> Choice:
    """What PyTorch chooses for a call on a platform."""
    if platform.adds_a_batch:
        problem = problem.batched()
    verdicts: list[Verdict] = []
    chosen: Kernel | Literal[""] = ""
    is_open = True
    for kernel in _order(problem, platform):
        found = _verdict(kernel, problem, platform)
        if found.state == "runs" and not is_open:
            found = Verdict(kernel=kernel, state="could")
        elif found.state == "runs":
            chosen, is_open = kernel, False
        elif found.state == "unknown" and is_open:
            is_open = False
        verdicts.append(found)
    return Choice(platform=platform.name, kernel=chosen, verdicts=tuple(verdicts))


def _order(problem: Problem, platform: Platform) -> tuple[Kernel, ...]:
    if platform.device == "cpu":
        return "flash", "math"  # whatever order was asked for: `priority_order_cpp`
    order = problem.order
    if order == DEFAULT_ORDER and platform.prefers_cudnn:
        order = ("cudnn", "flash", "efficient", "math")
    return tuple(kernel for kernel in order if kernel in platform.kernels)


def _verdict(kernel: Kernel, problem: Problem, platform: Platform) -> Verdict:
    if kernel not in problem.allowed:
        return Verdict(
            kernel=kernel,
            state="refused",
            check=_DISABLED.get(kernel, ""),
            reason="`sdpa_kernel` or a setting of `torch.backends.cuda` forbids it.",
        )
    table = _CPU if platform.device == "cpu" else _CUDA
    if platform.device != "cpu" and kernel != "math":
        nested = [t for t in problem.inputs if t.is_nested]
        if nested and kernel != "cudnn":
            return _unknown(kernel, "Its rules for nested tensors depend on every length in them.")
    open_question: Verdict | None = None
    for check in table.get(kernel, ()):
        try:
            reason = check(problem, platform)
        except UnknownError as unknown:  # another condition may still refuse it
            open_question = open_question or _unknown(kernel, str(unknown), check.__name__)
            continue
        if reason is not None:
            return Verdict(kernel=kernel, state="refused", check=check.__name__, reason=reason)
    return open_question or Verdict(kernel=kernel, state="runs")


def _unknown(kernel: Kernel, reason: str, check: str = "") -> Verdict:
    return Verdict(kernel=kernel, state="unknown", check=check, reason=reason)


_DISABLED: Mapping[Kernel, str] = {
    "flash": "check_runtime_disabled_flash",
    "efficient": "check_runtime_disabled_mem_efficient",
    "cudnn": "check_runtime_disabled_cudnn",
    "math": "userEnabledMathSDP",
}
