"""Imported logs: those of several releases, and such as nobody should have written."""

import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

import dynamo_lab as lab
from dynamo_lab.__main__ import main
from dynamo_lab.api.traces import Ranks
from dynamo_lab.capture.traces import lines, log
from dynamo_lab.capture.traces.read import processes
from dynamo_lab.errors import OptionError, TraceError
from dynamo_lab.model.core import codec
from dynamo_lab.model.validate import validate
from dynamo_lab.render import terminal
from dynamo_lab.render.page import page
from dynamo_lab.view import build

LOGS = Path(__file__).parent / "logs"
SINGLE = ("torch-2.11-gpu", "torch-2.13", "torch-2.15")
SEVERAL = (
    "torch-2.11-ranks",
    "torch-2.11-crashed",
    "torch-2.11-nccl-hang",
    "torch-2.11-nccl-ranks",
    "torch-2.13-ranks",
)
HEAD = re.compile(rb"^[VDIWEC]\d{4} ", re.MULTILINE)


def one(path: Path, **options: Any) -> lab.Recording:
    """The recording in a log of one process."""
    found = lab.open_trace(path, **options)
    assert isinstance(found, lab.Recording)
    return found


def several(path: Path) -> Ranks:
    """The recordings in the logs of several."""
    found = lab.open_trace(path)
    assert isinstance(found, Ranks)
    return found


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


# Several ranks


@pytest.mark.parametrize("name", ["torch-2.11-ranks", "torch-2.13-ranks"])
def test_ranks_say_first_where_they_part(name):
    ranks = several(LOGS / name)
    assert list(ranks) == ["rank 0", "rank 1"]
    assert re.match(
        r"Rank 1 breaks at .*, line \d+: explicit graph_break\(\), but rank 0 does not\.",
        ranks.findings[0],
    )
    assert any("never on rank 0" in finding for finding in ranks.findings)
    text = str(ranks)
    assert text.index("did not compile the same") < text.index("collectives  ")
    assert lab.open_trace(LOGS / name, rank=1).breaks


def test_ranks_that_compiled_the_same():
    ranks = several(LOGS / "torch-2.11-crashed")
    assert ranks.findings == ()
    assert "compiled the same" in str(ranks)


def test_the_page_of_ranks_holds_the_verdict(tmp_path):
    ranks = several(LOGS / "torch-2.13-ranks")
    view = ranks._view()
    assert view.ranks is not None
    assert view.labels == ("rank 0", "rank 1")
    assert view.ranks.findings == ranks.findings
    ranks.to_html(tmp_path / "ranks.html")
    assert "did not compile the same" in (tmp_path / "ranks.html").read_text(encoding="utf-8")


def copies(tmp_path, changes):
    """The logs of two ranks with texts changed, by rank; hashes are made anew."""
    for rank in (0, 1):
        (file,) = (LOGS / "torch-2.11-crashed").glob(f"*rank_{rank}_*")
        rows = gzip.decompress(file.read_bytes()).decode()
        for old, new in changes.get(rank, ()):
            assert old in rows
            rows = rows.replace(old, new)
        rows = re.sub(r'"has_payload": "\w+"', "HASH", rows)
        (tmp_path / file.name.removesuffix(".gz")).write_text(rehashed(rows), encoding="utf-8")
    return tmp_path


def rehashed(text):
    made = []
    for record in re.split(r"\n(?!\t)", text):
        _, _, payload = record.partition("\n\t")
        digest = hashlib.md5(payload.replace("\n\t", "\n").encode(), usedforsecurity=False)
        made.append(record.replace("HASH", f'"has_payload": "{digest.hexdigest()}"'))
    return "\n".join(made)


def test_collectives_in_another_order_are_told(tmp_path):
    schedule = "torch.ops._c10d_functional.all_reduce_.default"
    other = "torch.ops._c10d_functional.broadcast_.default"
    ranks = several(copies(tmp_path, {1: [(f'"{schedule}"', f'"{other}"')]}))
    assert "`broadcast` in `averaged`" in ranks.findings[0]
    assert "`all_reduce` in `averaged`" in ranks.findings[0]
    assert "wait forever" in ranks.findings[0]


