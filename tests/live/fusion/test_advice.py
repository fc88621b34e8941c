"""Each change that is advised for a pair that is not fused is made, and the pair is fused."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
import torch
import torch._inductor.lowering  # before CUTLASS's modules, which import each other in 2.15
from torch._inductor import config, scheduler
from torch._inductor.codegen import simd
from torch._inductor.codegen.cutlass import scheduling

import dynamo_lab as lab
from dynamo_lab.model.recording import Recording
from dynamo_lab.record.switches import SWITCHES
from dynamo_lab.view import build
from dynamo_lab.view.fusion import advice
from dynamo_lab.view.fusion.advice import loops, sentences, templates, verdicts
from dynamo_lab.view.fusion.why_not import answer

Options = dict[str, Any]


class Trial(NamedTuple):
    """A program with two operations that are not fused, and how they become one group."""

    fn: Callable[..., Any]
    size: tuple[int, ...] = (64, 64)
    earns: Options = {}  # noqa: RUF012
    mended: Options = {}  # noqa: RUF012
    mended_fn: Callable[..., Any] | None = None
    target: str = ""


def sine_and_cosine(x: torch.Tensor, y: torch.Tensor) -> Any:
    return x.sin() + y, x.cos() - y


def apart(x: torch.Tensor, y: torch.Tensor) -> Any:
    return x.sin(), y.cos()


def together(x: torch.Tensor, y: torch.Tensor) -> Any:
    return x.sin(), x.cos()


def product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return (x @ y).relu()


def twenty(x: torch.Tensor, y: torch.Tensor) -> Any:
    return tuple((x * number + 1).sin() for number in range(2, 22))


def three(x: torch.Tensor, y: torch.Tensor) -> Any:
    return x.sin(), x.sum(1), x.cos()


def sum_of_the_whole(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.cat([x.sin(), y.cos()]).sum(0)


def sums_of_the_parts(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x.sin().sum(0) + y.cos().sum(0)


MORE_BUFFERS = "Raise `torch._inductor.config.max_fusion_unique_io_buffers`, or set it to None."
TRIALS = {
    "Lower `torch._inductor.config.score_fusion_memory_threshold` (10 bytes by default).": Trial(
        together, (2,), mended={"score_fusion_memory_threshold": 1}
    ),
    MORE_BUFFERS: Trial(
        sine_and_cosine,
        earns={"max_fusion_unique_io_buffers": 2},
        mended={"max_fusion_unique_io_buffers": None},
    ),
    "Raise `torch._inductor.config.max_fusion_size` (64 by default).": Trial(
        twenty, earns={"max_fusion_size": 2}, mended={"cpp.max_horizontal_fusion_size": 64}
    ),
    "Raise `torch._inductor.config.cpp.max_horizontal_fusion_size`.": Trial(
        twenty, mended={"cpp.max_horizontal_fusion_size": 64}
    ),
    "Raise `torch._inductor.config.max_fusion_buffer_group_pairwise_attempts` (64 by default).": (
        Trial(three, earns={"max_fusion_buffer_group_pairwise_attempts": 1})
    ),
    verdicts.UNSEEN["Inductor"]["apart"].change: Trial(apart, mended_fn=together),
    verdicts.UNSEEN["Inductor"]["part"].change: Trial(
        sum_of_the_whole, mended_fn=sums_of_the_parts
    ),
    sentences.LIBRARY: Trial(product, target="cuda:sm_90"),
}
BY_NAME = {
    "prologue_fusion": (scheduler, "prologue fusion turned off"),
    "triton.tiling_prevents_pointwise_fusion": (simd, "tiling mismatch"),
    "triton.tiling_prevents_reduction_fusion": (simd, "invalid tiling for reduction"),
    "cuda.cutlass_epilogue_fusion_enabled": (scheduling, "cutlass epilogue fusion is not"),
}
"""Settings of GPUs: PyTorch's source has the reason where it asks for the setting."""


def recorded(trial: Trial, options: Options, *, is_mended: bool = False) -> Recording:
    fn = trial.mended_fn if is_mended and trial.mended_fn else trial.fn
    args = torch.randn(trial.size), torch.randn(trial.size)
    torch._dynamo.reset()
    if trial.target:
        mode = "max-autotune" if is_mended else None
        return lab.lower(fn, *args, target=trial.target, mode=mode)
    return lab.explore(fn, *args, options=options)


def changes(recording: Recording) -> set[str]:
    """What is advised on any two operations."""
    view = build(recording).fusions
    (schedule,) = view.schedules
    pairs = [(one, other) for one in range(len(schedule.operations)) for other in range(one)]
    told = (answer(schedule, one, other, view.unseen[schedule.compiler]) for one, other in pairs)
    return {change for found in told for change in found.changes}


def groups(recording: Recording) -> int:
    (schedule,) = recording.schedules
    return len(schedule.final)


@pytest.mark.slow
@pytest.mark.parametrize("change", TRIALS)
def test_the_change_that_is_advised_fuses_the_pair(change: str) -> None:
    trial = TRIALS[change]
    before = recorded(trial, trial.earns)
    assert change in changes(before)
    after = recorded(trial, trial.mended, is_mended=True)
    assert groups(after) < groups(before)
    assert change not in changes(after)


def test_independent_kernels_become_one_on_a_gpu() -> None:
    args = torch.randn(64, 64), torch.randn(64, 64)
    alone = lab.lower(apart, *args, target="cuda:sm_90")
    combined = lab.lower(apart, *args, target="cuda:sm_90", options={"combo_kernels": True})
    assert (len(alone.kernels), len(combined.kernels)) == (2, 1)


def sums(x: torch.Tensor, y: torch.Tensor) -> Any:
    return x.sum(1), y.sum(1)


@pytest.mark.parametrize(("fn", "threshold", "left"), [(apart, 10, 2), (apart, 0, 1), (sums, 0, 2)])
def test_what_aggressive_fusion_changes_is_what_its_switch_says(
    fn: Any, threshold: int, left: int
) -> None:
    """By itself nothing, and it is advised nowhere."""
    args = torch.randn(64, 64), torch.randn(64, 64)
    asked = {"aggressive_fusion": True, "score_fusion_memory_threshold": threshold}
    assert groups(lab.lower(fn, *args, target="cuda:sm_90", options=asked)) == left
    (switch,) = [one for one in SWITCHES if one.name == "aggressive_fusion"]
    assert "unless its score_fusion_memory_threshold is 0" in switch.sentence


@pytest.mark.parametrize("name", BY_NAME)
def test_pytorch_itself_decides_by_the_setting(name: str) -> None:
    module, reason = BY_NAME[name]
    option = name.rpartition(".")[2]
    text = inspect.getsource(module)
    at = text.index(reason)
    assert option in text[max(0, at - 1500) : at + 200]
    holder: Any = config
    for part in name.split("."):
        holder = getattr(holder, part)
    assert isinstance(holder, bool)


def advised() -> Iterator[str]:
    """Every change that the product can advise."""
    tables = (advice._REASONS, templates.PARTS, verdicts.CHECKS, verdicts.UNSEEN["Inductor"])
    yield from (item.change for table in tables for item in table.values())
    yield from (verdicts.POSSIBLE.change, verdicts.POSTPONED.change)


def test_no_advice_is_without_a_trial() -> None:
    tried = [*TRIALS, *(f"Set `torch._inductor.config.{name} = " for name in BY_NAME)]
    assert [text for text in advised() if text and not text.startswith(tuple(tried))] == []
    assert inspect.getsource(loops.of_loops).count("Raise `") == 1
