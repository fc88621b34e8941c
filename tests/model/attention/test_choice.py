"""PyTorch's rules for attention, each by a call that it decides and one that it does not."""

from typing import Any

import pytest

from dynamo_lab.model.attention.calls import DEFAULT_ORDER, Operand, Problem
from dynamo_lab.model.attention.choice import choose
from dynamo_lab.model.attention.platforms import Platform, platform_of
from dynamo_lab.model.targets import parse
from tests.view.samples.attention.attending import operand, problem

HEADS = operand(2, 8, 128, 64)


def platform(name: str, release: tuple[int, int] = (2, 13)) -> Platform:
    target = parse(name)
    assert target is not None
    found = platform_of(target, release)
    assert found is not None
    return found


def kernel(name: str, **changes: Any) -> str:
    return choose(problem(**changes), platform(name)).kernel


def why_not(name: str, refused: str, **changes: Any) -> str:
    verdicts = choose(problem(**changes), platform(name)).verdicts
    [found] = [one for one in verdicts if one.kernel == refused]
    assert found.state == "refused"
    assert found.reason.endswith(".")
    return found.check


def like(of: Operand, **changes: Any) -> Problem:
    return problem(query=of, key=of, value=of, **changes)


def test_half_precision_is_taken_by_the_first_of_the_order() -> None:
    chosen = {name: kernel(name) for name in ("cpu", "cuda:sm_80", "cuda:sm_90", "cuda:sm_120")}
    assert chosen == {
        "cpu": "flash",
        "cuda:sm_80": "flash",
        "cuda:sm_90": "cudnn",
        "cuda:sm_120": "flash",
    }


def test_an_older_cudnn_is_not_preferred() -> None:
    older = Platform(name="cuda:sm_90", device="cuda", capability=(9, 0), cudnn=91002)
    assert choose(problem(), older).kernel == "flash"


def test_a_mask_is_for_the_other_kernels() -> None:
    mask = operand(128, 128)
    assert kernel("cuda:sm_80", mask=mask) == "efficient"
    assert kernel("cuda:sm_90", mask=mask) == "cudnn"
    assert kernel("cpu", mask=mask) == "flash"
    assert why_not("cuda:sm_80", "flash", mask=mask) == "check_for_attn_mask"


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"dropout": 0.1}, "check_for_dropout"),
        ({"query": operand(8, 128, 64)}, "check_tensor_shapes"),
        ({"key": operand(2, 4, 128, 64)}, "check_batch_size_and_num_heads_dense"),
        ({"mask": operand(8, 128, 128)}, "check_attn_mask_shape"),
        ({"mask": operand(128, 64)}, "check_attn_mask_shape"),
        ({"value": operand(2, 8, 128, 32)}, "check_head_dim_size_cpp"),
        ({"query": operand(2, 8, 0, 64)}, "check_nonzero_sequence_lengths_dense"),
    ],
)
def test_what_a_cpu_refuses(changes: dict[str, Any], check: str) -> None:
    assert kernel("cpu", **changes) == "math"
    assert why_not("cpu", "flash", **changes) == check


def test_float32_has_memory_efficient_attention_alone_on_a_gpu() -> None:
    full = like(operand(2, 8, 128, 64, dtype="f32"))
    assert choose(full, platform("cuda:sm_90")).kernel == "efficient"
    assert choose(full, platform("cpu")).kernel == "flash"
    double = like(operand(2, 8, 128, 64, dtype="f64"))
    assert choose(double, platform("cuda:sm_90")).kernel == "math"


def test_flash_attention_is_not_causal_for_other_lengths() -> None:
    longer = operand(2, 8, 256, 64)
    changes = {"key": longer, "value": longer, "is_causal": True}
    assert why_not("cuda:sm_80", "flash", **changes) == "check_flash_causal_non_square_seqlens"
    assert kernel("cuda:sm_80", **changes) == "efficient"


def test_large_heads_are_not_trained_on_small_chips() -> None:
    large = Operand(dtype="f16", shape=(2, 8, 128, 208), stride=(212992, 26624, 208, 1),
                    requires_grad=True)  # fmt: skip
    trained = like(large, grad=True)
    assert choose(trained, platform("cuda:sm_86")).kernel == "efficient"
    assert choose(trained, platform("cuda:sm_80")).kernel == "flash"
    assert choose(like(large, grad=False), platform("cuda:sm_86")).kernel == "flash"
    unknown = choose(like(large, grad=None), platform("cuda:sm_86"))
    assert unknown.kernel == ""
    assert unknown.verdicts[0].state == "unknown"


def test_grouped_heads() -> None:
    few = operand(2, 2, 128, 64)
    changes = {"key": few, "value": few, "enable_gqa": True}
    assert kernel("cpu", **changes) == "flash"
    assert kernel("cuda:sm_80", **changes) == "flash"
    assert why_not("cuda:sm_80", "efficient", **changes) == "check_batch_size_and_num_heads_dense"