def test_of_many_ranks_the_page_holds_those_that_part(tmp_path):
    folder = copies(tmp_path, {1: [("tl_math.sin(", "tl_math.cos(")]})
    (usual,) = folder.glob("*rank_0_*")
    (other,) = folder.glob("*rank_1_*")
    texts = {0: usual.read_text(encoding="utf-8"), 1: other.read_text(encoding="utf-8")}
    usual.unlink()
    other.unlink()
    for rank in range(9):
        is_other = int(rank == 7)
        text = texts[is_other].replace(f'"rank": {is_other}', f'"rank": {rank}')
        (folder / f"torch_trace_rank_{rank}_x.log").write_text(text, encoding="utf-8")
    ranks = several(folder)
    assert len(ranks) == 9
    (finding,) = ranks.findings
    assert "has different kernels on rank 7 and on the 8 others" in finding
    view = ranks._view()
    assert view.ranks is not None
    assert view.labels[:2] == ("rank 0", "rank 7")
    assert len(view.views) == 6
    assert view.ranks.remarks == (
        "This page holds 6 of them: `--rank N`, or ranks['rank N'], shows another.",
    )


def test_kernels_that_differ_are_told(tmp_path):
    ranks = several(copies(tmp_path, {1: [("tl_math.sin(", "tl_math.cos(")]}))
    assert any("has different kernels on rank 1" in finding for finding in ranks.findings)


def test_a_rank_that_was_killed_is_told(tmp_path):
    folder = copies(tmp_path, {})
    (file,) = folder.glob("*rank_1_*")
    text = file.read_text(encoding="utf-8")
    file.write_text(text[: text.index('"inductor_output_code"')], encoding="utf-8")
    ranks = several(folder)
    assert ranks.findings[0].startswith("Rank 1 did not finish; rank 0 did.")
    assert "backend_compile" in ranks.findings[0]


def test_missing_ranks_restarts_and_strangers_are_told(tmp_path):
    folder = copies(tmp_path, {})
    (first,) = folder.glob("*rank_0_*")
    (second,) = folder.glob("*rank_1_*")
    text = second.read_text(encoding="utf-8").replace('"rank": 1', '"rank": 3')
    second.unlink()
    (folder / "dedicated_log_torch_trace_rank_3_x.log").write_text(text, encoding="utf-8")
    again = (
        first.read_text(encoding="utf-8")
        .replace(" 992 ", " 4711 ")
        .replace("V1121 17:", "V1121 18:")
    )
    again = again.replace('"rank": 0', '"rank": 7', 1)
    (folder / "dedicated_log_torch_trace_rank_0_y.log").write_text(again, encoding="utf-8")
    ranks = several(folder)
    assert list(ranks) == ["rank 0, process 992", "rank 0", "rank 3"]
    text = str(ranks)
    assert "There is no log of rank 1, 2." in text
    assert "Rank 0 started 2 times; its last process is compared." in text
    assert "also has records of rank 7" in text


def test_a_job_that_hung_is_told_by_its_collectives():
    """Two GPUs: rank 0 waited in NCCL for a collective that rank 1 never entered."""
    found = several(LOGS / "torch-2.11-nccl-hang").findings
    assert found[0].startswith(
        "Collectives differ: number 3 is missing on rank 1, but `all_reduce`"
    )
    assert "wait forever" in found[0]


def test_the_same_kernels_on_two_gpus_are_the_same():
    found = several(LOGS / "torch-2.11-nccl-ranks").findings
    assert "breaks at ranks.py, line 23" in found[0]
    assert not any("different kernels" in one for one in found)


# Damaged and hostile logs


