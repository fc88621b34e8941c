"""Each change that is advised for a refused kernel of attention is made, and it is not refused."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch
from torch.nn.attention.bias import causal_lower_right
from torch.nn.functional import scaled_dot_product_attention as attend

from dynamo_lab.capture.attention.attention import problem_of
from dynamo_lab.capture.attention.here import chosen
from dynamo_lab.capture.attention.settings import settings
from dynamo_lab.model.attention.calls import Kernel
from dynamo_lab.model.attention.choice import Verdict, choose
from dynamo_lab.model.attention.platforms import platform_of
from dynamo_lab.model.targets import parse
from dynamo_lab.view.attention.remedies import REMEDIES

Call = dict[str, Any]


class Trial(NamedTuple):
    """A call that a kernel refuses on a target, and what the remedy makes of it."""

    given: Callable[[], Call]
    mended: Callable[[Call], Call]
    kernel: Kernel = "flash"
    target: str = "cpu"
    same: bool = True
    """Whether it is to compute the same."""


def call(*shape: int, dtype: torch.dtype = torch.float32, **more: Any) -> Call:
    q, k, v = torch.randn(3, *(shape or (2, 4, 16, 64))).to(dtype)
    return {"query": q, "key": k, "value": v, "attn_mask": None, **more}


def each(work: Callable[[torch.Tensor], torch.Tensor], one: Call) -> Call:
    return one | {name: work(one[name]) for name in ("query", "key", "value")}


def grouped(**more: Any) -> Call:
    one = call(dtype=torch.half, **more)
    return one | {name: one[name][:, :2] for name in ("key", "value")}


def repeated(one: Call) -> Call:
    made = {name: one[name].repeat_interleave(2, -3) for name in ("key", "value")}
    return one | made | {"enable_gqa": False}


def transposed() -> Call:
    return each(lambda one: one.mT.contiguous().mT, call())


def in_half(name: str) -> Callable[[Call], Call]:
    """What autocast makes of a call on a GPU; there is none to ask here."""
    dtype = torch.get_autocast_dtype("cuda") if name == "default" else torch.bfloat16
    return lambda one: each(lambda tensor: tensor.to(dtype), one)


CAUSAL = torch.ones(16, 16, dtype=torch.bool).tril()
MASKS = torch.rand(2, 16, 16) > 0.2
TRIALS = [
    ("check_for_attn_mask", Trial(
        lambda: call(dtype=torch.half, attn_mask=CAUSAL),
        lambda one: one | {"attn_mask": None, "is_causal": True}, target="cuda:sm_80")),
    ("check_for_dropout", Trial(
        lambda: call(dropout_p=0.25), lambda one: one | {"dropout_p": 0.0}, same=False)),
    ("check_tensor_shapes", Trial(
        lambda: call(4, 16, 64, dtype=torch.half),
        lambda one: each(lambda tensor: tensor.unsqueeze(0), one), target="cuda:sm_80")),
    ("check_attn_mask_shape", Trial(
        lambda: call(attn_mask=MASKS.unsqueeze(0).transpose(0, 1).squeeze(1)),
        lambda one: one | {"attn_mask": one["attn_mask"][:, None]}, same=False)),
    ("check_attn_mask_shape", Trial(
        lambda: call(attn_mask=torch.zeros(16, 16, requires_grad=True)),
        lambda one: one | {"attn_mask": one["attn_mask"].detach()})),
    ("check_dtypes_low_precision", Trial(call, in_half("default"), target="cuda:sm_80")),
    ("check_dtypes_low_precision", Trial(call, in_half("bfloat16"), target="cuda:sm_80")),
    ("check_last_dim_stride_equals_1_dense", Trial(
        transposed, lambda one: each(torch.Tensor.contiguous, one))),
    ("check_batch_size_and_num_heads_dense", Trial(
        grouped, lambda one: one | {"enable_gqa": True}, target="cuda:sm_80", same=False)),
    ("check_batch_size_and_num_heads_dense", Trial(
        lambda: grouped(enable_gqa=True), repeated, kernel="efficient", target="cuda:sm_80")),
    ("check_batch_size_and_num_heads_dense", Trial(
        lambda: call() | {"key": torch.randn(1, 4, 16, 64), "value": torch.randn(1, 4, 16, 64)},
        lambda one: one | {name: one[name].expand(2, -1, -1, -1) for name in ("key", "value")})),
]  # fmt: skip
WITHOUT = {
    "check_flash_causal_non_square_seqlens": "a bias of PyTorch's own: see below",
    "check_cudnn_deterministic": "nothing is to be changed",
}


def verdict(trial: Trial, one: Call) -> Verdict:
    target = parse(trial.target)
    platform = platform_of(target) if target else None
    assert platform is not None
    options = {"dropout_p": 0.0, "is_causal": False, "scale": None, "enable_gqa": False}
    problem = problem_of(options | one, settings())
    verdicts = choose(problem, platform).verdicts
    return next(found for found in verdicts if found.kernel == trial.kernel)


@pytest.mark.parametrize(("check", "trial"), TRIALS)
def test_the_change_that_is_advised_is_not_refused_for_that_any_more(
    check: str, trial: Trial
) -> None:
    given = trial.given()
    mended = trial.mended(given)
    assert (verdict(trial, given).state, verdict(trial, given).check) == ("refused", check)
    assert verdict(trial, mended).check != check
    if trial.same:
        made, wanted = attend(**mended), attend(**given)
        torch.testing.assert_close(
            made.reshape(wanted.shape).float(), wanted.float(), atol=2e-2, rtol=2e-2
        )


@pytest.mark.parametrize(
    ("check", "trial"), [one for one in TRIALS if one[1].target == "cpu" and one[0] in REMEDIES]
)
def test_on_a_cpu_pytorch_itself_then_takes_the_fused_kernel(check: str, trial: Trial) -> None:
    mended = trial.mended(trial.given())
    tensors = [mended.pop(name) for name in ("query", "key", "value", "attn_mask")]
    assert chosen(*tensors, **mended) == "flash", check


def test_every_remedy_is_tried() -> None:
    assert {check for check, _ in TRIALS} | WITHOUT.keys() == REMEDIES.keys()


def test_the_bias_that_is_advised_lets_the_last_query_see_all_keys() -> None:
    q, (k, v) = torch.randn(1, 2, 8, 16), torch.randn(2, 1, 2, 12, 16)
    made = attend(q, k, v, attn_mask=causal_lower_right(8, 12))
    wanted = attend(q, k, v, attn_mask=torch.ones(8, 12, dtype=torch.bool).tril(4))
    torch.testing.assert_close(made, wanted)


def test_what_autocast_makes_on_a_gpu_is_what_is_said() -> None:
    told = REMEDIES["check_dtypes_low_precision"].text
    made = str(torch.get_autocast_dtype("cuda")).removeprefix("torch.")
    assert f'`torch.autocast("cuda")` makes query, key and value {made}' in told
