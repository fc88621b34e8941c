"""Kernels against eager's operators on real programs: what is timed and tied, never how long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.bench import eager_way
from dynamo_lab.bench.compiled_way import CompiledWay
from dynamo_lab.bench.kernel_times import KernelTimes, time_kernels
from dynamo_lab.capture.kernels.kernel_calls import wrapped
from dynamo_lab.measure.devices import Cpu
from dynamo_lab.measure.rounds import Plan, Watch
from dynamo_lab.measure.subject import Subject
from dynamo_lab.model.benchmarks import Benchmark, Phase, Way
from dynamo_lab.model.validate import validate

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording

pytestmark = pytest.mark.live

PLAN = Plan(rounds=2, warmup=1, seconds=1000)


class Ticking(Cpu):
    """Its clock goes on by one with each look at it: whatever is timed takes 1."""

    def __init__(self) -> None:
        self._now = 0
        super().__init__(self._tick)

    def _tick(self) -> float:
        self._now += 1
        return self._now

    def flush(self) -> None:
        """Nothing to flush: no time is told."""


class Layers(torch.nn.Module):
    """Two layers alike, so that each kernel is called twice or reads what another computed."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = torch.nn.Linear(16, 16), torch.nn.Linear(16, 16)
        self.norm = torch.nn.LayerNorm(16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.tanh(self.one(self.norm(x))) + x
        return torch.tanh(self.two(self.norm(x))) + x


def timed(
    program: Any,
    *args: torch.Tensor,
    phase: Phase = "forward",
    compiled_with: dict[str, Any] | None = None,
    **options: Any,
) -> tuple[Recording, KernelTimes]:
    leaves = dict(program.named_parameters()) if isinstance(program, torch.nn.Module) else {}
    subject = Subject(program, args, {}, leaves)
    compiled = torch.compile(program, **(compiled_with or {}))
    with lab.record() as recorder:
        subject.call(compiled, phase)()
    recording = recorder.recording
    found = time_kernels(
        recording, subject, compiled, phase=phase, device=Ticking(), plan=PLAN, **options
    )
    return recording, found


def operators(found: KernelTimes, group: int, *, backward: bool = False) -> list[str]:
    calls = [found.eager_calls[at] for at in found.groups[group].eager]
    return [call.operator for call in calls if call.is_backward == backward]


@pytest.mark.slow
def test_every_kernel_and_operator_of_a_step_is_timed_and_in_one_group() -> None:
    model = Layers()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    engine = vars(torch.autograd)["_engine_run_backward"]
    recording, found = timed(model, torch.randn(8, 16), phase="step")
    assert {row.kernel for row in found.kernels} == set(range(len(recording.kernels)))
    assert all(row.warm == (row.calls, row.calls) for row in found.kernels)
    assert all(len(row.cold) == 2 for row in (*found.kernels, *found.eager_calls))
    assert all(row.warm == (row.calls, row.calls) for row in found.eager_calls)
    for field, rows in (("kernels", found.kernels), ("eager", found.eager_calls)):
        grouped = [at for group in found.groups for at in getattr(group, field)]
        assert sorted(grouped) == list(range(len(rows)))
    own, eager = found.overheads
    assert own.problem == ""
    assert {len(own.whole), len(own.stubbed), len(own.launch), len(eager.whole)} == {2}
    kept = Benchmark(
        title="layers",
        ways=(Way(name="eager", kind="eager"), Way(name="compiled", kind="compiled")),
        kernels=found.kernels,
        eager_calls=found.eager_calls,
        groups=found.groups,
        overheads=found.overheads,
    )
    assert validate(recording.with_benchmark(kept)) is None
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert all(parameter.grad is None for parameter in model.parameters())
    assert vars(torch.autograd)["_engine_run_backward"] is engine
    for module, _ in wrapped(recording).live:
        assert "_dynamo_lab_call" not in vars(module)
        assert "_dynamo_lab_call" not in module.call.__code__.co_names


@pytest.mark.slow
def test_each_call_of_a_kernel_replaces_the_operators_of_its_own_layer() -> None:
    recording, found = timed(Layers(), torch.randn(8, 16))
    products = [row for row in found.kernels if recording.kernels[row.kernel].language == "extern"]
    assert len(products) == 2
    for at, row in enumerate(found.kernels):
        group = next(n for n, group in enumerate(found.groups) if at in group.kernels)
        replaced = operators(found, group)
        if row in products:
            assert "aten.addmm.default" in replaced
            assert not any("layer_norm" in name or "tanh" in name for name in replaced)
    ours = [n for n, g in enumerate(found.groups) if g.kernels]
    norms = [n for n in ours if "aten.native_layer_norm.default" in operators(found, n)]
    assert len(norms) == 2
    assert sorted(operators(found, norms[1])) == [
        "aten.add.Tensor",
        "aten.native_layer_norm.default",
        "aten.tanh.default",
    ]


@pytest.mark.slow
def test_gradients_belong_to_the_node_whose_they_are() -> None:
    recording, found = timed(Layers(), torch.randn(8, 16, requires_grad=True), phase="step")
    backward = [call for call in found.eager_calls if call.is_backward]
    named = {
        (call.operator, recording.graphs[call.graph].nodes[call.node].target)
        for call in backward
        if call.graph is not None and call.node is not None
    }
    assert ("aten.tanh_backward.default", "torch.tanh") in named
    assert any("native_layer_norm_backward" in operator for operator, _ in named)
    gradients = {
        kernel
        for n, group in enumerate(found.groups)
        if any("tanh_backward" in name for name in operators(found, n, backward=True))
        for kernel in group.kernels
    }
    wrappers = recording.wrappers
    used = [recording.kernels[found.kernels[at].kernel].wrapper for at in gradients]
    assert used
    assert all(at is not None and wrappers[at].is_backward for at in used)


@pytest.mark.slow
def test_a_program_that_cannot_run_without_its_kernels_is_timed_with_them() -> None:
    def breaks(x: torch.Tensor) -> torch.Tensor:
        y = x.sin() + 1
        if y.sum() > 0:
            y = y.cos() * 2
        return y

    recording, found = timed(breaks, torch.ones(64))
    assert len(recording.captured_graphs()) == 2
    assert len(found.kernels) == len(recording.kernels) == 2
    assert {"aten.sin.default", "aten.cos.default"} <= {call.operator for call in found.eager_calls}
    assert found.overheads[0].stubbed == ()
    assert "breaks" in found.overheads[0].problem


def test_a_kernel_that_writes_over_its_input_runs_alone_and_changes_nothing() -> None:
    def program(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x @ w)  # in the memory of the product

    x, w = torch.randn(16, 16), torch.randn(16, 16)
    compiled = torch.compile(program)
    returned: list[torch.Tensor] = []
    with lab.record() as recorder:
        compiled(x, w)
    way = CompiledWay(
        recorder.recording, lambda: returned.append(compiled(x, w)), Ticking(), PLAN, [program]
    )
    assert "in_out_ptr" in recorder.recording.kernels[-1].code
    assert set(way.cold()["kernels"]().values()) == {1}
    assert torch.equal(returned[-1], returned[0])
    way.warm()["stubbed"]()
    assert way.not_stubbed == ""
    assert torch.equal(compiled(x, w), returned[0])


def test_what_the_program_changes_is_put_back() -> None:
    state = torch.zeros(16)

    def counts(x: torch.Tensor) -> torch.Tensor:
        state.add_(1)
        return x * state

    _, found = timed(counts, torch.ones(16))
    assert found.overheads[0].problem == ""
    assert torch.equal(state, torch.ones(16))  # what the recorded call made of it


def test_what_was_stopped_keeps_whole_rounds_and_the_reason_is_told_without_kernels() -> None:
    watch = Watch()
    watch.stop()
    _, found = timed(torch.tanh, torch.ones(16), watch=watch)
    assert found.kernels
    assert all(row.warm == row.cold == () for row in found.kernels)
    _, found = timed(lambda x: x.view(4, 4), torch.ones(16))
    assert found.overheads[0].problem == "The recording has no kernels."


@pytest.mark.slow
def test_shapes_that_may_vary_and_a_wrapper_in_cpp() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, -1)

    _, found = timed(program, torch.ones(6, 7), compiled_with={"dynamic": True})
    assert [call.operator for call in found.eager_calls] == ["aten._softmax.default"]
    assert found.groups[0].kernels
    _, found = timed(program, torch.ones(6, 7), compiled_with={"options": {"cpp_wrapper": True}})
    assert "C++" in found.overheads[0].problem


