"""A recording of a program under our compiler has its kernels, tied to nodes and lines."""

from __future__ import annotations

import re
import shutil
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.bench.run import recorded_way
from dynamo_lab.errors import DynamoLabError
from dynamo_lab.measure.variants import candidates
from dynamo_lab.view import build
from dynamo_lab.view.benchmarks.work import works
from dynamo_lab.view.compare.side_by_side import together

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dynamo_lab.model.kernels import Edit

pytestmark = pytest.mark.live


def program(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x @ w, -1) + 1


@pytest.fixture(scope="module")
def recording() -> lab.Recording:
    torch.compiler.reset()
    return lab.explore(program, torch.randn(32, 24), torch.randn(24, 28), backend="lab")


def test_kernels_and_calls_are_recorded(recording: lab.Recording) -> None:
    kernel, product = recording.kernels
    assert (kernel.language, product.language, product.name) == ("c", "extern", "aten.mm.default")
    graph = recording.graphs[kernel.graph or 0]
    names = [graph.nodes[at].name for at in kernel.nodes]
    assert "exp" in names
    assert "mm" not in names
    assert [graph.nodes[at].name for at in product.nodes] == ["mm"]
    assert not [note for note in recording.notes if note.level == "failure"]


def test_each_statement_stands_where_it_says(recording: lab.Recording) -> None:
    kernel = recording.kernels[0]
    nodes = recording.graphs[kernel.graph or 0].nodes
    lines = kernel.code.splitlines()
    found = [(nodes[at].name, lines[s.line - 1]) for s in kernel.statements for at in s.nodes]
    assert [name for name, line in found if "expf(" in line] == ["exp"]
    assert [name for name, line in found if " / " in line] == ["div"]
    assert kernel.code.startswith("void kernel0(")


def test_it_says_who_wrote_them(recording: lab.Recording) -> None:
    said = " ".join(str(recording).split())
    assert "The backend lab wrote 1 kernel and calls 1 library kernel" in said
    assert "Inductor wrote" not in said


def test_each_node_is_lowered_to_buffers_with_loops(recording: lab.Recording) -> None:
    view = build(recording)
    (lowering,) = view.lowering.lowerings
    told = {step.name: step for step in lowering.steps}
    assert lowering.compiler == "lab"
    assert told["mm"].outcome == "fallback"
    assert "lab left it to PyTorch's own kernel" in told["mm"].sentence
    assert told["sub"].outcome == "inlined"
    assert told["sum_1"].outcome == "realised"
    assert told["amax"].place.startswith("dynamo_lab/compiler/rules/reductions.py:")
    body = [line[0] for line in view.lowering.buffers[told["exp"].made[-1]].body]
    assert any("exp(" in line for line in body)
    assert "Inductor" not in " ".join(step.sentence for step in lowering.steps)


def test_a_product_whose_bias_loops_add_is_told_as_what_it_is() -> None:
    torch.compiler.reset()
    given = torch.randn(40, 24), torch.randn(50, 24), torch.randn(50)
    found = lab.explore(
        lambda x, w, b: torch.nn.functional.linear(x, w, b).relu(), *given, backend="lab"
    )
    view = build(found).lowering
    (step,) = [step for step in view.lowerings[0].steps if step.operator.endswith("addmm")]
    (product,) = [view.buffers[at] for at in step.made if view.buffers[at].kind == "fallback"]
    why = "a product of matrices, to which the loops that read it add the bias"
    assert f"PyTorch's own kernel: {why}. `aten.mm.default` is called." in product.why
    assert why in step.sentence
    assert [why] == [lowered.why.by for lowered in found.lowerings[0].nodes if lowered.why]


def test_why_two_are_not_fused_is_the_compilers_own_reason() -> None:
    torch.compiler.reset()
    found = lab.explore(
        lambda x: (x.exp().sum(1), x.T.contiguous().sum()), torch.randn(6, 8), backend="lab"
    )
    schedule = found.schedules[0]
    refused = [ruling for ruling in schedule.verdicts.rulings if ruling.outcome == "refused"]
    assert refused
    reasons = {reason for ruling in refused for reason in ruling.reasons}
    pair = next(
        (schedule.groups[one], schedule.groups[other])
        for (one, other), at in zip(schedule.verdicts.pairs, schedule.verdicts.ruling, strict=True)
        if schedule.verdicts.rulings[at].outcome == "refused"
    )
    one, other = (schedule.operations[group.operations[0]].name for group in pair)
    said = str(found.why_not_fused(one, other))
    assert any(f"Refused, as {reason}." in " ".join(said.split()) for reason in reasons)
    assert "PyTorch:" not in said


