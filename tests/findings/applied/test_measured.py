"""Remedies of findings that rest on times or sizes to come: what they change is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from msgspec.structs import replace

import dynamo_lab as lab
from dynamo_lab.view.lowering.cudagraphs import launches, use_of
from tests.findings.faults import findings_of, program, recorded
from tests.findings.measured_faults import FAULTS as MEASURED
from tests.findings.memory_faults import FAULTS as MEMORY

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.findings.finding import Finding

pytestmark = pytest.mark.live
_TORCH: Any = torch
inductor = _TORCH._inductor.config

GROWING = """
    import torch

    def attend(x):
        return (x.sin() @ x.T).sum(0)

    def record(lab, mode="reduce-overhead"):
        return lab.lower(attend, torch.randn(8, 8), mode=mode, target="cuda:sm_90", dynamic=True)
"""


def _one(recording: Recording, rule: str) -> Finding:
    [found] = [one for one in findings_of(recording) if one.rule == rule]
    return found


def test_graphs_with_open_sizes_are_left_out_of_cuda_graphs_and_no_more_is_said(
    tmp_path: Path,
) -> None:
    found = _one(recorded(GROWING, tmp_path, "growing"), "cuda-graph-per-size")
    with inductor.patch({"triton.cudagraph_skip_dynamic_graphs": False}):
        exec(found.code, {"torch": torch})
        assert inductor.triton.cudagraph_skip_dynamic_graphs
        after = recorded(GROWING, tmp_path, "left_out")
    assert [use_of(one) for one in after.cuda_graphs] == ["not used"]
    assert not any(one.rule.startswith("cuda-graph") for one in findings_of(after))


def test_fixed_sizes_are_recorded_once(tmp_path: Path) -> None:
    fixed = GROWING.replace(", dynamic=True", "")
    after = recorded(fixed, tmp_path, "padded")
    assert [use_of(one) for one in after.cuda_graphs] == ["used"]
    assert not any(one.rule.startswith("cuda-graph") for one in findings_of(after))


def test_one_cuda_graph_replays_what_python_launched(tmp_path: Path) -> None:
    fault = MEASURED["gpu_that_waits_for_python"]
    made = program(fault.source, tmp_path, "waits")
    found = _one(made.record(lab), "call-overhead")
    assert found.code == "torch.compile(fn, mode='reduce-overhead')"
    x = torch.randn(8, 8)
    after = lab.lower(made.steps, x, target="cuda", mode="reduce-overhead")
    [used] = after.cuda_graphs
    before, now = launches(used)
    assert use_of(used) == "used"
    assert now == 1 <= before


def test_a_compiled_loop_is_one_call_of_all_steps(tmp_path: Path) -> None:
    made = program(MEASURED["tiny_function"].source, tmp_path, "tiny")
    found = _one(made.record(lab), "call-overhead")
    assert found.code.startswith("@torch.compile\n")
    calls = list[str]()

    def counted(graph: torch.fx.GraphModule, _: Any) -> Any:
        def run(*values: Any) -> Any:
            calls.append("")
            return graph(*values)

        return run

    def all_steps(x: torch.Tensor) -> torch.Tensor:
        for _ in range(5):
            x = made.fn(x)
        return x

    x = torch.randn(8)
    one: Any = torch.compile(made.fn, backend=counted)
    step = x
    for _ in range(5):
        step = one(step)
    assert len(calls) == 5
    calls.clear()
    together: Any = torch.compile(all_steps, backend=counted)
    torch.testing.assert_close(together(x), step)
    assert len(calls) == 1


def test_more_data_at_once_is_one_call_of_all_samples(tmp_path: Path) -> None:
    made = program(MEASURED["method_called_for_each_sample"].source, tmp_path, "samples")
    assert "pass more data at once" in _one(made.record(lab), "call-overhead").remedy
    calls = list[int]()

    def counted(graph: torch.fx.GraphModule, _: Any) -> Any:
        def run(*values: Any) -> Any:
            calls.append(len(calls))
            return graph(*values)

        return run

    policy, states = made.Policy(), torch.randn(5, 4)
    compiled: Any = torch.compile(policy, backend=counted)
    one_by_one = torch.cat([compiled(state[None]) for state in states])
    assert len(calls) == 5
    calls.clear()
    torch.testing.assert_close(compiled(states), one_by_one)
    assert len(calls) == 1


def test_a_part_that_is_left_to_eager_is_in_no_kernel_and_breaks_the_graph(tmp_path: Path) -> None:
    fault = MEASURED["one_of_two_kernels"]
    was = program(fault.source, tmp_path, "slow")
    found = next(one for one in findings_of(was.record(lab)) if one.rule == "slow-kernel")
    assert found.code.startswith("@torch.compiler.disable")
    assert found.gain
    assert "not counting the break" in found.gain.how
    source = fault.source.replace(
        "        def fn(x, w):",
        "        @torch.compiler.disable\n        def part(y):\n"
        "            return y.cumsum(0) * 2\n\n        def fn(x, w):",
    ).replace("return y.cumsum(0) * 2  # fault", "return part(y)")
    made = program(source, tmp_path, "left")
    x, w = torch.randn(2, 64, 64)
    torch.testing.assert_close(made.fn(x, w), was.fn(x, w))
    after = lab.explore(made.fn, x, w, backend="eager")
    operators = {
        one.nodes.strings[target] for one in after.captured_graphs() for target in one.nodes.target
    }
    assert any("matmul" in name for name in operators)
    assert not any("cumsum" in name for name in operators)
    assert len(after.breaks) == 1


def test_the_setting_for_products_is_the_one_that_the_finding_reads(tmp_path: Path) -> None:
    made = recorded(MEASURED["products_in_full_float32"].source, tmp_path, "full")
    found = _one(made, "full-float32")
    before = torch.get_float32_matmul_precision()
    try:
        exec(found.code, {"torch": torch})
        now = {"float32_matmul_precision": torch.get_float32_matmul_precision()}
    finally:
        torch.set_float32_matmul_precision(before)
    assert made.benchmark
    machine = replace(made.benchmark.machine, settings=now)
    after = replace(made, benchmark=replace(made.benchmark, machine=machine))
    assert not any(one.rule == "full-float32" for one in findings_of(after))


def test_without_another_layout_no_parameter_is_saved_again(tmp_path: Path) -> None:
    source = MEMORY["convolutions_in_another_layout"].source
    before = recorded(source, tmp_path, "layouts")
    found = _one(before, "more-than-eager")
    assert found.gain
    with inductor.patch({"layout_optimization": True}):
        exec(found.code, {"torch": torch})
        assert not inductor.layout_optimization
        after = recorded(source, tmp_path, "as_they_are")
    copied = [
        sum(one.bytes or 0 for part in made.partitions for one in part.saved if one.copied)
        for made in (before, after)
    ]
    assert copied == [found.gain.before - found.gain.after, 0]
    assert all(one.gain is None for one in findings_of(after) if one.rule == "more-than-eager")
