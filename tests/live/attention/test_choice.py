"""The rules that choose a kernel of attention, against PyTorch's own choice and words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import flex_attention

import dynamo_lab as lab
from dynamo_lab.capture.attention.attention import problem_of
from dynamo_lab.capture.attention.here import chosen, platform_here, refusal
from dynamo_lab.capture.attention.settings import settings
from dynamo_lab.errors import OptionError
from dynamo_lab.model.attention.choice import choose
from dynamo_lab.view import build
from tests.live.attention.configurations import configurations, nested

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.attention.attention import AttentionView

WORDS = {
    "check_for_dropout": "do not support non-zero dropout",
    "check_tensor_shapes": "to be 4 dimensional",
    "check_batch_size_and_num_heads_dense": "num_heads|batch_size|number of heads",
    "check_attn_mask_shape": "attn mask shapes|",  # of some masks PyTorch gives no reason
    "check_head_dim_size_cpp": "same last dimension",
    "check_nonzero_sequence_lengths_dense": "zero seq_len_q",
    "check_last_dim_stride_equals_1_dense": "to have stride 1",
}


def test_the_rules_are_pytorch_s_on_a_cpu() -> None:
    platform = platform_here(torch.device("cpu"))
    assert platform is not None
    differing: list[str] = []
    decided = Counter[str]()
    for one in configurations(500):
        choice = choose(problem_of(one.named, settings()), platform)
        if not choice.kernel:
            assert platform.release == (2, 14) or platform.is_newer  # of the others all is known
            continue
        flash = choice.verdicts[0]
        decided[flash.check] += 1
        if choice.kernel != chosen(*one.tensors, **one.options):
            differing.append(f"{choice}: {one.options}, {[str(t) for t in one.tensors]}")
        said = refusal("flash", *one.tensors, **one.options)
        words = WORDS.get(flash.check, "").split("|")
        is_refused = said is not None
        if is_refused != bool(flash.check) or not any(word in (said or "") for word in words):
            differing.append(f"{flash} is {said!r} to PyTorch")
    assert differing == []
    never = {"check_tensor_shapes"} if platform.adds_a_batch else set[str]()
    assert set(decided) == {*WORDS, ""} - never
    assert min(decided.values()) >= 10


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_nested_tensors_have_no_fused_kernel_on_a_cpu() -> None:
    platform = platform_here(torch.device("cpu"))
    assert platform is not None
    for one in nested(20):
        choice = choose(problem_of(one.named, settings()), platform)
        assert choice.kernel == chosen(*one.tensors, **one.options) == "math"
        assert choice.verdicts[0].check == "check_nested_tensor"
        assert "Nested Tensor" in (refusal("flash", *one.tensors, **one.options) or "")


def test_the_chosen_one_is_what_runs() -> None:
    q = torch.randn(1, 2, 16, 8)
    for dropout, ran in ((0.0, "flash_attention_for_cpu"), (0.5, "attention_math")):
        with torch.profiler.profile() as profile:
            functional.scaled_dot_product_attention(q, q, q, dropout_p=dropout)
        names = {event.name for event in profile.events() or ()}
        assert f"aten::_scaled_dot_product_{ran}" in names


def attend(*tensors: Any, **options: Any) -> torch.Tensor:
    return functional.scaled_dot_product_attention(*tensors, **options)


def half(*shape: int) -> tuple[torch.Tensor, ...]:
    return tuple(torch.randn(3, *(shape or (2, 4, 32, 64))).half())


def calls(recording: Recording) -> tuple[AttentionView, ...]:
    lab.check(recording, failures=0)
    assert not any(note.about == "attention" for note in recording.notes)
    return build(recording).attentions


def kernels(call: AttentionView) -> dict[str, str]:
    return {choice.target: choice.kernel for choice in call.choices}


def test_a_call_becomes_what_the_rules_say_for_each_target() -> None:
    mask = torch.ones(32, 32, dtype=torch.bool)
    for target, ran in (
        ("cpu", "flash_attention_for_cpu"),
        ("cuda:sm_80", "efficient_attention"),
        ("cuda:sm_90", "cudnn_attention"),
    ):
        [call] = calls(lab.lower(attend, *half(), mask, target=target))
        assert f"`aten._scaled_dot_product_{ran}`" in call.became
        assert call.became.endswith("as PyTorch's rules say.")
        assert call.code.startswith("return functional.scaled_dot")
        assert kernels(call) == {
            "cpu": "flash", "cuda:sm_80": "efficient", "cuda:sm_90": "cudnn",
        }  # fmt: skip


def test_other_lengths_are_not_causal_in_flash_attention() -> None:
    q, k, v = *half()[:1], *half(2, 4, 64, 64)[:2]
    [call] = calls(lab.lower(attend, q, k, v, target="cuda:sm_80", is_causal=True))
    assert "`aten._scaled_dot_product_efficient_attention`" in call.became
    assert not call.differs


def test_what_is_allowed_inside_of_the_function_counts() -> None:
    def only_mathematics(q: torch.Tensor) -> torch.Tensor:
        first = functional.scaled_dot_product_attention(q, q, q)
        with sdpa_kernel([SDPBackend.MATH]):
            second = functional.scaled_dot_product_attention(first, q, q)
        return functional.scaled_dot_product_attention(second, q, q)

    found = calls(lab.lower(only_mathematics, half()[0], target="cuda:sm_90"))
    assert [kernels(call)["cuda:sm_90"] for call in found] == ["cudnn", "math", "cudnn"]
    assert "operators, not one kernel: plain mathematics, as" in found[1].became


def test_what_is_allowed_around_it_counts() -> None:
    with sdpa_kernel([SDPBackend.MATH]):
        [call] = calls(lab.lower(attend, *half(), target="cuda:sm_90"))
    assert set(kernels(call).values()) == {"math"}
    assert not call.differs


def test_attention_by_hand_is_found_by_its_pattern() -> None:
    def by_hand(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return torch.softmax(q @ k.transpose(-2, -1) / 8, -1) @ v

    [call] = calls(lab.lower(by_hand, *torch.randn(3, 2, 4, 32, 64)))
    assert call.origin.startswith("`_sfdp_pattern_1` matched attention written by hand")
    assert call.became.endswith("as PyTorch's rules say.")


@pytest.mark.parametrize(
    ("dropout", "ran"),
    [
        pytest.param(0.0, "flash", marks=pytest.mark.release),
        (0.1, "math"),
    ],
)
def test_a_call_inside_of_a_module(dropout: float, ran: str) -> None:
    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=dropout, batch_first=True).train()
    state = torch.random.get_rng_state()
    [call] = calls(lab.lower(layer, torch.randn(2, 16, 64), grad=True))
    assert call.module.endswith("self_attn")
    assert kernels(call)["cpu"] == ran
    assert not call.differs
    assert ("gradient", "recorded") in call.facts
    torch.random.set_rng_state(state)


def test_autocast_makes_it_half_precision() -> None:
    def cast(q: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return functional.scaled_dot_product_attention(q, q, q)

    [call] = calls(lab.lower(cast, torch.randn(2, 4, 32, 64)))
    assert ("query", "bf16[2, 4, 32, 64]") in call.facts
    assert kernels(call)["cuda:sm_80"] == "flash"


def test_a_mask_keeps_its_type_where_nothing_is_cast() -> None:
    mask = torch.zeros(32, 32)
    q = torch.randn(2, 4, 32, 64, dtype=torch.bfloat16)

    def masked(q: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return functional.scaled_dot_product_attention(q, q, q, attn_mask=mask)

    [call] = calls(lab.lower(masked, q, mask))
    assert ("mask", "f32[32, 32]") in call.facts
    assert not call.differs


def test_open_sizes_have_the_numbers_of_the_call() -> None:
    [call] = calls(lab.lower(attend, *half(), target="cuda:sm_90", dynamic=True))
    assert kernels(call)["cuda:sm_90"] == "cudnn"
    assert "`aten._scaled_dot_product_cudnn_attention`" in call.became


def test_flex_attention_has_a_kernel_of_its_own() -> None:
    def flex(q: torch.Tensor) -> Any:
        return flex_attention(q, q, q)

    [call] = calls(lab.lower(flex, half(1, 2, 128, 16)[0], target="cuda:sm_90"))
    assert call.choices == ()
    assert call.became.startswith("Inductor writes the kernel of `flex_attention` itself")


def test_a_probe_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError("no")

    monkeypatch.setattr("dynamo_lab.capture.attention.attention.settings_after", fail)
    recording = lab.lower(attend, *half())
    assert recording.attentions == ()
    assert [note.about for note in recording.notes if note.level == "failure"] == ["attention"]
    assert recording.captured_graphs()
    assert recording.kernels


def test_one_call_is_asked_about_and_timed() -> None:
    q = torch.randn(1, 2, 16, 8)
    asked = lab.attention(q, q, q, rounds=2, seconds=0.01)
    assert asked.trial.chosen == "flash"
    assert {times.kernel for times in asked.trial.measured} == {"flash", "math"}
    assert all(len(times.seconds) >= 2 for times in asked.trial.measured)
    text = str(asked)
    assert "Here, on cpu, PyTorch chooses flash attention, as its rules say." in text
    dropping = lab.attention(q, q, q, dropout_p=0.5, rounds=0)
    assert dropping.trial.refusals == {
        "flash": "Both fused kernels do not support non-zero dropout."
    }
    assert dropping.trial.measured == ()
    assert "<table>" in dropping._repr_mimebundle_()["text/html"]


def test_what_is_forbidden_is_neither_chosen_nor_timed() -> None:
    q = torch.randn(1, 2, 16, 8)
    with sdpa_kernel([SDPBackend.CUDNN_ATTENTION]):
        asked = lab.attention(q, q, q, rounds=2, seconds=0.01)
    assert asked.trial.chosen == ""
    assert asked.trial.measured == ()
    assert "the call raises an error" in str(asked)


@pytest.mark.parametrize(
    ("given", "options", "says"),
    [
        (None, {}, "query is NoneType: pass a tensor"),
        (torch.ones(1, 1, 1, 8), {"targets": ["abacus"]}, "There is no target 'abacus'"),
    ],
)
def test_bad_input_gets_a_sentence(given: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        lab.attention(given, given, given, **options)
