"""The cell commands in a real kernel: output and errors as in a plain cell, a view that lasts."""

from typing import Any

import pytest

from tests.live.notebook import errors_of, html_of, run_cells, text_of

VIOLATES = """
marked = torch.ones(3, 4)
torch._dynamo.mark_dynamic(marked, 0)
torch.compile(lambda t: t.reshape(3, 4) + 1, backend="eager")(marked)
"""

CELLS = {
    "breaks": (
        "%%compile\ny = x + 1\nif y.sum() > 0:\n    y = y * 2\nprint('hi')\nout = y.sum()\nout"
    ),
    "uses names of the cell before": "print('out is', out.item())",
    "semicolon": "%%compile --quiet\nx.sum();",
    "kept": "%%compile --quiet --into kept --html {file}.html --json {file}.json.gz\nz = x + 1",
    "shows what was kept": "print(repr(kept))\nprint(z.sum().item())",
    "by another compiler": (
        "import dynamo_lab\nprint([one.language for one in dynamo_lab.beside(kept)['lab'].kernels])"
    ),
    "fails at run time": "%%compile\nq = x + 1\nw = q.view(3, -1)",
    "fails while traced": "%%compile\nw = x @ torch.ones(5, 5)",
    "fails while traced, verbosely": "%%compile --verbose\nw = x @ torch.ones(5, 5)",
    "fails as Python does": "%%compile\nq = x + 1\nraise ValueError('mine')",
    "went on before it failed": "print('q', 'q' in globals())",
    "syntax": "%%compile\ny = x.sin(",
    "magic": "%%compile\n%time x",
    "await": "%%compile\nawait x",
    "unknown option": "%%compile --nonsense\nx",
    "bad value": "%%compile --dynamic maybe\nx",
    "fullgraph": "%%compile --fullgraph\nif x.sum() > 0:\n    y = x",
    "manual": "get_ipython().find_cell_magic('compile').__doc__",
    "record": (
        "%%record\nf = torch.compile(lambda t: t + 1)\n"
        "for n in (3, 4):\n    f(torch.ones(n))\n'shown'"
    ),
    "record fails": "%%record\n1 / 0",
    "record syntax": "%%record\ny = x.sin(",
    "caught": (
        "try:\n    get_ipython().run_cell_magic('compile', '--quiet', 'raise KeyError(1)')\n"
        "except KeyError:\n    pass"
    ),
    "fails after it": "1 / 0",
    "violates": f"%%record\n{VIOLATES}",
    "violates verbosely": f"%%record --verbose\n{VIOLATES}",
    "record awaits": "%%record\nawait x",
    "cell compiles itself": (
        "%%compile --backend eager\ng = torch.compile(lambda t: t * 2)\nr = g(x).sum()\nr"
    ),
    "interrupted": "%%compile --backend eager\nbefore = x + 1\nraise KeyboardInterrupt",
    "kept what came before": "print('before' in globals())",
    "run": "%%compile --backend eager --quiet --into once\np = x * 2\nprint(1)\nq = p * 3",
    "run again": "%%compile --backend eager --quiet --into twice\np = x * 2\nprint(1)\nq = p * 3",
    "both runs": "print([len(r.captured_graphs()) for r in (once, twice)])",
    "film": "%%compile --backend eager --steps --quiet --into filmed\nz = x.sin()",
    "frames of the film": "print(len(filmed.film), filmed.film.takes[0].first)",
    "no steps": "%%compile --steps --max-steps 0\nx",
    "no such folder": "%%compile --html no/such/folder/x.html\nx",
    "no such backend": "%%compile --backend nope\nx",
    "no such mode": "%%compile --mode nope\nx",
    "no name": "%%compile --into 'a b'\nx",
    "out": "[In[k] for k, v in Out.items() if isinstance(v, str) and v == 'shown']",
    "only definitions": "%%compile\ndef only(a):\n    return a",
    "asks for logs": "%lab logs graph_code",
    "records them": "%%compile --backend eager --quiet --into told\nz = x + 2",
    "asks for other logs": "%%compile --backend eager --logs guards --quiet --into other\nx + 3",
    "asks for none": "%lab logs off",
    "records none": "%%compile --backend eager --quiet --into none\nz = x + 4",
    "recorded logs": "print([{one.name for one in r.logs} for r in (told, other, none)])",
    "no such log": "%lab logs grapf_code",
    "two models alike": (
        "net, plain = (torch.nn.Linear(8, 1) for _ in range(2))\n"
        "plain.load_state_dict(net.state_dict())\n"
        "opt, by_hand = (torch.optim.SGD(m.parameters(), lr=0.1) for m in (net, plain))"
    ),
    "a step of training": (
        "%%compile --backend eager --quiet --into trained\n"
        "loss = net(x).square().mean()\nloss.backward()\nopt.step()"
    ),
    "the same without it": (
        "plain(x).square().mean().backward()\nby_hand.step()\n"
        "nodes = [node for graph in trained.captured_graphs() for node in graph.nodes]\n"
        "print(any('add_' in node.target for node in nodes), "
        "all(map(torch.equal, net.parameters(), plain.parameters())))"
    ),
}


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("magic")
    sources = [source.replace("{file}", str(folder / "kept")) for source in CELLS.values()]
    ran = dict(zip(CELLS, run_cells(*sources), strict=True))
    ran["folder"] = folder
    return ran


