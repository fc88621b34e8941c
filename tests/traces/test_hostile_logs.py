"""Logs that someone wrote to harm who reads them: what they take is bounded, and they lead nowhere.

Where a log would have kept its reader busy for hours, that its test ends is the test.
"""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import dynamo_lab as lab
from dynamo_lab.capture.traces import graphs, guards, kernels, lines, log, texts
from dynamo_lab.errors import OptionError
from dynamo_lab.model.core import codec
from dynamo_lab.model.graphs import Graph, NodeTable, Value
from dynamo_lab.model.validate import validate
from dynamo_lab.render import terminal
from dynamo_lab.render.page import page
from dynamo_lab.view import build

CONTEXT = {"frame_id": 0, "frame_compile_id": 0, "attempt": 0}
HUGE = 1_000_000


def line(metadata: dict[str, Any], payload: str | None = None) -> str:
    """A record, as PyTorch writes one."""
    told = dict(metadata)
    if payload is not None:
        told["has_payload"] = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
    rows = [] if payload is None else [f"\t{row}\n" for row in payload.split("\n")]
    return "".join((f"V1121 12:00:00.000000 7 torch/_x.py:1] {json.dumps(told)}\n", *rows))


def start(path: str = "/w/f.py", name: str = "f", quoted: str = "x = 1") -> str:
    """A frame of this file, whose line 1 is quoted so."""
    frame = {"line": 1, "name": name, "filename": path, "loc": quoted}
    return line({"dynamo_start": {"stack": [frame]}, **CONTEXT})


def opened(folder: Path, *records: str, **options: Any) -> lab.Recording:
    (folder / "a.log").write_text("".join(records), encoding="utf-8")
    found = lab.open_trace(folder / "a.log", **options)
    assert isinstance(found, lab.Recording)
    return found


# Files of the reader


@pytest.mark.parametrize(
    ("file", "text", "quoted"),
    [
        ("secret.py", "password = 1\n", ""),  # nothing is quoted
        ("secret.py", "password = 1\n", "   "),
        ("secret.py", "password = 1\n", "pass"),  # a part of a line is soon guessed
        (".env", "x = 1\n", "x = 1"),
        (".git/config", "x = 1\n", "x = 1"),
        (".hidden/f.py", "x = 1\n", "x = 1"),
        (".hidden.py", "x = 1\n", "x = 1"),
        ("f.pem", "x = 1\n", "x = 1"),
    ],
)
def test_a_log_takes_no_file_but_the_programs(tmp_path, file, text, quoted):
    code = tmp_path / "code"
    (code / file).parent.mkdir(parents=True)
    (code / file).write_text(text + "# the rest of it\n", encoding="utf-8")
    recording = opened(tmp_path, start(f"/w/{file}", quoted=quoted), sources=code)
    assert b"the rest of it" not in codec.encode(recording)


def test_links_out_of_the_folder_or_into_what_is_hidden_are_not_followed(tmp_path):
    code = tmp_path / "code"
    (code / ".git").mkdir(parents=True)
    for file in (code / ".git" / "config", tmp_path / "outside.py"):
        file.write_text("x = 1\n# the rest of it\n", encoding="utf-8")
    (code / "a.py").symlink_to(code / ".git" / "config")
    (code / "b.py").symlink_to(tmp_path / "outside.py")
    rows = [start("/w/a.py"), start("/w/b.py")]
    assert b"the rest of it" not in codec.encode(opened(tmp_path, *rows, sources=code))


def test_files_of_the_reader_are_taken_within_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(texts, "_MAX_SOURCES", 30)
    code = tmp_path / "code"
    code.mkdir()
    (code / "f.py").write_text("x = 1\n# the rest\n", encoding="utf-8")
    rows = [start(f"/w{at}/f.py") for at in range(3)]
    recording = opened(tmp_path, *rows, sources=code)
    assert [source.line(2) for source in recording.sources] == ["# the rest", None, None]


def test_a_path_of_a_million_parts_is_no_file(tmp_path):
    opened(tmp_path, start("a/" * HUGE + "f.py"), sources=tmp_path)


# What it takes


def test_lines_that_are_no_record_are_kept_within_one_bound_for_all_logs(tmp_path, monkeypatch):
    monkeypatch.setattr(log, "MAX_STRAY", 1_000)
    for name in ("a", "b", "c"):
        with gzip.open(tmp_path / f"{name}.log.gz", "wt") as file:
            file.write("x\n" * 400 + start())
    found = lab.open_trace(tmp_path)
    assert not isinstance(found, lab.Recording)
    stray = [one for r in found.values() for one in r.artifacts if one.kind == "unreadable"]
    assert sum(len(one.text) for one in stray) < 1_000
    assert [one.problem for one in stray] == [
        "it is no record",
        "it is no record, and 600 more characters are left out",
        "it is no record, and 800 more characters are left out",
    ]


