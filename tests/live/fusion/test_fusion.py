"""What is recorded of the scheduler agrees with PyTorch's own fusion log, and with what runs."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile

import dynamo_lab as lab
from dynamo_lab.model.fusion.fusion import Schedule, fusions
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from tests.live.explored import Explored, Told, each, watched
from tests.live.programs import PROGRAMS


def _recorded(recording: Recording) -> Iterator[Told]:
    """The same from the recording; a verdict that held for several rounds was logged in each."""
    for number, schedule in enumerate(recording.schedules):
        for item in fusions(schedule):
            pair = frozenset(("_".join(item.producer), "_".join(item.consumer)))
            for round_ in range(item.first_round, item.round + 1):
                yield from ((number, round_, pair, reason) for reason in item.reasons)
            if item.outcome == "fused":
                yield number, item.round, pair, "fused"


def norm_then_gelu(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, q: torch.Tensor) -> Any:
    y = functional.layer_norm(x, (64,), w, b)
    return functional.gelu(y) @ q, y.softmax(-1)


def side_by_side(x: torch.Tensor, y: torch.Tensor) -> Any:
    return x.sum(0), x.sum(1), (x + y.t()).sin(), y * 2, x.cumsum(0)


def lists(x: torch.Tensor, y: torch.Tensor) -> Any:
    foreach: Any = torch
    return foreach._foreach_mul(foreach._foreach_add([x, y], 1.0), 2.0)


def arguments(*shapes: tuple[int, ...]) -> tuple[torch.Tensor, ...]:
    return tuple(torch.randn(*shape) for shape in shapes)


OWN: dict[str, tuple[Callable[..., Any], tuple[torch.Tensor, ...], dict[str, Any]]] = {
    "norm": (norm_then_gelu, arguments((128, 64), (64,), (64,), (64, 32)), {}),
    "small groups": (
        norm_then_gelu,
        arguments((128, 64), (64,), (64,), (64, 32)),
        {"options": {"max_fusion_size": 2}},
    ),
    "side by side": (side_by_side, arguments((64, 64), (64, 64)), {}),
    "dynamic": (side_by_side, arguments((64, 64), (64, 64)), {"dynamic": True}),
    "lists": (lists, arguments((32,), (64,)), {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", each([*PROGRAMS, *OWN]))
def test_verdicts_agree_with_the_fusion_log_pair_by_pair(
    name: str, explored: Callable[[str], Explored]
) -> None:
    found = watched(*OWN[name]) if name in OWN else explored(name)
    lab.check(found.recording, failures=0)
    assert set(_recorded(found.recording)) == found.fusions
    if name in OWN and name != "lists":
        assert found.fusions


def _groups(schedule: Schedule) -> list[set[str]]:
    return [
        {schedule.operations[index].name for index in schedule.groups[place.group].operations}
        for place in schedule.final
    ]


def test_groups_are_tied_to_their_kernels() -> None:
    recording = lab.explore(norm_then_gelu, *OWN["norm"][1])
    (schedule,) = recording.schedules
    assert sorted(name for group in _groups(schedule) for name in group) == sorted(
        item.name for item in schedule.operations
    )
    kernels = {place.kernel for place in schedule.final}
    assert kernels == {kernel.id for kernel in recording.kernels}
    assert any(len(group) > 4 for group in _groups(schedule))
    (product,) = [item for item in schedule.operations if item.kind == "extern"]
    assert {product.name} in _groups(schedule)


def test_a_setting_that_refuses_is_named() -> None:
    recording = lab.explore(norm_then_gelu, *OWN["small groups"][1], **OWN["small groups"][2])
    refused = [item for item in recording.fusions if "exceeds max fusion" in item.reasons]
    found = recording.why_not_fused(refused[0].producer[0], refused[-1].consumer[-1])
    told = [recording.why_not_fused(r.producer[0], r.consumer[-1]) for r in refused]
    assert any("max_fusion_size" in change for one in told for change in one.changes)
    assert found.title


def test_two_that_share_nothing_were_never_a_pair() -> None:
    def apart(x: torch.Tensor, y: torch.Tensor) -> Any:
        return x.sin(), y.cos()

    recording = lab.explore(apart, torch.randn(8), torch.randn(16))
    assert recording.fusions == ()
    assert "never were a pair" in recording.why_not_fused("buf0", "buf1").sentences[0]


def test_what_reads_a_concatenation_is_said_to_read_its_parts_by_another_name() -> None:
    """As it is told what to write instead, that is then fused."""

    def after(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.cat([x * 2, y.relu()]).sum(1)

    def before(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.cat([(x * 2).sum(1), y.relu().sum(1)])

    given = torch.randn(128, 64), torch.randn(64, 64)
    apart, together = (lab.lower(fn, *given, target="cpu") for fn in (after, before))
    told = apart.why_not_fused("buf0", "buf3")
    assert "under another name" in told.sentences[0]
    assert "the parts" in told.changes[0]
    made = [schedule.operations for schedule in together.schedules]
    assert [len(operations) for operations in made] == [3], "two sums, and what joins them"


def test_the_same_code_called_twice_is_not_one_kernel_with_two_loops() -> None:
    def program(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return ((x @ w).relu() @ w).relu() @ w

    recording = lab.lower(program, torch.randn(8, 8), torch.randn(8, 8), target="cpu")
    assert {kernel.calls for kernel in recording.kernels} == {2, 3}
    (view,) = build(recording).fusions.schedules
    assert not any("each with its own loop" in sentence for sentence in view.sentences)


@pytest.mark.slow
def test_forward_and_backward_have_a_schedule_each() -> None:
    layer = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 4))
    recording = lab.explore(layer, torch.randn(8, 16), grad=True)
    sides = [recording.graphs[item.graph].is_backward for item in recording.schedules]
    assert sides == [False, True]
    assert [plan.schedule for plan in recording.memory_plans] == [0, 1]


def chain(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Products, whose results are handed on: buffers that are freed and taken over."""
    for _ in range(4):
        x = (x @ w).relu() + 1
    return x


