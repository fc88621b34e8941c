"""Where compile time went, held against PyTorch's own timers, bytecode and caches."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch._dynamo import symbolic_convert
from torch._inductor import codecache, config

import dynamo_lab as lab
from dynamo_lab.capture.core import peaks
from dynamo_lab.view import build

pytestmark = pytest.mark.live


def loops(x: torch.Tensor) -> torch.Tensor:
    for i in range(7):
        x = x.sin() + i
        for _ in range(3):
            x = x * 2
    left = 5
    while left:
        x = x.cos()
        left -= 1
    return torch.stack([x + n for n in range(4)])


def _loops(recording: Any) -> list[tuple[int, int, bool]]:
    spans = recording.spans
    return sorted((spans[one.span].line, one.times, one.exact) for one in recording.unrolled)


def test_loops_are_counted_as_they_ran() -> None:
    recording = lab.explore(loops, torch.ones(4), backend="eager")
    assert [(times, exact) for _, times, exact in _loops(recording)][:2] == [(7, True), (21, True)]
    assert (4, True) in [(times, exact) for _, times, exact in _loops(recording)]
    [(_, times, _)] = [one for one in _loops(recording) if not one[2]]
    assert times in (4, 5)  # a test of a while loop stands before it and at its end


def test_a_restart_counts_the_loop_once() -> None:
    def restarted(x: torch.Tensor) -> torch.Tensor:
        for _ in range(6):
            x = x + 1
        torch._dynamo.graph_break()
        return x * 2

    recording = lab.explore(restarted, torch.ones(4), backend="eager")
    [loop] = recording.unrolled
    assert loop.times == 6
    assert recording.graphs[loop.graph].operators == 6


def test_tracing_by_node_is_less_than_all_of_tracing() -> None:
    recording = lab.explore(loops, torch.ones(4), backend="eager")
    [graph] = recording.graphs
    [traced] = [one for one in recording.timings if one.name == "compile_attempt_0"]
    assert len(graph.traced) == len(graph.nodes)
    assert 0 < sum(graph.traced) <= traced.seconds
    assert sum(seconds > 0 for seconds in graph.traced) >= graph.operators


def test_nothing_is_left_behind() -> None:
    kinds = (
        symbolic_convert.InstructionTranslator,
        symbolic_convert.InliningInstructionTranslator,
    )
    before = [(kind.dispatch_table, list(kind.dispatch_table)) for kind in kinds]
    key = codecache.torch_key
    lab.explore(loops, torch.ones(4))
    after = [(kind.dispatch_table, list(kind.dispatch_table)) for kind in kinds]
    assert before == after
    assert all(one[0] is other[0] for one, other in zip(before, after, strict=True))
    assert codecache.torch_key is key


def test_kernels_know_their_code_and_their_build() -> None:
    recording = lab.explore(lambda x: (x * 3.25).sum(), torch.ones(64))
    [kernel] = [one for one in recording.kernels if one.language == "cpp"]
    assert kernel.written_in is not None
    assert kernel.built_in is not None
    for table in build(recording).timeline.costs:
        if table.by in ("line", "operator", "kernel", "module", "function"):
            told = sum(row.seconds for row in table.rows) + table.others
            assert told <= build(recording).timeline.seconds


def test_caches_say_what_pytorch_asks_itself() -> None:
    recording = lab.explore(lambda x: x.exp() + 0.5, torch.ones(8))
    assert [(one.layer, one.outcome) for one in recording.caches] == [
        ("AOTAutograd cache", "kept"),
        ("FX graph cache", "kept"),
    ]
    parts = dict(recording.caches[1].parts)
    assert parts["gm"]
    assert parts["inductor_config[max_autotune]"]


def test_a_setting_that_switches_caches_off_is_told() -> None:
    with config.patch(force_disable_caches=True):
        recording = lab.explore(lambda x: x.exp() + 1.5, torch.ones(8))
    assert {one.outcome for one in recording.caches} == {"off"}


def test_an_option_of_the_compilation_counts_too() -> None:
    recording = lab.explore(
        torch.nn.Linear(4, 4).eval(), torch.ones(2, 4), options={"freezing": True}, grad=False
    )
    found = recording.caches[0]
    assert (found.layer, found.outcome) == ("AOTAutograd cache", "bypassed")
    assert "freezing" in found.reason


def test_lowering_says_nothing_of_caches() -> None:
    assert lab.lower(lambda x: x.exp() + 3.5, torch.ones(8)).caches == ()


def test_a_pass_without_an_identity_is_why_nothing_is_kept() -> None:
    with config.patch(post_grad_custom_post_pass=lambda graph: None):
        recording = lab.explore(lambda x: x.exp() + 2.5, torch.ones(8))
    [found] = [one for one in recording.caches if one.layer == "FX graph cache"]
    assert (found.outcome, found.reason) == ("bypassed", "Unsupported post grad custom pass")


def test_a_phase_that_raises_the_peak_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    held = [400_000_000]
    monkeypatch.setattr(peaks, "high_water", lambda: (held[0], 0))

    def backend(graph: Any, inputs: Any) -> Any:
        held[0] += 900_000_000
        return graph

    recording = lab.explore(lambda x: x + 1.25, torch.ones(4), backend=backend)
    held[0] += 5_000_000  # later, when nothing compiles
    found = recording.compile_memory
    assert found is not None
    assert (found.before, found.peak) == (400_000_000, 1_300_000_000)
    memory = build(recording).timeline.memory
    assert "rose by 900 MB, to 1.3 GB" in memory.sentence
    [(name, by, _)] = memory.rows
    assert by == 900_000_000
    assert name in {timing.name for timing in recording.timings}
    [told] = [one for one in build(recording).findings.found if one.rule == "compile-peak"]
    assert told.level == "note"
    assert name in told.sentence


def test_the_peak_of_a_small_program_is_known_and_no_finding() -> None:
    recording = lab.explore(lambda x: x + 2.25, torch.ones(4), backend="eager")
    found = recording.compile_memory
    assert found is not None
    assert 0 < found.before <= found.peak
    assert not [one for one in build(recording).findings.found if one.rule == "compile-peak"]


def test_where_the_system_does_not_say_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peaks, "high_water", lambda: None)
    recording = lab.explore(lambda x: x + 3.25, torch.ones(4), backend="eager")
    assert recording.compile_memory is None
    assert build(recording).timeline.memory.sentence == ""