def test_the_advice_on_a_pair_that_shares_nothing_helps() -> None:
    torch.compiler.reset()
    x, y = torch.randn(8), torch.randn(8)
    apart = lab.explore(lambda x, y: (x + 1, y * 2), x, y, backend="lab")
    said = " ".join(str(apart.why_not_fused("op0", "op1")).split())
    assert "only operations that use a buffer in common are looked at" in said
    assert "Let both read the same tensor" in said
    assert "Inductor" not in said
    torch.compiler.reset()
    together = lab.explore(lambda x: (x + 1, x * 2), x, backend="lab")
    assert "op0 and op1 are fused" in str(together.why_not_fused("op0", "op1"))


def test_its_memory_is_planned(recording: lab.Recording) -> None:
    (plan,) = recording.memory_plans
    roles = {buffer.name: buffer.role for buffer in plan.buffers}
    assert "output" in roles.values()
    assert "removed" in roles.values()
    assert [step.name for step in plan.steps] == ["aten.mm.default", "kernel0"]
    kernels = {kernel.id: kernel.name for kernel in recording.kernels}
    assert [kernels[step.kernel or 0] for step in plan.steps] == ["aten.mm.default", "kernel0"]
    given = [plan.buffers[event.buffer].name for event in plan.events if event.kind == "allocate"]
    assert len(set(given)) == len(given)


@pytest.mark.parametrize(
    "write", [lambda x: x.add_(1), lambda x: x.cummax(0)[0], lambda x: torch.unique(x).sum()]
)
def test_writes_calls_and_unknown_sizes_are_recorded_and_shown(
    write: Callable[[torch.Tensor], torch.Tensor], tmp_path: Path
) -> None:
    torch.compiler.reset()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        found = lab.explore(write, torch.randn(6), backend="lab")
    assert not [note for note in found.notes if note.level == "failure"]
    assert found.lowerings
    assert f"{found}"
    found.save(tmp_path / "one.json")
    assert lab.load(tmp_path / "one.json").lowerings == found.lowerings


@pytest.mark.slow
def test_a_recording_of_inductor_is_held_beside_ours(recording: lab.Recording) -> None:
    weights = torch.randn(24, 28)
    found = lab.explore(program, torch.randn(32, 24), weights, options={"max_fusion_size": 7})
    both = lab.beside(found)
    assert list(both) == ["inductor", "lab"]
    assert both["inductor"] is found
    assert [kernel.language for kernel in both["lab"].kernels] == ["c", "extern"]
    assert "What they did differently" in f"{both}"
    assert both["lab"].edit_kernel(0, lambda text: text).verdict == "right"  # its program lives
    with pytest.raises(DynamoLabError, match="compiled this recording"):
        lab.beside(recording)
    on_gpu = lab.lower(program, torch.randn(32, 24), weights, target="cuda:sm_90")
    lowered = lab.beside(on_gpu)
    assert [kernel.language for kernel in lowered["lab"].kernels] == ["triton", "extern"]
    assert lowered["lab"].target == "cuda:sm_90"


def edited(recording: lab.Recording, old: str, new: str, **options: float) -> Edit:
    def change(code: str) -> str:
        assert old in code
        return code.replace(old, new)

    return recording.edit_kernel(0, change, **options)


@pytest.mark.slow
def test_an_edit_is_built_checked_and_timed_in_its_program(recording: lab.Recording) -> None:
    found = edited(recording, "(1.0f)", "(0.5f + 0.5f)")
    assert (found.verdict, found.reason, found.calls) == ("right", "", 1)
    assert {one.verdict for one in found.comparisons} <= {"equal", "close"}
    (timing,) = found.timings
    assert timing.what == "program"
    assert len(timing.original) == len(timing.edited) > 0
    assert "It is right" in f"{found}"
    assert "0.5f + 0.5f" not in recording.kernels[0].code
    again = edited(recording, "kernel0", "kernel_of_this_file")  # what it is built under
    assert again.verdict == "right"


@pytest.mark.parametrize(
    ("old", "new", "verdict", "reason"),
    [
        ("(1.0f)", "(2.0f)", "wrong", r"result 0 is off by up to 1\b.*\)$"),
        ("expf(", "expg(", "not built", ""),
        ("kernel0", "kernel1", "not built", ""),
        ("acc0 = ", "acc0 = )", "not built", ""),
        ("float acc2 = 0;", "while (1) *(volatile int*)&threads = 1; float acc2 = 0;", "failed",
         "It did not end within 2 s"),
        ("float acc2 = 0;", "__builtin_trap(); float acc2 = 0;", "failed", "It crashed"),
    ],
)  # fmt: skip
def test_an_edit_that_cannot_stay_says_why(
    old: str, new: str, verdict: str, reason: str, recording: lab.Recording
) -> None:
    found = edited(recording, old, new, seconds=2.0)
    assert found.verdict == verdict
    assert re.match(reason, found.reason)
    assert not found.timings
    if verdict == "not built":
        assert [one for one in found.diagnostics if one.severity == "error"]
    if ")" in new and verdict == "not built":
        line = next(at for at, row in enumerate(found.after.splitlines(), 1) if new in row)
        assert found.diagnostics[0].line == line


