"""The committed logs of several releases: nothing in them is lost, and they become recordings."""

import gzip
import json
import re

import pytest

import dynamo_lab as lab
from dynamo_lab.api.traces import Ranks
from dynamo_lab.capture.traces import log
from dynamo_lab.capture.traces.read import processes
from dynamo_lab.model.core import codec
from dynamo_lab.model.validate import validate
from dynamo_lab.render import terminal
from dynamo_lab.render.page import page
from dynamo_lab.view import build
from tests.traces.committed import LOGS, SEVERAL, SINGLE, one

HEAD = re.compile(rb"^[VDIWEC]\d{4} ", re.MULTILINE)


@pytest.fixture(scope="module", params=SINGLE)
def single(request):
    return one(LOGS / request.param)


@pytest.mark.parametrize("name", SINGLE + SEVERAL)
def test_no_record_is_lost(name):
    for file in sorted((LOGS / name).iterdir()):
        written = len(HEAD.findall(gzip.decompress(file.read_bytes())))
        (process,) = processes(file)
        kept = sum(one.records for one in process.recording.artifacts)
        assert sum(one.records for one in process.tallies.values()) == written
        assert kept == written
        assert not any(one.problem or one.left_out for one in process.recording.artifacts)


@pytest.mark.parametrize("name", SINGLE + SEVERAL)
def test_every_word_of_a_log_is_in_the_recording(name):
    for file in sorted((LOGS / name).iterdir()):
        (process,) = processes(file)
        kept = "\n".join(texts(json.loads(codec.encode(process.recording))))
        words = set(re.findall(r"[\w.]+", kept))
        for record in log.records(file, log.Room()):
            data = record.data
            if isinstance(data, dict):  # how a text is written is no part of what it says
                data = {key: value for key, value in data.items() if key != "encoding"}
            told = "\n".join([record.payload, *texts([data, record.context.get("stack")])])
            lost = {word for word in re.findall(r"[\w.]{3,}", told) if word not in words}
            assert not {word for word in lost if word not in kept}, record.kind


def texts(data):
    """All texts and numbers in JSON data, each as it is."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from texts(value)
    elif isinstance(data, list):
        for value in data:
            yield from texts(value)
    else:
        yield str(data)


@pytest.mark.parametrize("name", SINGLE + SEVERAL)
def test_what_is_imported_is_a_recording_like_any_other(name, tmp_path):
    opened = lab.open_trace(LOGS / name)
    for recording in opened.values() if isinstance(opened, Ranks) else [opened]:
        assert validate(recording) is None
        recording.save(tmp_path / "run.json.gz")
        assert codec.load(tmp_path / "run.json.gz", lab.Recording) == recording
        view = build(recording)
        assert terminal.render(view)
        assert terminal.render(view, sections=tuple(terminal.SECTIONS))
        assert page(view)


@pytest.mark.parametrize("name", SINGLE + SEVERAL)
def test_committed_logs_name_no_machine(name):
    for file in (LOGS / name).iterdir():
        text = gzip.decompress(file.read_bytes()).decode()
        assert not re.search(r"(?<![\w/])/(?:tmp|root|work)/", text)


def test_what_a_program_did(single):
    assert [item.gb_type for item in single.breaks][:2] == [
        "Data-dependent branching",
        "Failed to trace builtin operator",
    ]
    first = single.breaks[0]
    place = single.spans[first.span]
    assert single.sources[place.source].line(place.line) == "if y.sum() > 0:"
    assert first.registry_id == "GB0170"
    assert single.frames[first.frame].name == "breaks"
    assert single.frames[first.resume_frames[0]].resumes == first.frame
    assert {graph.stage for graph in single.graphs} == {
        "dynamo", "pre_grad", "joint", "forward", "backward", "post_grad",
    }  # fmt: skip
    assert len(single.recompiles) >= 2
    assert single.recompiles[0].failed[0].was
    assert any(frame.outcome == "failed" for frame in single.frames) or any(
        attempt.outcome == "failed" for frame in single.frames for attempt in frame.attempts
    )
    assert any("refuses" in n.message or "compiles nothing" in n.message for n in single.notes)
    assert single.guards
    assert single.symbols
    assert single.timings
    assert single.environment.torch.startswith("2.1")


def test_bodies_of_operators_are_tied_to_their_node(single):
    bodies = [g for g in single.graphs if g.stage == "dynamo" and g.parent is not None]
    assert len(bodies) == 2
    for body in bodies:
        assert body.parent is not None
        assert body.parent_node is not None
        around = single.graphs[body.parent]
        assert around.nodes[body.parent_node].target == "torch.ops.higher_order.cond"


def test_kernels_of_triton_know_their_nodes():
    recording = one(LOGS / "torch-2.11-gpu")
    written = [kernel for kernel in recording.kernels if kernel.language == "triton"]
    assert len(written) > 10
    # Inductor tells no nodes of those in the bodies of cond, and of those that run many small ones
    told = {kernel.name for kernel in written if kernel.nodes}
    assert {kernel.name for kernel in written} - told == {
        "triton_poi_fused_gt_sin_1",
        "triton_poi_fused_cos_gt_2",
        "triton_for_fused_0",
        "triton_for_fused_1",
    }
    first = written[0]
    assert first.graph is not None
    nodes = recording.graphs[first.graph].nodes
    assert {nodes[node].target.split(".")[1] for node in first.nodes} >= {"sin", "add", "sum"}
    assert recording.environment.accelerators == ("NVIDIA H200 : 1",)


def test_a_cache_hit_hides_no_code():
    recording = one(LOGS / "torch-2.13")
    cached = [k for k in recording.kernels if k.name == "cpp_fused_mul_sum_tanh_0"]
    assert len(cached) == 2
    assert cached[0].code == cached[1].code
    assert any(one.name == "fx_graph_cache_hit" for one in recording.artifacts)
