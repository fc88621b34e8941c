"""How long guards take: what is measured belongs to the guards, and filters drop what is said."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from msgspec import structs

import dynamo_lab as lab
from dynamo_lab.api.recording import run
from dynamo_lab.capture.core.compiled_apart import compiled_apart
from dynamo_lab.capture.guards import costs
from dynamo_lab.errors import GuardsError
from dynamo_lab.view import build
from tests.findings.faults import findings_of
from tests.findings.times import timed

pytestmark = pytest.mark.live


class Block(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)
        self.scale = 2.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.inner(x)) * self.scale


def _blocks() -> torch.nn.Module:
    return torch.nn.Sequential(*(Block() for _ in range(6)))


def _recorded(**options: Any) -> Any:
    return lab.explore(_blocks(), torch.ones(2, 4), backend="eager", grad=False, **options)


def test_a_check_is_timed_for_each_compilation_unasked() -> None:
    recording = _recorded()
    [found] = recording.guard_times
    guards = [one for one in recording.guards if one.kind != "NO_TENSOR_ALIASING"]
    assert (found.compile_id, found.guards) == ("0/0", len(guards))
    assert found.seconds > 0
    assert found.branches == ()
    [shown] = build(recording).guards.costs
    assert shown.rows == ()


def test_a_lowering_times_nothing() -> None:
    assert lab.lower(lambda x: x.exp() + 4.5, torch.ones(8)).guard_times == ()


def test_values_are_timed_when_asked_for_and_nothing_is_compiled() -> None:
    recording = _recorded()
    [found] = recording.time_guards().guard_times
    modules = [one for one in found.branches if "_modules[" in one.source]
    assert len(modules) == 6
    assert len({one.values for one in modules}) == 1  # they are alike
    sources = [one.source for one in found.branches]
    assert len(sources) == len(set(sources))
    assert not [a for a in sources for b in sources if a != b and a.startswith(f"{b}[")]
    assert all(one.seconds >= 0 for one in found.branches)
    assert found.state is not None


def test_copies_hold_the_values_they_are_about() -> None:
    recording = _recorded()
    checks = recording.session.checks
    assert checks is not None
    x = torch.ones(2, 4)
    with torch.no_grad(), checks._called(*_frame(checks), (x,), {}, {}) as ([(_, made)], values):
        root = made.root
        nodes = costs._size(root)
        assert costs._size(costs._copy(root, ())) == 1
        parts = costs._branches(root)
        for part in parts:
            copy = costs._copy(root, (part.node.get_source(),), within=True)
            assert part.size < costs._size(copy) < nodes
            assert copy.check(values)
        wrong = {**values, "args": (torch.ones(3, 4),)}
        [of_x] = [part for part in parts if part.node.get_source() == "L['args']"]
        assert not costs._copy(root, (of_x.node.get_source(),), within=True).check(wrong)


def _frame(checks: Any) -> tuple[int]:
    return (checks.frames()[0],)


def test_a_parameter_is_one_though_its_guard_keeps_no_reference() -> None:
    """As guards of torch 2.11."""
    source = SimpleNamespace(
        is_unspecialized_builtin_nn_module=bool, is_unspecialized_nn_module=bool
    )
    guards = [
        SimpleNamespace(name=name, create_fn_name=lambda: "TENSOR_MATCH", source=source)
        for name in ("L['p']", "L['x']", "G['p']", "___helper(L['x'])")
    ]
    tensors = {"p": torch.nn.Parameter(torch.ones(2)), "x": torch.ones(2)}
    kept = costs.kept_by_filters(guards, {"L": tensors, "G": tensors})
    assert kept["keep_tensor_guards_unsafe"].guards == 2


@pytest.mark.slow
def test_what_a_filter_keeps_is_what_it_keeps_when_compiled_with_it() -> None:
    recording = _recorded()
    [found] = recording.time_guards().guard_times
    told = {one.name: one.kept for one in found.filters}
    assert list(told) == list(costs.FILTERS)
    assert told["skip_all_guards_unsafe"] == 0
    for name in costs.FILTERS:
        kept: list[bool] = []

        def decide(entries: Any, name: str = name, kept: list[bool] = kept) -> Any:
            kept[:] = getattr(torch.compiler, name)(entries)
            return list(kept)

        again = _recorded(options={"guard_filter_fn": decide})
        assert again.failure is None
        assert sum(kept) == told[name]
        checked = [one for one in again.guards if one.kind != "NO_TENSOR_ALIASING"]
        assert len(checked) == again.guard_times[0].guards == told[name]


def test_without_a_program_it_says_what_to_do() -> None:
    with lab.record() as recorder:
        torch.compile(_blocks(), backend="eager")(torch.ones(2, 4))
    with pytest.raises(GuardsError, match=r"lab\.explore"):
        recorder.recording.time_guards()


def test_options_keep_their_filter_for_the_next_compilation() -> None:
    asked = {"guard_filter_fn": torch.compiler.skip_all_guards_unsafe}
    lab.explore(lambda x: x + 1, torch.ones(4), options=asked)
    assert asked == {"guard_filter_fn": torch.compiler.skip_all_guards_unsafe}


def test_a_filter_is_dynamos_also_when_compiled_apart() -> None:
    options = {"guard_filter_fn": torch.compiler.skip_all_guards_unsafe}
    calls: list[int] = []

    def backend(graph: Any, inputs: Any) -> Any:
        calls.append(1)
        return graph

    fn = compiled_apart(
        lambda x: x + 1, backend, mode=None, dynamic=None, fullgraph=False, options=options
    )
    fn(torch.ones(4))
    fn(torch.ones(5))  # which only guards would notice
    assert len(calls) == 1


@pytest.mark.slow
def test_the_remedy_is_applied_and_drops_the_guards() -> None:
    net = _blocks()
    recording = lab.explore(net, torch.ones(2, 4), backend="aot_eager", grad=False)
    found = recording.time_guards().guard_times[0]
    filters = tuple(structs.replace(one, seconds=5e-6 + one.kept * 1e-9) for one in found.filters)
    slow = structs.replace(found, seconds=50e-6, filters=filters)
    benchmark = timed(recording, eager=90, overhead=80, kernels=[]).benchmark
    assert benchmark is not None
    made = type(recording).of(structs.replace(recording, guard_times=(slow,)), recording.session)
    made = made.with_benchmark(benchmark)
    [one] = [one for one in made.findings if one.rule == "guard-checks"]
    assert "skip_guard_on_inbuilt_nn_modules_unsafe" in one.code
    assert one.grade == "may change meaning"
    applied = one.apply()
    assert applied.numbers.same
    [before], [after] = recording.guard_times, applied.recording.guard_times
    told = {one.name: one.kept for one in found.filters}
    kept = told["skip_guard_on_inbuilt_nn_modules_unsafe"]
    assert after.guards == kept < before.guards
    assert applied.recording.environment.options["options"]


def test_guards_that_take_little_are_no_finding() -> None:
    recording = _recorded().time_guards()
    quick = structs.replace(recording.guard_times[0], seconds=5e-6)
    facts = structs.replace(recording, guard_times=(quick,))
    found = findings_of(timed(facts, eager=90, overhead=80, kernels=[]))
    assert not [one for one in found if one.rule == "guard-checks"]


def test_a_view_times_guards_and_keeps_the_program() -> None:
    recording = lab.explore(lambda x: x.sin() + 1, torch.ones(4), backend="eager")
    label, outcome, made = run(recording, "time_guards", {})
    assert (label, outcome) == ("guards timed", {"state": "done"})
    assert made.guard_times[0].branches
    assert isinstance(made, lab.Recording)
    assert made.runs() is not None