def test_many_short_lines_take_little_more_than_their_characters():
    text = lines.Text()
    for _ in range(10 * lines.TOGETHER + 5):
        text.add("ab", 10**9)
    assert len(text._blocks) == 10
    assert len(text._lines) == 5
    assert text.whole() == "\n".join(["ab"] * (10 * lines.TOGETHER + 5))


def test_a_log_is_read_up_to_so_many_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "MAX_LINES", 3)
    recording = opened(tmp_path, start(), "\n" * 10, start(name="late"))
    assert [frame.name for frame in recording.frames] == ["f"]
    assert recording.artifacts[0].problem == "the log is read up to 3 lines"


def test_a_number_alone_makes_no_attempts(tmp_path):
    told = {"compilation_metrics": {}, **CONTEXT, "attempt": 1_000}
    recording = opened(tmp_path, start(), *[line(told)] * 1_000)
    assert len(recording.frames[0].attempts) == 1_001
    reasons = {"compilation_metrics": {"restart_reasons": ["a", "b"]}, **CONTEXT, "attempt": 2}
    recording = opened(tmp_path, start(), line(reasons))
    assert [one.reason for one in recording.frames[0].attempts] == ["a", "b", ""]


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (
            "dynamo_output_graph",
            "class G(torch.nn.Module):\n    def forward(self, x):\n        #"
            + " File: a:1 in " * HUGE,
        ),
        ("dynamo_cpp_guards_str", "+- FooManager: " + "source=" * HUGE),
        ("dynamo_cpp_guards_str", "+- GUARD: " + " " * HUGE + "x"),
        ("dynamo_cpp_guards_str", "+- GUARD: x" + " # a" * HUGE),
        ("recompile_reasons", "0/0: " + "expected " * HUGE),
        ("recompile_reasons", "0/0: " + "L['" * HUGE),
        ("dynamo_graph_break_reason", "Graph Break Reason: x" + "\n" * HUGE),
        ("dynamo_error", "\n" * HUGE),
        (
            "inductor_output_code",
            "# Topologically Sorted Source Nodes: " * HUGE + "\nextern_kernels.mm(a)",
        ),
    ],
)
def test_no_text_keeps_its_reader_busy(tmp_path, kind, payload):
    name = {"name": "recompile_reasons"} if kind == "recompile_reasons" else {}
    recording = opened(tmp_path, start(), line({kind: name, **CONTEXT}, payload), start())
    assert validate(recording) is None


def test_the_comment_above_an_extern_kernel_is_read_once():
    comment = "# Topologically Sorted Source Nodes: [y], " * HUGE
    assert kernels._origins(comment) == set()
    assert kernels._origins(comment + "Original ATen: [aten.mm, aten.add]") == {
        "aten.mm",
        "aten.add",
    }


@pytest.mark.parametrize(
    ("row", "place"),
    [
        ("    # File: /w/a.py:3 in f, code: y = x", ("/w/a.py", 3, "f", "y = x")),
        (
            r"  # No. File: C:\w\a b.py:12 in <lambda>, code: a, code: b",
            (r"C:\w\a b.py", 12, "<lambda>", "a, code: b"),
        ),
        ("# File: /w/a.py:x in f, code: y", None),
        ("# File: /w/a.py:3 in f", None),
        ("y = 1  # File: /w/a.py:3 in f, code: y", None),
    ],
)  # fmt: skip
def test_the_place_in_a_comment(row, place):
    assert graphs._place(row) == place


def test_the_remark_behind_a_guard():
    own = texts.TraceTexts()
    own.quote("/w/my/a.py", 3, "y")
    assert guards.asked("x == 1  # y = x  # comment  # my/a.py:3 in f", own) == ("x == 1", 0)
    assert own.freeze()[0][0].line(3) == "y = x  # comment"
    assert guards.asked("x == 1  # /w/guards.py:77 in init", own) == ("x == 1", None)
    assert guards.asked("x == '# 3'", own) == ("x == '# 3'", None)


# What is damaged


def test_a_damaged_head_leaves_the_record_before_it_as_it_was(tmp_path):
    code = "def call(args):\n    pass"
    good = line({"inductor_output_code": {}, **CONTEXT}, code)
    bad = line({"inductor_output_code": {}, **CONTEXT}, "foreign = 1").replace('{"', '{{"', 1)
    recording = opened(tmp_path, start(), good, bad)
    assert [wrapper.code for wrapper in recording.wrappers] == [code]
    (stray,) = [one for one in recording.artifacts if one.problem]
    assert "foreign = 1" in stray.text
    assert stray.kind == "unreadable"


def test_what_follows_a_whole_payload_is_not_of_it(tmp_path):
    code = "def call(args):\n    pass"
    good = line({"inductor_output_code": {}, **CONTEXT}, code)
    recording = opened(tmp_path, start(), good, "V1121 12:0\n\tforeign = 1\n", start())
    assert [wrapper.code for wrapper in recording.wrappers] == [code]
    assert [(one.kind, one.text) for one in recording.artifacts if one.problem] == [
        ("unreadable", "foreign = 1\nV1121 12:0")
    ]