def test_numbers_that_become_symbols_do_not_hide_operators() -> None:
    """A batch norm that trains counts its batches."""
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8))
    recording, found = timed(model, torch.randn(4, 8))
    assert recording.symbols
    assert "aten.native_batch_norm.default" in {call.operator for call in found.eager_calls}
    assert found.overheads[1].problem == ""


def test_graphs_that_the_recording_does_not_have_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CompiledWay, "captured", lambda self: [])
    _, found = timed(torch.tanh, torch.ones(16))
    assert found.kernels[0].warm == (1, 1)
    assert found.eager_calls == ()
    assert "other graphs than the recording has" in found.overheads[1].problem


def test_operators_that_cannot_be_timed_one_by_one_leave_the_kernels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_: Any) -> str:
        raise NotImplementedError("no rule for this mode")

    monkeypatch.setattr(eager_way, "arguments_text", fails)
    _, found = timed(torch.tanh, torch.ones(16))
    assert found.kernels[0].warm == (1, 1)
    assert found.eager_calls == ()
    assert "NotImplementedError: no rule for this mode" in found.overheads[1].problem


@pytest.mark.slow
def test_operators_that_only_observing_runs_are_not_timed() -> None:
    x = torch.rand(16, 16, requires_grad=True)
    found = lab.bench(
        lambda x: torch.cumprod(x, 1).sum(), x, training=True, cold=False, rounds=1, seconds=0.1
    ).facts
    gone = [one for one in found.eager_calls if one.problem]
    assert gone
    assert all(one.is_backward and not one.warm and not one.cold for one in gone)
    kept = {one.operator for one in found.eager_calls if one.warm}
    assert {"aten.cumprod.default", "aten.sum.default"} <= kept
    problems = [one.problem for one in found.overheads if one.way == 0]
    assert any("another path" in one and "gradient of cumprod" in one for one in problems)


