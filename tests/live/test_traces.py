"""A log that the installed torch writes, imported, against what a recording saw of the same run."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._logging._internal as torch_logging
from torch._inductor import config
from torch._logging import structured

import dynamo_lab as lab

pytestmark = pytest.mark.live


@contextmanager
def logged(folder: Path) -> Iterator[None]:
    """What TORCH_TRACE does at the start of a process, in the block alone."""
    handler = torch_logging.LazyTraceHandler(str(folder))
    handler.setFormatter(torch_logging.TorchLogsFormatter(trace=True))
    log = torch_logging.trace_log
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    structured.INTERN_TABLE.clear()  # a log has to hold its own table
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
        handler.close()


def breaks(x):
    y = torch.relu(x) + 1
    if y.sum() > 0:
        y = y.softmax(-1)
    print("in between")
    return y @ x


def varies(x, n):
    y = x.sin() * n
    y += 1
    y[0] = 2
    return y.view(-1)


def chooses(x):
    return torch.cond(x.sum() > 0, lambda t: t.sin(), lambda t: t.cos(), (x,))


def trains(model, x):
    return model(x).square().mean()


class Scaled(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = 1

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale


def reads(x):
    number = x.sum().item()
    print("read")
    return x * number


def run_again() -> None:
    """What compiles again, restarts after it has a graph, and is given up."""
    model = Scaled()
    scaled, read = (torch.compile(one, backend="aot_eager") for one in (model, reads))
    for scale in (1, 2):
        model.scale = scale
        scaled(torch.ones(4))
        read(torch.full((4,), scale + 0.5))
    with torch._dynamo.config.patch(allow_rnn=False):
        torch.compile(torch.nn.GRU(4, 4), backend="eager")(torch.ones(2, 4))


def run() -> None:
    torch.manual_seed(0)
    torch.compile(breaks)(torch.ones(8, 8))
    for size, n in ((8, 1), (12, 1)):
        torch.compile(varies)(torch.randn(size, 4), n)
    torch.compile(chooses)(torch.randn(8))
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.LayerNorm(16), torch.nn.GELU())
    torch.compile(trains)(model, torch.randn(4, 8)).backward()


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trace")
    with logged(folder), lab.record() as recorder:
        run()
    return recorder.recording, lab.open_trace(folder)


@pytest.fixture(scope="module")
def again(tmp_path_factory):
    folder = tmp_path_factory.mktemp("again")
    torch._dynamo.reset()
    with logged(folder), lab.record() as recorder:
        run_again()
    return recorder.recording, lab.open_trace(folder)


def test_what_became_of_a_number_that_was_compiled_in(again):
    told = [[(one.was, one.now) for item in r.recompiles for one in item.failed] for r in again]
    assert told[0] == told[1]
    assert ("1", "2") in told[1]
    said = [
        [re.sub(r":.*|, which line \d+ assigns,", "", f.sentence) for f in r.findings]
        for r in again
    ]
    assert said[1] == said[0], "but for what assigns it, which no log tells"


def test_an_analysis_that_was_done_again_has_no_graph_that_runs(again):
    live, imported = again
    assert [len(list(r.captured_graphs())) for r in again] == [len(_dynamo(live))] * 2
    assert any(graph.stage == "restarted" for graph in imported.graphs)
    assert len(imported.symbols) == len(live.symbols)


def test_a_frame_that_was_given_up_is_said_to_be(again):
    effects = [[item.effect for item in recording.breaks] for recording in again]
    assert effects[0] == effects[1]
    assert "skipped" in effects[1]


@pytest.mark.slow
def test_same_graphs(both):
    live, imported = both
    for stage in ("dynamo", "pre_grad", "joint", "forward", "backward", "post_grad"):
        assert _graphs(imported, stage) == _graphs(live, stage), stage


def _graphs(recording, stage):
    return [
        [(n.name, n.op, n.target, n.value.dtype, n.value.shape) for n in graph.nodes
         if n.op != "output"]
        for graph in recording.graphs
        if graph.stage == stage
    ]  # fmt: skip


def test_same_inputs_of_nodes_and_same_lines(both):
    live, imported = both
    for mine, theirs in zip(_dynamo(imported), _dynamo(live), strict=True):
        assert mine.nodes.inputs == theirs.nodes.inputs
        assert [_line(imported, node) for node in mine.nodes] == [
            _line(live, node) for node in theirs.nodes
        ]


def _dynamo(recording):
    return [graph for graph in recording.graphs if graph.stage == "dynamo"]


def _line(recording, node):
    if node.stack is None or node.op in ("placeholder", "output"):
        return None
    return recording.spans[recording.stacks[node.stack][-1]].line


def test_same_breaks(both):
    live, imported = both
    assert [_break(imported, item) for item in imported.breaks] == [
        _break(live, item) for item in live.breaks
    ]
    assert len(imported.breaks) == 2


def _break(recording, item):
    return (
        item.gb_type, item.registry_id, item.hints, item.context, item.effect,
        item.graph_before is None,        recording.spans[item.span].line, len(item.resume_frames),
        item.explanation.partition("\n")[0],
    )  # fmt: skip


def test_same_frames_and_attempts(both):
    live, imported = both
    assert [_frame(imported, f) for f in imported.frames] == [
        _frame(live, f) for f in live.frames if f.attempts
    ]


def _frame(recording, frame):
    attempts = tuple((a.compile_id, a.restart, a.outcome) for a in frame.attempts)
    name = frame.name.rpartition(".")[2]
    return name, frame.outcome, recording.spans[frame.span].line, frame.resumed_line, attempts


def test_same_kernels(both):
    live, imported = both
    assert _kernels(imported) == _kernels(live)
    whole = [w.code for w in live.wrappers if w.code.startswith("# AOT ID")]  # not bodies of cond
    assert [w.code for w in imported.wrappers] == whole


def _kernels(recording):
    return sorted((k.name, k.language, k.code, k.calls, k.line) for k in recording.kernels)


def test_same_recompiles(both):
    live, imported = both
    assert imported.recompiles
    assert _recompiles(imported) == _recompiles(live)


def _recompiles(recording):
    return [
        (r.compile_id, r.failures, [(f.compile_id, f.source, f.was, f.now) for f in r.failed])
        for r in recording.recompiles
    ]


def test_nodes_lead_to_their_origins(both):
    _, imported = both
    linked = {(t.downstream, down) for t in imported.links for _, down in t.pairs}
    post_grad = [g for g in imported.graphs if g.stage == "post_grad" and g.parent is None]
    calls = [(g.id, n.index) for g in post_grad for n in g.nodes if n.op == "call_function"]
    assert sum(place in linked for place in calls) > 0.8 * len(calls)


def test_provenance_that_was_logged_is_taken(tmp_path):
    def f(x):
        return (x.sin() + 1).sum(0) * 2, torch.nn.functional.layer_norm(x, (8,)).relu()

    level = config.patch({"trace.provenance_tracking_level": 1})
    with logged(tmp_path), level, lab.record() as recorder:
        torch.compile(f)(torch.randn(8, 8))
    live, imported = recorder.recording, lab.open_trace(tmp_path)
    assert isinstance(imported, lab.Recording)
    mine, theirs = ({k.name: set(k.nodes) for k in r.kernels} for r in (imported, live))
    assert mine.keys() == theirs.keys()
    assert all(nodes and nodes <= theirs[name] for name, nodes in mine.items())
    assert any(table.reason == "traced from" and table.pairs for table in imported.links)


def both_ways(x):
    x = x.sin() if x.sum() > 0 else x.cos()
    print("there")
    return x + 1


def test_what_resumes_after_two_breaks_is_known_of_both(tmp_path):
    torch._dynamo.reset()
    with logged(tmp_path), lab.record() as recorder:
        compiled = torch.compile(both_ways, backend="aot_eager")
        for sign in (1, -1):
            compiled(torch.full((4,), sign * 1.0))
    for recording in (recorder.recording, lab.open_trace(tmp_path)):
        assert isinstance(recording, lab.Recording)
        branch, first, second = recording.breaks
        assert len(branch.resume_frames) == 2
        assert second.joins == first.resume_frames != ()
        assert (branch.joins, first.joins, second.resume_frames) == ((), (), ())


def itself(x):
    return x


shown: Any = torch.compiler.disable(itself)


def twice_on_a_line(x):
    x = x.sin() if x.sum() > 0 else x.cos()
    return shown(shown(x) + 1)


def test_a_line_that_breaks_twice_does_not_go_on_in_what_led_to_it(tmp_path):
    torch._dynamo.reset()
    with logged(tmp_path), lab.record() as recorder:
        compiled = torch.compile(twice_on_a_line, backend="aot_eager")
        for sign in (1, -1):
            compiled(torch.full((4,), sign * 1.0))
    for recording in (recorder.recording, lab.open_trace(tmp_path)):
        assert isinstance(recording, lab.Recording)
        _, inner, outer, other_way = recording.breaks
        assert outer.frame in inner.resume_frames
        assert other_way.joins == inner.resume_frames
        assert outer.resume_frames == outer.joins == ()
