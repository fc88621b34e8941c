"""Logs that were cut, damaged or made up: what is sound in them is kept, and they say so."""

import gzip
import json

import pytest

from dynamo_lab.capture.traces import lines, log
from dynamo_lab.model.validate import validate
from dynamo_lab.render import terminal
from dynamo_lab.render.page import page
from dynamo_lab.view import build
from tests.traces.committed import LOGS, one
from tests.traces.records import CONTEXT, START, TABLE, line, opened

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