@pytest.mark.slow
def test_a_cells_names_can_be_tried_on_its_guards() -> None:
    cell, asked = run_cells(
        "%%compile --backend eager --into rec --quiet\ny = x * 2",
        "print(rec.would_pass(x=x)); print(rec.would_pass(x=x.double())); print(x.dtype)",
    )
    assert errors_of(cell) == errors_of(asked) == []
    text = text_of(asked)
    assert "would reuse that code" in text
    assert "`x.dtype` was torch.float32, now torch.float64" in text
    assert text.endswith("torch.float32\n")  # the notebook's own name is as it was


@pytest.mark.slow
def test_what_can_be_tried_on_a_cell_is_named_by_a_tensor_that_it_reads() -> None:
    cell, asked, unread = run_cells(
        "%%compile --backend eager --into rec --quiet\ny = torch.relu(x)",
        "print(rec.would_pass(x.double()))",
        "print(rec.would_pass(other=x))",
    )
    assert errors_of(cell) == []
    assert "say which one is meant: `x=torch.randn(8, 3)`" in str(asked)
    assert "The cell reads no `other`: name what it reads, as in `x=" in str(unread)


@pytest.mark.slow
def test_a_cell_prints_and_displays_as_ever_and_shows_its_breaks(cells: dict[str, Any]) -> None:
    cell = cells["breaks"]
    text = text_of(cell)
    assert "hi\n" in text
    assert "tensor(256.)" in text
    assert "3 graphs" in text
    assert "2 breaks" in text
    assert errors_of(cell) == []


def test_logs_are_recorded_from_then_on(cells: dict[str, Any]) -> None:
    assert text_of(cells["asks for logs"]).startswith("Cells record these logs: graph_code.")
    assert text_of(cells["asks for none"]).startswith("Cells record no logs.")
    assert text_of(cells["recorded logs"]) == "[{'graph_code'}, {'guards'}, set()]\n"
    assert "is not what TORCH_LOGS takes" in text_of(cells["no such log"])


def test_the_optimizer_s_step_is_compiled_with_the_cell(cells: dict[str, Any]) -> None:
    assert errors_of(cells["a step of training"]) == []
    assert text_of(cells["the same without it"]) == "True True\n"


def test_names_are_handed_back(cells: dict[str, Any]) -> None:
    assert "out is 256.0" in text_of(cells["uses names of the cell before"])
    assert "q True" in text_of(cells["went on before it failed"])
    assert "True" in text_of(cells["kept what came before"])


def test_the_lasting_output_is_small_and_runs_nothing(cells: dict[str, Any]) -> None:
    (html,) = html_of(cells["breaks"])
    assert len(html.encode()) <= 200_000
    assert "<script" not in html
    assert "data-dependent branch" in html


def test_quiet_and_a_semicolon_show_nothing(cells: dict[str, Any]) -> None:
    assert cells["semicolon"].outputs == []


def test_a_recording_is_kept_under_a_name_and_in_files(cells: dict[str, Any]) -> None:
    assert cells["kept"].outputs == []
    text = text_of(cells["shows what was kept"])
    assert "1 graphs" in text
    assert "128.0" in text
    assert {path.name for path in cells["folder"].iterdir()} == {"kept.html", "kept.json.gz"}


def test_a_cell_is_compiled_again_by_another_compiler(cells: dict[str, Any]) -> None:
    assert text_of(cells["by another compiler"]).strip() == "['c']"


def test_a_cell_that_runs_again_is_captured_as_before(cells: dict[str, Any]) -> None:
    """Dynamo's own functions, left in the notebook's names, store what the cell stores."""
    assert text_of(cells["both runs"]).strip() == "[2, 2]"


def test_steps_are_filmed_where_asked_for(cells: dict[str, Any]) -> None:
    count, first = text_of(cells["frames of the film"]).split()
    assert int(count) > 3
    assert first == "0"


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("fails at run time", "TorchRuntimeError"),
        ("fails as Python does", "ValueError"),
        ("fullgraph", "Unsupported"),
        ("record fails", "ZeroDivisionError"),
        ("interrupted", "KeyboardInterrupt"),
    ],
)
def test_a_failing_cell_shows_what_was_recorded_and_one_traceback(
    cells: dict[str, Any], name: str, error: str
) -> None:
    cell = cells[name]
    assert len(html_of(cell)) == (name != "record fails")
    assert errors_of(cell) == [error]
    assert cell.outputs[-1].output_type == "error"
    assert "UsageError" not in text_of(cell)