def test_no_fact_is_made_of_what_was_broken_off(tmp_path):
    code = "a = 1\nb = 2\nc = 3"
    first, rest = line({"inductor_output_code": {}, **CONTEXT}, code).split("\tb = 2\n")
    head = "V1121 12:00:00.000000 9 torch/_x.py:1] {damaged\n"
    recording = opened(tmp_path, start(), first, head, f"\tb = 2\n{rest}", start())
    assert recording.wrappers == ()
    kept = {one.kind: one.text for one in recording.artifacts}
    assert kept["inductor_output_code"].endswith("a = 1")
    assert "c = 3" in kept["unreadable"]


# What no format holds


def test_half_a_surrogate_pair_is_shown_and_saved(tmp_path):
    recording = opened(
        tmp_path, start("/w/\ud800.py", "f\udfff"), line({"artifact": {"name": "x\ud800"}})
    )
    view = build(recording)
    assert page(view)
    assert terminal.render(view).encode()
    recording.save(tmp_path / "a.json")
    assert lab.load(tmp_path / "a.json").frames[0].name == "f?"
    recording.to_html(tmp_path / "a.html")


@pytest.mark.parametrize("depth", [*range(80, 120, 5), *range(200, 1_000, 50), 100_000])
def test_nested_values_of_any_depth_are_kept(tmp_path, depth):
    deep = "[" * depth + "]" * depth
    nested = f'V1121 12:00:00.000000 7 torch/_x.py:1] {{"new": {deep}, "frame_id": {deep}}}\n'
    name = {"artifact": {"name": "recompile_reasons"}, **CONTEXT}
    recording = opened(
        tmp_path,
        start(),
        nested,
        line({"recompile_reasons": {}, **CONTEXT, "frame_compile_id": 1}, f"[{deep}]"),
        line({"dynamo_guards": {}, **CONTEXT}, f'[{{"code": {deep}}}]'),
        line({"chromium_event": {}, **CONTEXT}, f'{{"name": "a", "ts": 1, "tid": {deep}}}'),
        line(name, deep),
    )
    assert validate(recording) is None
    assert codec.encode(recording)


def test_lines_that_cannot_be_leave_a_recording_that_can_be_saved(tmp_path):
    rows = [
        line(
            {
                "dynamo_start": {
                    "stack": [
                        {"line": 1, "name": "f", "filename": "/w/f.py"},
                        {"line": number, "name": "f", "filename": "/w/f.py"},
                        {"line": 5, "name": f"g{number}", "filename": "/w/f.py"},
                    ]
                },
                **CONTEXT,
            }
        )
        for number in (-1, 0, 10**30)
    ]
    recording = opened(tmp_path, start(), *rows)
    assert [frame.caller_line for frame in recording.frames] == [None, 1, 1, 1]
    recording.save(tmp_path / "a.json")
    assert lab.load(tmp_path / "a.json").frames == recording.frames


# Who asks


@pytest.mark.parametrize("rank", ["1", True, 1.0])
def test_a_rank_is_a_number(rank):
    logs = Path(__file__).parent / "logs" / "torch-2.13-ranks"
    with pytest.raises(OptionError, match="is not a rank: pass a number"):
        lab.open_trace(logs, rank=rank)


def test_a_wrapper_of_many_kernels_and_calls_is_bounded(monkeypatch):
    names = ("x", "mm", "mm_1", "output")
    ops, targets = ("placeholder", "call_function", "output"), ("x", "aten.mm.default")
    nodes = NodeTable(
        name=names,
        op=(0, 1, 1, 2),
        target=(3, 4, 4, 2),
        arguments=("",) * 4,
        inputs=((), (0,), (0,), (1,)),
        value=(0,) * 4,
        stack=(-1,) * 4,
        module=(5,) * 4,
        strings=(*ops, *targets, ""),
        values=(Value(),),
    )
    graph = Graph(id=0, stage="post_grad", name="g", compile_id="0/0", frame=None, nodes=nodes)
    code = "extern_kernels.mm(a)\n" * 3 + "".join(
        f"k{at} = async_compile.cpp()\n" for at in range(9)
    )
    assert [one.nodes for one in kernels.read(code, graph, 0, 0).kernels][-1] == (1, 2)
    assert len(kernels.read(code, graph, 0, 0).kernels) == 10
    monkeypatch.setattr(kernels, "MAX_KERNELS", 1)
    monkeypatch.setattr(kernels, "_MOST_PAIRS", 1)
    assert [one.nodes for one in kernels.read(code, graph, 0, 0).kernels] == [(), ()]


def test_a_log_of_many_small_graphs_or_kernels_ends(tmp_path):
    graph = "class G(torch.nn.Module):\n    def forward(self, x):\n        return (x,)"
    many = [line({"inductor_post_grad_graph": {}, **CONTEXT}, graph)] * 5_000
    code = "".join(f"k{at} = async_compile.cpp()\naten.a{at}(x)\n" for at in range(100_000))
    opened(tmp_path, start(), *many, line({"inductor_output_code": {}, **CONTEXT}, code))
