"""What is read of logs in words, as people paste them into issues."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import dynamo_lab as lab
from dynamo_lab.__main__ import main
from dynamo_lab.api.traces import Ranks
from dynamo_lab.errors import TraceError
from dynamo_lab.render import terminal
from dynamo_lab.render.fallback.page import fallback
from dynamo_lab.view import build

SAMPLE = Path(__file__).parent / "samples" / "torch-2.13.log.gz"
"""Of a program that breaks, compiles again and trains, as torch 2.13 printed it."""


def opened(path: Path) -> lab.Recording:
    found = lab.open_trace(path)
    assert isinstance(found, lab.Recording)
    return found


def pasted(folder: Path, text: str) -> lab.Recording:
    file = folder / "issue.txt"
    file.write_text(text, encoding="utf-8")
    return opened(file)


@pytest.fixture(scope="module")
def sample() -> lab.Recording:
    return opened(SAMPLE)


def test_frames_have_their_functions_and_lines(sample: lab.Recording) -> None:
    spans = [sample.spans[frame.span] for frame in sample.frames]
    found = zip(sample.frames, spans, strict=True)
    assert [(frame.name, span.line, frame.outcome) for frame, span in found] == [
        ("breaks", 3, "compiled"),
        ("torch_dynamo_resume_in_breaks_at_5", 5, "compiled"),
        ("varies", 9, "compiled"),
        ("trains", 12, "compiled"),
    ]  # fmt: skip
    assert {sample.sources[span.source].path for span in spans} == {"/home/me/app/net.py"}
    assert sample.frames[1].resumes == 0


def test_a_break_has_its_reason_and_its_line(sample: lab.Recording) -> None:
    (found,) = sample.breaks
    assert (found.gb_type, found.registry_id) == ("Data-dependent branching", "GB0170")
    assert sample.spans[found.span].line == 5
    assert found.resume_frames == (1,)
    assert len(found.hints) == 3


def test_graphs_of_every_stage_that_was_logged(sample: lab.Recording) -> None:
    stages = [graph.stage for graph in sample.graphs]
    assert {stage: stages.count(stage) for stage in set(stages)} == {
        "dynamo": 5, "forward": 5, "backward": 1,
    }  # fmt: skip
    first = sample.graphs[0]
    assert [node.target for node in first.nodes if node.op.startswith("call")] == [
        "torch.relu", "operator.add", "sum", "operator.gt",
    ]  # fmt: skip


def test_why_it_compiled_again_and_what_is_dynamic(sample: lab.Recording) -> None:
    (again,) = sample.recompiles
    assert (again.compile_id, again.failures) == ("2/1", (("2/0", "n == 1"),))
    assert [symbol.sources for symbol in sample.symbols] == [("L['x'].size()[0]",), ("L['n']",)]
    spans = [
        sample.spans[sample.stacks[s.stack][-1]] for s in sample.symbols if s.stack is not None
    ]
    assert {(sample.sources[s.source].path, s.line) for s in spans} == {("/home/me/app/net.py", 10)}


def test_guards_and_code(sample: lab.Recording) -> None:
    checks = {guard.expressions[0] for guard in sample.guards if guard.compile_id == "2/0"}
    assert "L['n'] == 1" in checks
    assert len(sample.wrappers) == 6
    assert "cpp_fused_add_gt_relu_sum_0" in {kernel.name for kernel in sample.kernels}


def test_each_message_is_kept_and_tied_to_its_view(sample: lab.Recording) -> None:
    view = build(sample).logs
    assert len(view.records) == len(sample.logs)
    graphs = [one for one in view.records if one.name == "graph_code"]
    assert [one.shown for one in graphs] == [f"graph {n}" for n in range(1, 6)]
    assert [sample.graphs[int(one.entity.removeprefix("graph:"))].compile_id for one in graphs] == [
        one.compile_id for one in graphs
    ]
    (broke,) = [one for one in view.records if one.name == "graph_breaks"]
    assert (broke.view, broke.entity, broke.where) == ("breaks", "break:0", "line 5")
    backward = [one for one in view.records if "===== Backward graph" in one.text]
    assert [one.shown for one in backward] == ["graph 5 backward"]


def test_what_it_lacks_is_said(tmp_path: Path, sample: lab.Recording) -> None:
    text = "\n".join(note.message for note in sample.notes)
    assert "no record of: graphs after Inductor's passes (`post_grad_graphs`)" in text
    alone = pasted(tmp_path, BREAK)
    text = "\n".join(note.message for note in alone.notes)
    assert "captured graphs (`graph_code`)" in text
    assert "graph breaks (" not in text
    assert "does not say which functions the frames 0 are" in text


BREAK = """\
On 2.9 I get this:
```
[rank1]:V0930 08:14:56.394000 221700 torch/_dynamo/symbolic_convert.py:500] [0/0] [__graph_breaks] Graph break in user code at /home/me/a.py:7
[rank1]:V0930 08:14:56.394000 221700 torch/_dynamo/symbolic_convert.py:500] [0/0] [__graph_breaks] Graph Break Reason: Unsupported builtin
[rank1]:V0930 08:14:56.394000 221700 torch/_dynamo/symbolic_convert.py:500] [0/0] [__graph_breaks]   Explanation: no
[rank1]:V0930 08:14:56.394000 221700 torch/_dynamo/symbolic_convert.py:500] [0/0] [__graph_breaks]   Hint: none
[rank1]:V0930 08:14:56.394000 221700 torch/_dynamo/symbolic_convert.py:500] [0/0] [__graph_breaks] User code traceback:
[rank1]:V0930 08:14:56.394000 221700 torch/_dynamo/symbolic_convert.py:500] [0/0] [__graph_breaks]   File "/home/me/a.py", line 7, in step
[rank1]:V0930 08:14:56.394000 221700 torch/_dynamo/symbolic_convert.py:500] [0/0] [__graph_breaks]     print(x)
```
"""  # noqa: E501


def test_a_break_pasted_alone(tmp_path: Path) -> None:
    recording = pasted(tmp_path, BREAK)
    (found,) = recording.breaks
    (frame,) = recording.frames
    assert (found.gb_type, found.explanation) == ("Unsupported builtin", "no")
    assert frame.name == "step"
    assert frame.outcome == "compiling"  # how it ended is not known
    assert "print(x)" in terminal.render(build(recording))
    assert recording.title == "issue.txt"
    assert recording.environment.options["rank"] == "1"


OLD = """\
[2024-02-05 10:00:00,123] [0/0] torch._dynamo.symbolic_convert.__graph_breaks: [DEBUG] Graph break: from user code at:
[2024-02-05 10:00:00,123] [0/0] torch._dynamo.symbolic_convert.__graph_breaks: [DEBUG]   File "/home/me/a.py", line 5, in f
[2024-02-05 10:00:00,123] [0/0] torch._dynamo.symbolic_convert.__graph_breaks: [DEBUG]     x = g(x)
[2024-02-05 10:00:00,123] [0/0] torch._dynamo.symbolic_convert.__graph_breaks: [DEBUG] Traceback (most recent call last):
[2024-02-05 10:00:00,123] [0/0] torch._dynamo.symbolic_convert.__graph_breaks: [DEBUG]   File "/x/site-packages/torch/_dynamo/symbolic_convert.py", line 1, in wrapper
[2024-02-05 10:00:00,123] [0/0] torch._dynamo.symbolic_convert.__graph_breaks: [DEBUG] torch._dynamo.exc.Unsupported: call torch._dynamo.disable() wrapped function
[2024-02-05 10:00:01,000] [1/1] torch._dynamo.guards.__recompiles: [DEBUG] Recompiling function accumulate in /home/me/a.py:20
[2024-02-05 10:00:01,000] [1/1] torch._dynamo.guards.__recompiles: [DEBUG]     triggered by the following guard failure(s):
[2024-02-05 10:00:01,000] [1/1] torch._dynamo.guards.__recompiles: [DEBUG]     - L['end'] == 10    # for i in range(end):  # a.py:21 in accumulate
"""  # noqa: E501


def test_the_form_of_releases_before_2_3(tmp_path: Path) -> None:
    recording = pasted(tmp_path, OLD)
    (found,) = recording.breaks
    assert found.gb_type == "call torch._dynamo.disable() wrapped function"
    assert recording.spans[found.span].line == 5
    (again,) = recording.recompiles
    assert recording.frames[again.frame].name == "accumulate"
    assert again.failed[0].text == "L['end'] == 10"


def test_ranks_that_wrote_into_one_file_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "all.log"
    file.write_text(BREAK + BREAK.replace("[rank1]", "[rank0]").replace("221700", "221701"))
    found = lab.open_trace(file)
    assert isinstance(found, Ranks)
    assert list(found) == ["rank 0", "rank 1"]


def test_a_limit_that_was_hit_is_a_note(tmp_path: Path) -> None:
    line = "W0605 17:24:08.994000 1 torch/_dynamo/convert_frame.py:744] [4/8] torch._dynamo hit "
    recording = pasted(tmp_path, f"{line}config.recompile_limit (8)\n")
    assert any(note.message.startswith("torch._dynamo hit config") for note in recording.notes)


def test_a_message_that_is_cut_makes_no_fact_and_stays(tmp_path: Path) -> None:
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as file:
        lines = [line for line in file if "[__graph_code]" in line][:4]
    recording = pasted(tmp_path, "".join(lines))
    assert recording.graphs == ()
    assert recording.logs[0].text.startswith("TRACED GRAPH")


def test_text_stays_text(tmp_path: Path) -> None:
    hostile = "</script><b>\x1b[2J\u202e\u2028<img src=x onerror=alert(1)>"
    line = "V0930 08:14:56.394000 1 torch/_dynamo/guards.py:1] [0/0] [__guards]"
    recording = pasted(tmp_path, f"{line} GUARDS: {hostile}\n")
    view = build(recording)
    printed = terminal.render(view, sections=["logs"])
    assert "\\u202e" in printed
    assert "\u202e" not in printed
    html = fallback(view)
    assert "<img" not in html
    assert "&lt;img" in html


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "run.json.gz"
    assert main(["import", str(SAMPLE), "--json", str(saved), "--section", "breaks,logs"]) == 0
    printed = capsys.readouterr().out
    assert "Data-dependent branch" in printed
    assert "graphs: graph 2" in printed
    assert lab.load(saved).logs == opened(SAMPLE).logs
    empty = tmp_path / "diary.txt"
    empty.write_text("nothing\n")
    with pytest.raises(TraceError, match="TORCH_LOGS printed"):
        lab.open_trace(empty)


BROKEN_IN_A_HELPER = """\
W1126 02:48:26.168000 7 torch/_dynamo/variables/tensor.py:1759] [0/0] Graph break from `Tensor.item()`, consider setting:
W1126 02:48:26.168000 7 torch/_dynamo/variables/tensor.py:1759] [0/0]     torch._dynamo.config.capture_scalar_outputs = True
W1126 02:48:26.168000 7 torch/_dynamo/variables/tensor.py:1759] [0/0] Graph break: from user code at:
W1126 02:48:26.168000 7 torch/_dynamo/variables/tensor.py:1759] [0/0]   File "/home/me/net.py", line 8, in f
W1126 02:48:26.168000 7 torch/_dynamo/variables/tensor.py:1759] [0/0]     y = helper(x.sin())
W1126 02:48:26.168000 7 torch/_dynamo/variables/tensor.py:1759] [0/0]   File "/home/me/net.py", line 4, in helper
W1126 02:48:26.168000 7 torch/_dynamo/variables/tensor.py:1759] [0/0]     a = x.sum().item()
V1126 02:48:26.200000 7 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks] Graph break in user code at /home/me/net.py:4
V1126 02:48:26.200000 7 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks] Graph Break Reason: Unsupported Tensor.item() call with capture_scalar_outputs=False
V1126 02:48:26.200000 7 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks]   Explanation: Dynamo does not support tracing `Tensor.item()`.
V1126 02:48:26.200000 7 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks] User code traceback:
V1126 02:48:26.200000 7 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks]   File "/home/me/net.py", line 26, in main
V1126 02:48:26.200000 7 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks]     f(x)
V1126 02:48:26.200000 7 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks]   File "/home/me/net.py", line 8, in f
V1126 02:48:26.200000 7 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks]     y = helper(x.sin())
V1126 02:48:26.200000 7 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks]   File "/home/me/net.py", line 4, in helper
V1126 02:48:26.200000 7 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks]     a = x.sum().item()
V1126 02:48:27.200000 7 torch/_dynamo/symbolic_convert.py:5131] [1/0] [__graph_breaks] Graph break (user stack suppressed due to duplicate graph break) in user code at /home/me/net.py:4
V1126 02:48:27.200000 7 torch/_dynamo/symbolic_convert.py:5131] [1/0] [__graph_breaks] Graph Break Reason: Unsupported Tensor.item() call with capture_scalar_outputs=False
V1126 02:48:27.200000 7 torch/_dynamo/symbolic_convert.py:5131] [1/0] [__graph_breaks]   Explanation: Dynamo does not support tracing `Tensor.item()`.
V1126 02:48:28.200000 7 torch/_dynamo/output_graph.py:2835] [1/0_1] [__graph_code] TRACED GRAPH
V1126 02:48:28.200000 7 torch/_dynamo/output_graph.py:2835] [1/0_1] [__graph_code]  ===== __compiled_fn_6 =====
V1126 02:48:28.200000 7 torch/_dynamo/output_graph.py:2835] [1/0_1] [__graph_code]  torch/fx/_lazy_graph_module.py class GraphModule(torch.nn.Module):
V1126 02:48:28.200000 7 torch/_dynamo/output_graph.py:2835] [1/0_1] [__graph_code]     def forward(self, L_x_: "f32[4, 8][8, 1]cpu"):
V1126 02:48:28.200000 7 torch/_dynamo/output_graph.py:2835] [1/0_1] [__graph_code]         l_x_ = L_x_
V1126 02:48:28.200000 7 torch/_dynamo/output_graph.py:2835] [1/0_1] [__graph_code]         # File: /home/me/net.py:4 in helper, code: a = x.sum().item()
V1126 02:48:28.200000 7 torch/_dynamo/output_graph.py:2835] [1/0_1] [__graph_code]         sum_1: "f32[][]cpu" = l_x_.sum();  l_x_ = None
V1126 02:48:28.200000 7 torch/_dynamo/output_graph.py:2835] [1/0_1] [__graph_code]         return (sum_1,)
"""  # noqa: E501


def test_functions_are_named_by_what_tells_of_them(tmp_path: Path) -> None:
    view = build(pasted(tmp_path, BROKEN_IN_A_HELPER))
    assert [frame.name for frame in view.frames] == ["f", "helper"]
    assert [story.cause for story in view.stories] == [1, None], "the caller's follows, as live"
    assert "from 1 cause" in view.summary.sentence
    assert "captured 1 graph from 1 of 2 frames" in view.summary.sentence


def test_a_frame_whose_end_is_not_logged_is_not_given_up(tmp_path: Path) -> None:
    view = build(pasted(tmp_path, BROKEN_IN_A_HELPER))
    assert {frame.outcome for frame in view.frames} == {"compiling"}
    assert not any("given up" in row.text for row in view.run_map)