def test_what_a_newer_release_may_have_changed_is_unknown() -> None:
    few = operand(2, 2, 128, 64)
    grouped = problem(key=few, value=few, enable_gqa=True)
    newer = choose(grouped, platform("cpu", (2, 99)))
    assert newer.kernel == ""
    assert choose(problem(), platform("cpu", (2, 99))).kernel == "flash"


def test_a_call_without_a_batch_gets_one_since_torch_2_14() -> None:
    unbatched = like(operand(8, 128, 64), mask=operand(128, 128))
    assert choose(unbatched, platform("cpu")).verdicts[0].check == "check_tensor_shapes"
    for release in ((2, 14), (2, 15)):
        assert choose(unbatched, platform("cpu", release)).kernel == "flash"
        assert choose(unbatched, platform("cuda:sm_80", release)).kernel == "efficient"
    mixed = problem(query=operand(8, 128, 64))
    found = choose(mixed, platform("cpu", (2, 15)))
    assert found.verdicts[0].check == "check_tensor_shapes"


def test_a_single_head_of_the_key_is_shared_since_torch_2_15() -> None:
    one = operand(2, 1, 128, 64)
    single = problem(key=one, value=one)
    found = {minor: choose(single, platform("cpu", (2, minor))).kernel for minor in (13, 14, 15)}
    assert found == {13: "math", 14: "", 15: "flash"}
    assert choose(single, platform("cuda:sm_80", (2, 15))).kernel == ""
    few = operand(2, 2, 128, 64)
    assert choose(problem(key=few, value=few), platform("cpu", (2, 15))).kernel == "math"


def test_a_dimension_of_one_is_dense_and_named() -> None:
    of_symbols = Operand(
        dtype="f16", shape=(8, None, 64), stride=(None, 64, 1), symbols=tuple("abc")
    )
    assert of_symbols.with_dimensions(4) == Operand(
        dtype="f16", shape=(1, 8, None, 64), stride=(None, None, 64, 1), symbols=("1", *"abc")
    )
    assert operand(8, 128, 64).with_dimensions(4) == operand(1, 8, 128, 64)


def test_heads_that_only_some_releases_give_cudnn() -> None:
    large = like(operand(2, 8, 128, 256))
    hopper = choose(large, platform("cuda:sm_90"))
    assert hopper.kernel == ""
    assert [one.state for one in hopper.verdicts[:2]] == ["unknown", "could"]
    assert choose(large, platform("cuda:sm_80")).kernel == "flash"


def test_what_is_unknown_is_settled_by_a_condition_that_fails() -> None:
    changes = {"dropout": 0.1, "query": operand(8, 128, 64)}
    assert why_not("cuda:sm_90", "cudnn", **changes) == "check_tensor_shapes"


def test_nothing_allowed_is_an_error_and_math_alone_is_math() -> None:
    nothing = choose(problem(allowed=()), platform("cuda:sm_90"))
    assert nothing.is_error
    assert kernel("cuda:sm_90", allowed=("math",)) == "math"
    assert why_not("cpu", "flash", allowed=("math",)) == "check_runtime_disabled_flash"


def test_an_order_of_ones_own_counts_on_a_gpu() -> None:
    order = ("efficient", *[one for one in DEFAULT_ORDER if one != "efficient"])
    assert kernel("cuda:sm_90", order=order) == "efficient"
    assert kernel("cpu", order=("math", "flash")) == "flash"


def test_a_size_of_the_run_time_is_unknown() -> None:
    open_size = Operand(dtype="f16", shape=(2, 8, None, 64), stride=(1, 1, 64, 1))
    found = choose(like(open_size), platform("cuda:sm_80"))
    assert found.kernel == ""
    assert "known only at run time" in found.verdicts[0].reason


@pytest.mark.parametrize("dtype", ["b8", "f16"])
def test_a_mask_whose_rows_are_one_number_is_for_no_gpu_kernel(dtype: str) -> None:
    mask = Operand(dtype=dtype, shape=(2, 1, 128, 128), stride=(128, 128, 1, 0))
    for refused in ("efficient", "cudnn"):
        told = why_not("cuda:sm_90", refused, mask=mask)
        assert told == "check_last_dim_stride_equals_1_dense"
    assert kernel("cuda:sm_90", mask=mask) == "math"
    assert kernel("cpu", mask=mask) == "flash"


def test_a_mask_whose_size_is_another_symbol_is_unknown() -> None:
    query = Operand(dtype="f16", shape=(2, 8, 128, 64), stride=(65536, 8192, 64, 1),
                    symbols=("2", "8", "s0", "64"))  # fmt: skip
    mask = Operand(dtype="b8", shape=(128, 128), stride=(128, 1), symbols=("s1", "s1"))
    same = Operand(dtype="b8", shape=(128, 128), stride=(128, 1), symbols=("s0", "s0"))
    cpu = platform("cpu")
    assert choose(like(query, mask=mask), cpu).kernel == ""
    assert choose(like(query, mask=same), cpu).kernel == "flash"


def test_targets_without_rules_have_no_platform() -> None:
    for name in ("rocm:gfx942", "mps"):
        target = parse(name)
        assert target is not None
        assert platform_of(target) is None