def test_a_kernel_that_is_printed_to_be_read_is_not_edited(recording: lab.Recording) -> None:
    triton = recording.relower(target="cuda:sm_90")
    with pytest.raises(DynamoLabError, match="was printed in triton to be read"):
        triton.edit_kernel(0, lambda text: text)


@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs objdump")
def test_its_machine_code_is_tied_to_the_lines_of_its_c(recording: lab.Recording) -> None:
    found = recording.assembly(0)
    (level,) = found.levels
    lines = recording.kernels[0].code.splitlines()
    tied = {lines[line - 1].strip() for _, line in level.lines}
    assert any("expf(" in line for line in tied)
    assert "flags that build it to run" in found.chosen
    with pytest.raises(DynamoLabError, match="the processor that is here"):
        recording.assembly(0, "cpu:avx2")
    with pytest.raises(DynamoLabError, match="not for cuda:sm_90"):
        recording.assembly(0, "cuda:sm_90")
    with pytest.raises(DynamoLabError, match="no code of it"):
        recording.assembly(1)


def test_it_is_lowered_for_other_targets(recording: lab.Recording) -> None:
    shader = recording.relower(target="mps")
    assert [kernel.language for kernel in shader.kernels] == ["metal", "extern"]
    assert shader.target == "mps"
    assert "using namespace metal" in shader.kernels[0].code or "kernel void" in (
        shader.kernels[0].code
    )
    with pytest.raises(DynamoLabError, match="settings of Inductor"):
        recording.relower(options={"max_fusion_size": 1})


@pytest.mark.skipif(find_spec("triton") is None, reason="needs Triton")
def test_its_triton_is_compiled_to_ptx_without_a_gpu() -> None:
    x, w = torch.randn(32, 24), torch.randn(24, 28)
    found = lab.lower(program, x, w, target="cuda:sm_90", backend="lab")
    kernel = found.kernels[0]
    levels = {level.name: level for level in found.assembly(0).levels}
    lines = kernel.code.splitlines()
    assert "PTX" in levels
    assert ".target sm_90" in levels["PTX"].text
    tied = {lines[line - 1].strip() for _, line in levels["PTX"].lines}
    assert any("tl.load(" in line for line in tied)
    assert not any(line.startswith("#") for line in tied)


def test_two_compilers_beside_each_other() -> None:
    x, w = torch.randn(33, 24), torch.randn(24, 28)  # rows that are too many for a scan of ours
    both = lab.explore(mixed, x, w, backend=["inductor", "lab"])
    (pair,) = together(both).pairs
    assert pair.compilers is not None
    told = {(one.topic, one.what): (one.a, one.b) for one in pair.compilers.deeds}
    assert told["decompositions", "gelu"][1] == "kept whole"
    assert told["decompositions", "gelu"][0].startswith("\N{RIGHTWARDS ARROW} mul")
    assert told["library calls", "addmm"] == ("once", "-")
    assert told["library calls", "mm"] == ("-", "once")
    assert not any("cumsum" in what for _, what in told), "both call it once"
    assert told["code", "languages"] == ("cpp", "c")
    for work in pair.works:
        assert work.a, "Inductor computes all of it"
        assert work.b, "so does lab"
    said = str(lab.diff(*both.values()))
    assert "what they did differently" in said
    assert "kept whole" in str(both)
    again = together({"one": both["lab"], "other": both["lab"]}).pairs[0]
    assert again.compilers is None
    assert all(work.same for work in again.works)


def mixed(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x @ w + w[0]).cumsum(0)


def test_it_is_saved_and_shown(recording: lab.Recording, tmp_path: object) -> None:
    path = f"{tmp_path}/one.json"
    recording.save(path)
    assert lab.load(path).kernels == recording.kernels
    recording.to_html(f"{tmp_path}/one.html")


def test_the_work_of_its_kernels_is_counted_from_its_loops(recording: lab.Recording) -> None:
    found = works(recording)
    each = 32 * 28
    assert (found[0].bytes_read, found[0].bytes_written) == (4 * each, 4 * each)
    assert found[0].flops == 5 * each  # sub, exp, sum, div, add; a maximum is no operation
    assert found[1].flops == 2 * 32 * 24 * 28


def test_the_backend_of_a_bench_is_that_of_its_compiled_variant() -> None:
    ways = [one.way for one in candidates(("compiled", "inductor"), "lab")]
    assert [way.name for way in ways] == ["eager", "lab", "inductor"]
    assert recorded_way(ways, "lab") == 1
    assert recorded_way(ways) == 2
    assert [one.way.name for one in candidates(("compiled",))] == ["eager", "compiled"]


@pytest.mark.release
def test_a_bench_of_its_recording_measures_it(recording: lab.Recording) -> None:
    found = recording.bench(rounds=1, seconds=1).recording
    assert found.benchmark is not None
    assert [way.name for way in found.benchmark.ways] == ["eager", "lab"]
    assert found.benchmark.recorded_with == {}
    assert {found.kernels[row.kernel].language for row in found.benchmark.kernels} == {
        "c",
        "extern",
    }
