"""Where ranks part, and what may rightly differ between them, in logs that are made here."""

import hashlib
import json

import pytest

import dynamo_lab as lab
from dynamo_lab.api.traces import Ranks

REDUCE = "torch.ops._c10d_functional.all_reduce"


def line(metadata, payload=None, *, rank=0, number=0):
    metadata = {**metadata, "frame_id": 0, "frame_compile_id": number, "rank": rank}
    rows = []
    if payload is not None:
        made = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
        metadata["has_payload"] = made
        rows = [f"\t{row}\n" for row in payload.split("\n")]
    head = f"V1121 12:00:00.000000 {100 + rank} torch/_x.py:1] {json.dumps(metadata)}\n"
    return head + "".join(rows)


START = {"dynamo_start": {"stack": [{"line": 3, "name": "f", "filename": "/home/u/a.py"}]}}


BROKE = (
    "Graph break in user code at /home/u/a.py:3\nGraph Break Reason: One\n  Explanation: first\n\n"
    'User code traceback:\n  File "/home/u/a.py", line 3, in f\n    y = x'
)


def graph(*rows, name="x", output="out"):
    body = "".join(f"\n        {row}" for row in rows)
    return (
        "class GraphModule(torch.nn.Module):\n"
        f'    def forward(self, L_{name}_: "f32[4]"):\n        {name} = L_{name}_{body}\n'
        f"        return ({output},)"
    )


def ranks(folder, *codes, more=None):
    """What is found of ranks with these graphs; a rank can have several, one each compilation."""
    for rank, own in enumerate(codes):
        text = ""
        for number, code in enumerate([own] if isinstance(own, str) else own):
            at = {"rank": rank, "number": number}
            text += line(START, **at) + line({"dynamo_output_graph": {}}, code, **at)
            text += more(rank, number) if more else ""
            text += line({"compilation_metrics": {"has_guarded_code": True}}, **at)
        (folder / f"x_rank_{rank}_a.log").write_text(text, encoding="utf-8")
    found = lab.open_trace(folder)
    assert isinstance(found, Ranks)
    return found.ranks()


def test_another_constant_is_told(tmp_path):
    view = ranks(tmp_path, graph("out = x * 2"), graph("out = x * 3"))
    (finding,) = view.findings
    assert "node 2 is `operator.mul(x, 3)`, but `operator.mul(x, 2)` on rank 0" in finding


def test_another_input_is_told(tmp_path):
    rows = ("a = torch.sin(x)", "b = torch.cos(x)")
    view = ranks(tmp_path, graph(*rows, "out = a - a"), graph(*rows, "out = a - b"))
    assert "became a different graph" in view.findings[0]


def test_another_body_of_an_operator_is_told(tmp_path):
    def cond(inner):
        return (
            graph("cond_true_0 = self.cond_true_0",
                  "out = torch.ops.higher_order.cond(x, cond_true_0, cond_true_0, (x,))")
            + "\n    class cond_true_0(torch.nn.Module):\n"
            f"        def forward(self, x):\n            y = {inner}\n            return (y,)"
        )  # fmt: skip

    view = ranks(tmp_path, cond("x.sin()"), cond("x.cos()"))
    assert "is `cos(x)`, but `sin(x)` on rank 0" in view.findings[0]


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("'sum', '0'", "'max', '0'", "`all_reduce('max', all ranks)`"),
        ("'sum', '0'", "'sum', '1'", "`all_reduce('sum', other group 1)`"),
    ],
)
def test_a_collective_of_another_kind_or_group_is_told_first(tmp_path, one, other, told):
    view = ranks(tmp_path, graph(f"out = {REDUCE}(x, {one})"), graph(f"out = {REDUCE}(x, {other})"))
    assert view.findings[0].startswith("Collectives differ: number 1 is " + told)
    assert [row[6] for row in view.rows] == ["1", "1"]


def test_groups_in_another_order_are_told(tmp_path):
    def two(first, second):
        return graph(f"a = {REDUCE}(x, 'sum', '{first}')", f"out = {REDUCE}(a, 'sum', '{second}')")

    assert ranks(tmp_path, two(1, 2), two(3, 3)).findings


@pytest.mark.parametrize(
    "of",
    [
        lambda rank: graph(f"out = {REDUCE}(x, 'sum', '{rank + 1}')"),
        lambda rank: graph(f"out = torch.zeros(4, device = device(type='cuda', index={rank}))"),
        lambda rank: graph(f"out = x.to('cuda:{rank}')"),
        lambda rank: graph(f"out = x * {rank}"),
        lambda rank: graph(f"out = x[slice({4 * rank}, {4 * rank + 4}, None)]"),
        lambda rank: graph(f"y{rank} = torch.sin(x{rank})", f"out = y{rank} + x{rank}",
                           name=f"x{rank}"),
    ],
    ids=["group", "device", "cuda", "rank", "part", "names"],
)  # fmt: skip
@pytest.mark.parametrize("count", [2, 4])
def test_what_rightly_differs_is_the_same(tmp_path, of, count):
    view = ranks(tmp_path, *map(of, range(count)))
    assert view.findings == ()
    assert "compiled the same" in view.sentence
    assert view.apart == ()