@pytest.mark.slow
def test_the_kernels_of_the_backend_lab_are_timed_in_place_and_alone() -> None:
    model = Layers()
    x = torch.randn(8, 16)
    before = x.clone()
    recording, found = timed(model, x, compiled_with={"backend": "lab"}, backend="lab")
    assert {recording.kernels[row.kernel].language for row in found.kernels} == {"c", "extern"}
    assert {row.kernel for row in found.kernels} == set(range(len(recording.kernels)))
    assert all(row.warm == (1, 1) and len(row.cold) == 2 for row in found.kernels)
    own, _ = found.overheads
    assert own.problem == ""
    assert len(own.stubbed) == len(own.launch) == 2
    for at, row in enumerate(found.kernels):
        group = next(n for n, group in enumerate(found.groups) if at in group.kernels)
        replaced = operators(found, group)
        assert replaced, recording.kernels[row.kernel].name
    assert torch.equal(x, before)
    for module, _ in wrapped(recording).live:
        assert not [name for name in vars(module) if name.startswith("_dynamo_lab")]


def test_what_a_kernel_of_the_backend_lab_writes_is_put_back_after_it_ran_alone() -> None:
    x = torch.zeros(5)

    def count(x: torch.Tensor) -> torch.Tensor:
        return x.add_(1) * 2

    _, found = timed(count, x, compiled_with={"backend": "lab"}, backend="lab")
    (row,) = found.kernels
    assert row.cold
    assert torch.equal(x, torch.ones(5))  # the recorded call's own, and nothing of the rounds


def test_a_copy_that_the_wrapper_makes_by_a_method_is_timed_and_replaces_eagers_own() -> None:
    recording, found = timed(lambda x: x.to(torch.complex64) * 2, torch.randn(4, 4))
    [copy] = [at for at, one in enumerate(recording.kernels) if one.name == "aten.copy_"]
    [at] = [at for at, row in enumerate(found.kernels) if row.kernel == copy]
    assert found.kernels[at].warm
    [group] = [n for n, one in enumerate(found.groups) if at in one.kernels]
    assert operators(found, group) == ["aten._to_copy.default"]