def line(metadata, payload=None, pid=7, digest=None):
    if payload is not None:
        made = hashlib.md5(payload.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
        metadata = {**metadata, "has_payload": digest or made}
    head = f"V1121 12:00:00.000000 {pid} torch/_x.py:1] {json.dumps(metadata)}\n"
    rows = [] if payload is None else [f"\t{row}\n" for row in payload.split("\n")]
    return head + "".join(rows)


def opened(tmp_path, *lines, **options):
    (tmp_path / "a.log").write_text("".join(lines), encoding="utf-8", errors="surrogatepass")
    return one(tmp_path, **options)


START = {
    "dynamo_start": {"stack": [{"line": 3, "name": "f", "filename": 0, "loc": "y = x"}]},
    "frame_id": 0,
    "frame_compile_id": 0,
    "attempt": 0,
}
TABLE = line({"str": ["/home/user/f.py", 0]})
CONTEXT = {"frame_id": 0, "frame_compile_id": 0, "attempt": 0}
NASTY = "</script><script>alert(1)</script> \x1b[31m \u2028 \u202e {{x}}"


@pytest.mark.parametrize("part", [0.1, 0.37, 0.5, 0.83, 0.999])
def test_a_log_that_was_cut_keeps_what_stands_before(tmp_path, part):
    (file,) = (LOGS / "torch-2.13").iterdir()
    data = gzip.decompress(file.read_bytes())
    whole = one(file)
    (tmp_path / "a.log").write_bytes(data[: int(len(data) * part)])
    cut = one(tmp_path)
    count = len([graph for graph in cut.graphs if graph.parent is None])
    assert count > part * 10
    for mine, theirs in zip(cut.graphs[:-1], whole.graphs, strict=False):
        assert mine.nodes.target == theirs.nodes.target
    assert validate(cut) is None


def test_a_damaged_gzip_keeps_what_stands_before(tmp_path):
    (file,) = (LOGS / "torch-2.13").iterdir()
    data = file.read_bytes()
    (tmp_path / "a.log.gz").write_bytes(data[: len(data) // 2])
    cut = one(tmp_path)
    assert len(cut.graphs) > 5
    assert any("damaged" in note.message for note in cut.notes)
    assert any("damaged from here on" in note.traceback for note in cut.notes)


def test_a_process_that_was_killed_says_where(tmp_path):
    begin = line(
        {"chromium_event": {}, **CONTEXT}, json.dumps({"name": "codegen", "ts": 1.0, "ph": "B"})
    )
    recording = opened(tmp_path, TABLE, line(START), begin)
    assert recording.frames[0].outcome == "compiling"
    assert "ends while it was compiling f (0/0), inside codegen" in recording.notes[0].message


def test_text_stays_text(tmp_path):
    recording = opened(
        tmp_path,
        line({"str": [f"/home/{NASTY}.py", 0]}),
        line({**START, "dynamo_start": {"stack": [{"line": 3, "name": NASTY, "filename": 0}]}}),
        line({"artifact": {"name": NASTY, "encoding": "string"}, **CONTEXT}, NASTY),
        line({NASTY: {}, **CONTEXT}, NASTY),
        line({"inductor_output_code": {}, **CONTEXT}, f"k = async_compile.cpp('''{NASTY}''')"),
        line({"dynamo_cpp_guards_str": {}, **CONTEXT}, f"+- X: {NASTY}  # {NASTY}  # a.py:1 in f"),
    )
    view = build(recording)
    text = page(view)
    assert "<script>alert(1)" not in text
    for shown in (terminal.render(view), terminal.render(view, sections=("artifacts",))):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert any(one.text == NASTY for one in recording.artifacts)


def test_a_payload_that_is_not_what_was_written_is_kept_and_told(tmp_path):
    code = "class GraphModule(torch.nn.Module):\n    def forward(self, x):\n        return (x,)"
    bad = line({"dynamo_output_graph": {}, **CONTEXT}, code, digest="0" * 32)
    recording = opened(tmp_path, TABLE, line(START), bad)
    assert [node.name for node in recording.graphs[0].nodes] == ["x", "output"]
    assert recording.artifacts[0].problem == "its payload is not what was written"
    assert any("damaged" in note.message for note in recording.notes)


@pytest.mark.parametrize(
    "row",
    [
        "V1121 12:00:00.000000 7 torch/_x.py:1] {not json\n",
        "V1121 12:00:00.000000 7 torch/_x.py:1] " + "[" * 100_000 + "\n",
        "V1121 12:00:00.000000 7 torch/_x.py:1] " + '{"a":' * 50_000 + "\n",
        'V1121 12:00:00.000000 7 torch/_x.py:1] {"a": ' + "9" * 5_000 + "}\n",
        "V1121 12:00:00.000000 7 torch/_x.py:1] 3\n",
        "someone printed this\n",
        "\tan indented line of nobody's\n",
        "\x00\x01\x02\ud800\n",
    ],
)
def test_lines_that_are_no_record_are_kept(tmp_path, row):
    recording = opened(tmp_path, row, TABLE, line(START))
    assert len(recording.frames) == 1
    assert [one.kind for one in recording.artifacts].count("unreadable") == 1
    assert recording.artifacts[0].problem == "it is no record"


@pytest.mark.parametrize(
    "metadata",
    [
        {"dynamo_start": {"stack": "none"}},
        {"dynamo_start": {"stack": [1, None, {"line": "x", "filename": []}]}},
        {"dynamo_start": 3},
        {"str": ["a"]},
        {"str": 5},
        {"compilation_metrics": [1]},
        {"compilation_metrics": {"restart_reasons": 3, "entire_frame_compile_time_s": "x"}},
        {"chromium_event": {}},
        {"create_symbol": {"symbol": 5}},
        {"create_symbol": None},
        {"symbolic_shape_specialization": {"symbol": "s0", "sources": 3, "user_stack": 9}},
        {"guard_added": {"expr": {"a": [1]}}},
        {"rank": "many"},
        {},
    ],
)
def test_records_of_another_shape_are_kept(tmp_path, metadata):
    context = {"frame_id": "x" * 10_000, "frame_compile_id": [1], "attempt": 10**30}
    recording = opened(
        tmp_path, TABLE, line({**metadata, **CONTEXT}), line({**metadata, **context})
    )
    assert validate(recording) is None
    assert build(recording)


@pytest.mark.parametrize(
    "code",
    [
        "class a(torch.nn.Module):\n    def forward(self, x):\n        y = " + "(" * 5_000 + "x",
        "class a(torch.nn.Module):\n    def forward(self, x):\n        y = " + "-" * 100_000 + "x",
        "class a(torch.nn.Module):\n    def forward(self):\n        import os; os.system('true')",
        "class a(torch.nn.Module):\n    pass",
        "print('run')",
        "\x00",
        "",
    ],
)
def test_graphs_that_are_none_stay_text(tmp_path, code):
    recording = opened(
        tmp_path, TABLE, line(START), line({"dynamo_output_graph": {}, **CONTEXT}, code)
    )
    kept = [one for one in recording.artifacts if one.kind == "dynamo_output_graph"]
    assert [one.text for one in kept] == [code]


def test_giant_lines_and_texts_are_bounded_and_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "MAX_LINE", 10_000)
    monkeypatch.setattr(log, "MAX_PAYLOAD", 50)
    recording = opened(
        tmp_path,
        TABLE,
        "x" * 100_000 + "\n",
        line({"artifact": {"name": "long"}, **CONTEXT}, "y\n" * 100),
        line(START),
    )
    assert len(recording.frames) == 1
    assert {one.problem for one in recording.artifacts if one.problem} == {
        "a line is cut: 90,001 more bytes of it are left out",
        "151 more characters of it are left out",
    }


def test_artifacts_beyond_the_bound_say_what_is_left_out(tmp_path, monkeypatch):
    from dynamo_lab.capture.traces import artifacts

    monkeypatch.setattr(artifacts, "MAX_TEXT", 100)
    records = [line({"artifact": {"name": f"a{i}"}, **CONTEXT}, "z" * 60) for i in range(3)]
    recording = opened(tmp_path, *records)
    assert [(len(one.text), one.left_out) for one in recording.artifacts] == [
        (60, 0),
        (40, 20),
        (0, 60),
    ]


def test_files_of_the_log_are_never_written_or_read(tmp_path):
    name = "../../../../etc/passwd"
    recording = opened(
        tmp_path,
        line({"str": [f"/x/{name}", 0]}),
        line(START),
        line({"dump_file": {"name": name}}, "a = 1"),
        sources=tmp_path,
    )
    assert recording.artifacts[-1].name == name or recording.artifacts[0].name == name
    assert all("root:" not in e.text for source in recording.sources for e in source.excerpts)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.log"]


def test_sources_are_shown_whole_where_they_are_the_logged_ones(tmp_path):
    logs, code = tmp_path / "logs", tmp_path / "code"
    logs.mkdir()
    code.mkdir()
    (code / "f.py").write_text(
        "import torch\ndef f(x):\n    y = x\n    return y\n", encoding="utf-8"
    )
    recording = opened(logs, TABLE, line(START), sources=code)
    assert recording.sources[0].line(2) == "def f(x):"
    (code / "f.py").write_text("changed\n", encoding="utf-8")
    recording = opened(logs, TABLE, line(START), sources=code)
    assert recording.sources[0].line(2) is None
    assert any("has changed since" in note.message for note in recording.notes)


# The ways in


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_what_is_no_log_is_refused(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(TraceError, match=r"check the path|TORCH_TRACE named"):
        lab.open_trace(tmp_path / name)


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "a.log").write_text("a diary\n", encoding="utf-8")
    with pytest.raises(TraceError, match="has no record"):
        lab.open_trace(tmp_path)


def test_unknown_ranks_and_folders_are_refused(tmp_path):
    with pytest.raises(OptionError, match="There is no rank 5: there are rank 0, rank 1"):
        lab.open_trace(LOGS / "torch-2.13-ranks", rank=5)
    with pytest.raises(OptionError, match="is not a folder"):
        lab.open_trace(LOGS / "torch-2.13", sources=tmp_path / "none")


def test_command(tmp_path, capsys):
    run, shown = tmp_path / "run.json.gz", tmp_path / "run.html"
    assert (
        main(["import", str(LOGS / "torch-2.13-ranks"), "--json", str(run), "--html", str(shown)])
        == 0
    )
    assert "Rank 1 breaks at" in capsys.readouterr().out
    assert shown.stat().st_size > 100_000
    saved = sorted(one.name for one in tmp_path.glob("*.gz"))
    assert saved == ["run.rank-0.json.gz", "run.rank-1.json.gz"]
    assert (
        main(["import", str(LOGS / "torch-2.13-ranks"), "--rank", "0", "--section", "frames"]) == 0
    )
    assert "averaged" in capsys.readouterr().out
    assert main(["import", str(tmp_path / "none")]) == 2
    assert "check the path" in capsys.readouterr().err


# What a graph's text says


def nodes(tmp_path, *rows):
    body = "".join(f"\n        {row}" for row in rows)
    code = f"class G(torch.nn.Module):\n    def forward(self, x):{body}\n        return (x,)"
    logged = line({"dynamo_output_graph": {}, **CONTEXT}, code)
    recording = opened(tmp_path, TABLE, line(START), logged)
    return [(node.name, node.target, node.inputs) for node in recording.graphs[0].nodes]


def test_a_name_is_the_node_that_had_it_last(tmp_path):
    found = nodes(tmp_path, "y = torch.sin(x)", "y = torch.cos(y)", "z = torch.tan(y)")
    assert [inputs for _, _, inputs in found[1:4]] == [(0,), (1,), (2,)]


def test_changes_in_place_that_nothing_names_are_nodes(tmp_path):
    found = nodes(tmp_path, "x[0] = 5", "x += 1", "z = torch.sin(x)", "x[1] = 7")
    assert [target for _, target, _ in found[1:5]] == [
        "operator.setitem", "operator.iadd", "torch.sin", "operator.setitem",
    ]  # fmt: skip
    assert len({name for name, _, _ in found}) == len(found)


def test_what_facts_leave_out_stays_text(tmp_path):
    broke = (
        "Graph break in user code at /home/user/f.py:3\nGraph Break Reason: One\n"
        "  Explanation: first\n\nTwo\n  Explanation: SECOND\n  Hint: OTHER_HINT\n"
        'User code traceback:\n  File "/home/user/f.py", line 3, in f\n    y = x\n'
    )
    recording = opened(
        tmp_path,
        TABLE,
        line({"recompile_reasons": {}, **CONTEXT}, "[\"0/0: L['x'] LATER\"]"),
        line({**START, "frame_compile_id": 7}),
        line({"dynamo_graph_break_reason": {}, **CONTEXT, "frame_compile_id": 7}, broke),
        line({"torch_version": {}}, '{"pytorch_version": "2.13", "git": "COMMIT"}'),
        line({"inductor_output_code": {"filename": "OUTPUT.py"}, **CONTEXT}, "code = 1"),
    )
    kept = "\n".join(one.text for one in recording.artifacts)
    for word in ("LATER", "SECOND", "OTHER_HINT", "COMMIT", "OUTPUT.py"):
        assert word in kept
    assert len(recording.breaks) == 1
    assert "code = 1" not in kept  # the wrapper is this text
    assert recording.wrappers[0].code == "code = 1"


def test_the_line_of_a_break_is_that_of_the_function_that_goes_on(tmp_path):
    """So torch 2.11 writes it where another frame stands between a function and what goes on."""
    broke = (
        "Graph break in user code at /home/user/f.py:5\nGraph Break Reason: One\n"
        "  Explanation: first\n\nUser code traceback:\n"
        '  File "/home/user/f.py", line 3, in f\n    if y:\n'
        '  File "/home/user/watch.py", line 9, in watched\n    return call()\n'
        '  File "/home/user/f.py", line 5, in torch_dynamo_resume_in_f_at_3\n    print(y)\n'
    )
    name = "torch_dynamo_resume_in_f_at_3"
    start = {"dynamo_start": {"stack": [{"line": 3, "name": name, "filename": 0}]}}
    reason = {"artifact": {"name": "dynamo_graph_break_reason"}, **CONTEXT}
    recording = opened(tmp_path, TABLE, line({**START, **start}), line(reason, broke))
    assert [recording.spans[item.span].line for item in recording.breaks] == [5]