def test_numbers_that_do_not_follow_the_rank_are_told(tmp_path):
    view = ranks(tmp_path, *(graph(f"out = x * {n}") for n in (0, 1, 3)))
    assert view.findings


def test_kernels_that_hold_the_number_of_the_rank_are_not_compared(tmp_path):
    def code(rank, number):
        at = {"rank": rank, "number": number}
        kernel = f"k = async_compile.cpp('''\nx = {rank}\n''')\ndef call(args):\n    k(args)"
        post_grad = line({"inductor_post_grad_graph": {}}, graph("out = x * 1"), **at)
        return post_grad + line({"inductor_output_code": {}}, kernel, **at)

    view = ranks(tmp_path, *(graph(f"out = x * {rank}") for rank in range(2)), more=code)
    assert view.findings == ()
    assert "could be compared" in view.sentence
    assert "contain the rank's own number" in view.remarks[0]


def test_graphs_that_cannot_be_read_are_not_the_same(tmp_path):
    bad = "\n   bad indent("
    view = ranks(tmp_path, graph("out = x * 2") + bad, graph("out = x * 3") + bad)
    assert view.findings == ()
    assert view.sentence == "The 2 ranks do not differ in what could be compared; some could not."
    assert not view.is_whole
    assert view.remarks == (
        "Not compared, because it could not be read: graph (1 on rank 0 and 1 on rank 1).",
    )


def test_a_schedule_that_cannot_be_read_is_not_a_missing_collective(tmp_path):
    def schedule(rank, number):
        told = [f"{REDUCE}_.default"]
        head = {"artifact": {"name": "inductor_collective_schedule", "encoding": "json"}}
        payload = "[truncated" if rank else json.dumps(told)
        return line(head, payload, rank=rank, number=number)

    view = ranks(tmp_path, graph("out = x * 2"), graph("out = x * 2"), more=schedule)
    assert view.findings == ()
    assert "some could not" in view.sentence
    assert view.remarks == (
        "Not compared, because it could not be read: order of collectives on rank 1.",
    )


def test_the_compilation_that_is_meant_is_named_and_few_are_told(tmp_path):
    codes = [[graph(f"out = x * {n + 3 * rank + 2}") for n in range(9)] for rank in range(2)]
    found = ranks(tmp_path, *codes).findings
    assert len(found) == len(set(found)) == 6
    assert "`f` (a.py, line 3), compilation 2, became a different graph on rank 1" in found[1]
    assert found[-1] == "4 more functions became different graphs on some ranks."


def test_logs_without_a_compilation_are_not_the_same(tmp_path):
    for rank in range(2):
        text = line({"artifact": {"name": "hello"}}, "hi", rank=rank)
        (tmp_path / f"x_rank_{rank}_a.log").write_text(text, encoding="utf-8")
    found = lab.open_trace(tmp_path)
    assert isinstance(found, Ranks)
    assert "No compilation is known" in found.ranks().sentence


def test_a_graph_that_only_some_ranks_have_is_told(tmp_path):
    view = ranks(tmp_path, graph("out = x * 2"), graph("out = x * 2"))
    assert view.findings == ()
    file = tmp_path / "x_rank_1_a.log"
    rows = file.read_text(encoding="utf-8").split("\n")
    rows = [row for row in rows if "dynamo_output_graph" not in row and not row.startswith("\t")]
    file.write_text("\n".join(rows), encoding="utf-8")
    found = lab.open_trace(tmp_path)
    assert isinstance(found, Ranks)
    assert found.findings == ("`f` (a.py, line 3) became a graph on rank 0, but not on rank 1.",)


@pytest.mark.parametrize(
    ("kind", "payload", "what"),
    [
        ("dynamo_graph_break_reason", BROKE, "graph break"),
        ("inductor_output_code", "k = async_compile.cpp('''\nx\n''')\ndef call(a):\n    k(a)",
         "code of kernels"),
    ],
)  # fmt: skip
def test_what_was_damaged_on_a_rank_is_no_difference(tmp_path, kind, payload, what):
    def more(rank, number):
        at = {"rank": rank, "number": number}
        post_grad = line({"inductor_post_grad_graph": {}}, graph("out = x * 2"), **at)
        whole = line({"artifact": {"name": kind}} if "break" in kind else {kind: {}}, payload, **at)
        return post_grad + (whole.rpartition("\n\t")[0] + "\n" if rank else whole)

    view = ranks(tmp_path, graph("out = x * 2"), graph("out = x * 2"), more=more)
    assert view.findings == ()
    assert view.remarks == (f"Not compared, because it could not be read: {what} (1 on rank 1).",)