def test_a_traceback_is_without_pytorchs_own_lines(cells: dict[str, Any]) -> None:
    trace = "\n".join(cells["fails at run time"].outputs[-1].traceback)
    assert "convert_frame.py" not in trace
    assert "from user code" in trace


def test_a_traceback_points_at_the_line_of_the_cell(cells: dict[str, Any]) -> None:
    error = cells["fails as Python does"].outputs[-1]
    trace = "\n".join(error.traceback)
    assert "line 3" in trace
    assert "interactiveshell" not in trace
    assert "eval_frame" not in trace
    assert "CellFailed" not in trace


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("magic", "`%time` is a notebook command"),
        ("await", "Line 2 awaits something"),
        ("record awaits", "Line 2 awaits something"),
        ("unknown option", "unrecognized arguments: --nonsense"),
        ("bad value", "use true, false or auto"),
        ("no steps", "max_steps=0 records nothing: pass 1 or more."),
        ("no such folder", "There is no folder"),
        ("no such backend", "There is no --backend 'nope': use one of"),
        ("no such mode", "There is no --mode 'nope': use one of"),
        ("no name", "--into 'a b' is not a name"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    cells: dict[str, Any], name: str, says: str
) -> None:
    assert says in text_of(cells[name])
    assert errors_of(cells[name]) == []
    assert text_of(cells[name]).strip().count("\n") == 0


def test_a_syntax_error_is_pythons_own(cells: dict[str, Any]) -> None:
    assert errors_of(cells["syntax"]) == ["SyntaxError"]
    assert errors_of(cells["record syntax"]) == ["SyntaxError"]
    for name in ("syntax", "record syntax"):
        assert text_of(cells[name]).strip() == ""
        assert html_of(cells[name]) == []


def test_the_error_of_another_cell_is_shown_as_ever(cells: dict[str, Any]) -> None:
    assert errors_of(cells["caught"]) == []
    (error,) = cells["fails after it"].outputs
    assert error.ename == "ZeroDivisionError"
    assert "KeyError" not in "".join(error.traceback)


def test_what_the_view_tells_is_not_logged_as_well(cells: dict[str, Any]) -> None:
    assert "Error while creating guard" not in text_of(cells["violates"])
    assert "Error while creating guard" in text_of(cells["violates verbosely"])
    assert errors_of(cells["violates"]) == ["ConstraintViolationError"]
    assert "failed while attempting" not in text_of(cells["fails while traced"])
    assert "failed while attempting" in text_of(cells["fails while traced, verbosely"])
    assert errors_of(cells["fails while traced"]) == ["TorchRuntimeError"]


def test_the_docstring_is_the_manual(cells: dict[str, Any]) -> None:
    text = text_of(cells["manual"])
    assert all(option in text for option in ("--mode", "--dynamic", "--fullgraph", "--into"))


def test_record_runs_a_cell_unchanged_and_shows_each_compilation(cells: dict[str, Any]) -> None:
    text = text_of(cells["record"])
    assert "2 graphs" in text
    assert "1 recompile" in text
    assert "'shown'" in text


def test_a_cell_may_call_torch_compile_itself(cells: dict[str, Any]) -> None:
    cell = cells["cell compiles itself"]
    assert errors_of(cell) == []
    assert "tensor(128.)" in text_of(cell)


def test_a_cell_of_definitions_alone_says_that_nothing_compiled(cells: dict[str, Any]) -> None:
    assert "Nothing was compiled" in text_of(cells["only definitions"])


@pytest.mark.slow
def test_a_failed_cell_fails_a_notebook_that_is_run_as_a_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("JUPYTER_PATH", raising=False)  # a kernel as everyone's are, not forked
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(s)
            for s in ("%load_ext dynamo_lab", "%%compile --quiet\n1 / 0")
        ]
    )
    with pytest.raises(CellExecutionError):
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()


def test_the_output_history_is_a_plain_cells(cells: dict[str, Any]) -> None:
    text = text_of(cells["out"])
    assert "run_cell_magic" in text
    assert "record" in text


@pytest.mark.slow
def test_a_line_of_another_cell_has_that_cells_name() -> None:
    defined, ran = run_cells(
        "def f(x):\n    y = x + 1\n    print(y.sum())\n    return y * 2",
        "%%compile\nz = f(x)\nz = z + 1",
    )
    assert errors_of(ran) == []
    told = text_of(ran)
    assert f"Cell {defined.execution_count}, line 3 breaks the graph" in told, told
