"""The trees and the pool of CUDA graphs as shown, on a recording made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.cuda_graphs.trees import CudaRefusal
from dynamo_lab.model.recording import Failure
from dynamo_lab.model.validate import validate
from dynamo_lab.view import build
from tests.view.cuda_graphs.replayed import replayed, trees

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.cuda_graphs.trees import CudaTreesView
    from dynamo_lab.view.findings.finding import Finding


def shown(recording: Recording) -> CudaTreesView:
    [found] = build(recording).lowering.cuda_trees
    return found


def test_rows_follow_their_parents() -> None:
    rows = [(row.title, row.depth) for row in shown(replayed()).nodes]
    assert rows == [
        ("CUDA graph 0", 0),
        ("CUDA graph 1", 1),
        ("CUDA graph 2", 1),
        ("CUDA graph 3", 0),
    ]


def test_the_whole_in_a_sentence() -> None:
    told = shown(replayed()).sentence
    assert "4 CUDA graphs in 2 trees, of 3 functions: 2 warm-ups, 4 recordings, 18 replays" in told
    assert "11 steps, which PyTorch counts by calls" in told
    assert "Inference of graph 1, partition_1 was recorded 3 times." in told
    assert "1 more path is not listed" in told


def test_why_one_was_recorded_anew() -> None:
    first, held, by_path = [row.why for row in shown(replayed()).nodes if row.title[-1] in "123"]
    assert first == ""
    assert "output 1 of CUDA graph 0 (line 3) was still held, and gone when CUDA graph 1" in held
    assert "`primals_2`, which should stay in place, lay elsewhere than for CUDA graph 1" in held
    assert by_path == "Recorded anew: another path leads to it."


def test_an_input_that_moved_is_called_as_the_program_calls_it() -> None:
    recording, made = replayed(), trees()
    refusal = CudaRefusal(node=1, reason="StaticInputIdxMismatch", inputs=("arg0_1",))
    nodes = (*made.nodes[:2], replace(made.nodes[2], refusals=(refusal,)), made.nodes[3])
    moved = replace(recording, cuda_trees=(replace(made, nodes=nodes),))
    link = LinkTable(upstream=0, downstream=1, reason="same input", pairs=((0, 0),))
    untied, tied = (shown(one).nodes[2].why for one in (moved, replace(moved, links=(link,))))
    assert "`arg0_1`, which should stay" in untied
    assert "`x`, which should stay in place, lay elsewhere than for CUDA graph 1" in tied


def test_paths_with_the_most_frequent_first() -> None:
    walks = [(one.text, one.times) for one in shown(replayed()).walks]
    assert walks[0] == ("CUDA graph 0 -> CUDA graph 1", "6 times")
    assert walks[1][0].endswith(
        "-> backward 1/0 without a CUDA graph, as it writes to an input (twice)"
    )
    assert ("CUDA graph 0 -> CUDA graph 2 recorded", "once") in walks


def test_what_was_held_when_it_was_overwritten() -> None:
    first, second = shown(replayed()).overwritten
    assert "output 0 of CUDA graph 1 of inference of graph 1, partition_1 was still" in first.text
    assert "began a new step (3 times): reading it then raises" in first.text
    assert (first.where, first.entity) == ("line 3", "line:0:3")
    assert "of a warm-up of" in second.text


def test_blocks_of_the_pool_with_who_has_them() -> None:
    pool = shown(replayed()).pool
    assert pool is not None
    assert "reserved 4.2 MB in 2 segments, of which 1.5 kB were live" in pool.sentence
    assert "right after CUDA graph 2 was recorded" in pool.sentence
    blocks = pool.segments[0].blocks
    assert [block.state for block in blocks] == ["live", "live", "live", "free"]
    assert blocks[0].text == "live: output 0 of CUDA graph 0"
    assert blocks[1].where == "line 3"
    assert "no output that PyTorch tracks" in blocks[2].text
    assert "the copy of input 0 of CUDA graph 0 and output 0 of CUDA graph 1" in blocks[3].text
    assert sum(block.width for block in blocks) == pytest.approx(1)
    assert blocks[3].start == pytest.approx(1536 / 2**21)


def test_a_run_on_no_gpu_says_so() -> None:
    recording = replayed()
    without = replace(recording, cuda_trees=())
    assert "no CUDA graph was warmed up" in build(without).lowering.cuda_unknown
    lowered = replace(without, target="cuda:sm_90")
    assert "lowered for cuda:sm_90, and not run" in build(lowered).lowering.cuda_unknown
    assert build(recording).lowering.cuda_unknown == ""


def test_a_cuda_graph_that_follows_a_later_one_is_refused() -> None:
    made = trees()
    first = replace(made.nodes[0], parent=2)
    damaged = replace(replayed(), cuda_trees=(replace(made, nodes=(first, *made.nodes[1:])),))
    assert validate(replayed()) is None
    assert validate(damaged) == "cuda_trees[0].nodes[0] follows 2, which comes later"


def test_a_result_that_was_read_too_late_is_a_finding() -> None:
    said = (
        "Error: accessing tensor output of CUDAGraphs that has been overwritten by a subsequent "
        'run. Stack trace: File "/home/a/f.py", line 3, in f\n    return y. To prevent it, set '
        "torch._inductor.config.triton.cudagraph_trees_generation_cloning = 'user_visible'"
    )
    failure = Failure(type="RuntimeError", message=said, traceback="", span=0)
    assert read_too_late(replayed()) == []  # it was held, and nobody read it
    [found] = read_too_late(replace(replayed(), failure=failure))
    assert found.sentence == (
        "Line 1 reads a result of a CUDA graph, made at line 3, after a later call took its memory."
    )
    assert found.code == "torch.compiler.cudagraph_mark_step_begin()"
    assert "Or let PyTorch clone it" in found.remedy
    gradient = replace(failure, message=said.replace("tensor output", "gradient tensor output"))
    [found] = read_too_late(replace(replayed(), failure=gradient))
    assert "reads a gradient of a CUDA graph" in found.sentence
    assert found.code == "optimizer.zero_grad(set_to_none=True)"


def read_too_late(recording: Recording) -> list[Finding]:
    rule = "cuda-graph-overwritten"
    return [one for one in build(recording).findings.found if one.rule == rule]
