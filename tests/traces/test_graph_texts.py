"""What the texts in a log say: the nodes of a graph, breaks, and what stays text."""

from tests.traces.records import CONTEXT, START, TABLE, line, opened


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
