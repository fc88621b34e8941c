"""What is said of CUDA graphs that are not used, on recordings made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dynamo_lab.model.fusion.fusion import Schedule
from dynamo_lab.model.fusion.memory import MemoryPlan, MemoryStep
from dynamo_lab.model.lowering import CudaGraphs, CudaPart
from dynamo_lab.view import build
from tests.view.samples.lowered import lowered

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.findings.finding import Finding
    from dynamo_lab.view.lowering.cudagraphs import CudaGraphsView

ADD, INV = 2, 6
WRITTEN = CudaPart(is_recorded=True, operations=4, mutated=(ADD,))
ON_CPU = CudaPart(is_recorded=False, operations=1, reason="cpu ops", node=INV)
FINE = CudaPart(is_recorded=True, operations=5)
CPP = "cpp-wrapper does not support graph partition yet"


def decided(*pieces: CudaPart, **facts: Any) -> Recording:
    mutated = tuple(at for part in pieces for at in part.mutated)
    made = CudaGraphs(graph=1, asked=True, mutated=mutated, pieces=pieces)
    plan = MemoryPlan(schedule=0, steps=(MemoryStep(name="mm"), MemoryStep(name="kernel")))
    return replace(
        lowered(),
        cuda_graphs=(replace(made, **facts),),
        schedules=(Schedule(graph=1),),
        memory_plans=(plan,),
    )


def told(recording: Recording) -> list[Finding]:
    return [one for one in build(recording).findings.found if one.rule == "cuda-graph-not-used"]


def shown(recording: Recording) -> CudaGraphsView:
    found = build(recording).lowering.lowerings[0].cuda_graphs
    assert found is not None
    return found


def test_a_write_is_not_the_cause_where_the_whole_graph_is_left_out() -> None:
    recording = decided(WRITTEN, FINE, skipped=CPP)
    assert told(recording) == []
    view = shown(recording)
    assert view.sentence == "No CUDA graph is recorded: Inductor's C++ wrapper records none."
    assert (view.where, view.entity) == ("", "")
    assert {(part.reason, part.where) for part in view.parts} == {("left out with the whole", "")}


def test_each_cause_keeps_out_its_own_operations() -> None:
    written, on_cpu = told(decided(WRITTEN, ON_CPU, FINE))
    assert "Line 2 keeps 40 % of the operations out of CUDA graphs: it writes" in written.sentence
    assert "Line 3 keeps 10 % of the operations out" in on_cpu.sentence
    assert "it runs on the CPU" in on_cpu.sentence


def test_a_part_that_stays_out_foretells_no_single_cuda_graph() -> None:
    both = told(decided(WRITTEN, ON_CPU))
    assert [one.gain for one in both] == [None, None]
    [alone] = told(decided(WRITTEN))
    assert "keeps the graph out" in alone.sentence
    assert alone.gain is not None
    assert alone.gain.after == 1


def test_an_input_that_two_parts_take_is_one_input_in_two_copies() -> None:
    """`x`, of 256 bytes, has a place in the memory of each of the two CUDA graphs."""
    parts = (replace(FINE, copied=(0,)), ON_CPU, replace(FINE, copied=(0,)))
    sentence = shown(decided(*parts)).sentence
    assert "first copies 1 input, in 2 copies in all (512 B) into memory of the graphs" in sentence
    assert "unless another CUDA graph made it." in sentence


def test_parts_that_write_are_counted() -> None:
    assert "Another is not used: it writes" in shown(decided(WRITTEN, ON_CPU, FINE)).sentence
    two = shown(decided(WRITTEN, ON_CPU, WRITTEN, ON_CPU, FINE))
    many = "2 others are not used: each writes to an input, the first at line 2, and"
    assert many in two.sentence
    assert two.parts[0].reason.startswith("it writes to an input")