@pytest.mark.parametrize("dynamic", [False, True])
def test_the_peak_is_what_the_profiler_sees(dynamic: bool) -> None:
    args = torch.randn(64, 48), torch.randn(48, 48)
    recording = lab.explore(chain, *args, dynamic=dynamic)
    plan = build(recording).fusions.schedules[0].memory[0]
    compiled = torch.compile(chain, dynamic=dynamic)
    compiled(*args)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as watched:
        kept = compiled(*args)
    profiler: Any = watched.profiler
    changes = sorted(
        (event.start_ns(), event.nbytes())
        for event in profiler.kineto_results.events()
        if event.name() == "[memory]"
    )
    live = peak = 0
    for _, size in changes:
        live += size
        peak = max(peak, live)
    assert kept.shape == (64, 48)
    assert plan.peak_bytes == peak


def test_buffers_are_written_over() -> None:
    recording = lab.explore(chain, torch.randn(64, 48), torch.randn(48, 48))
    (plan,) = recording.memory_plans
    assert Counter(event.kind for event in plan.events)["in_place"] == 4
    assert len(plan.steps) == 8
    assert all(step.operations and step.kernel is not None for step in plan.steps)


def ordered(x: torch.Tensor) -> Any:
    """Two results of one call of a library, which come last: nothing runs after them."""
    return (x + 1).sort()


def test_several_results_of_a_library_are_allocated_by_its_call() -> None:
    recording = lab.explore(ordered, torch.randn(1000))
    (plan,) = recording.memory_plans
    assert [step.name for step in plan.steps][1:] == ["torch.ops.aten.sort.stable"]
    memory = build(recording).fusions.schedules[0].memory[0]
    assert (memory.peak, memory.peak_bytes) == (1, 4000 + 4000 + 8000)


def test_memory_is_taken_over() -> None:
    def products(x: torch.Tensor) -> torch.Tensor:
        return x @ x @ x @ x @ x

    recording = lab.explore(products, torch.randn(48, 48))
    (plan,) = recording.memory_plans
    kinds = [event.kind for event in plan.events if event.kind != "free"]
    assert kinds == ["allocate", "allocate", "reuse", "reuse"]
