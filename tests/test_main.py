"""The `dynamo-lab` command: what it prints, where, and what it exits with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from dynamo_lab.__main__ import main
from dynamo_lab.model.core.codec import load, save
from tests.view.samples import assembled, film, scheduled, searched

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.model.recording import Recording


@pytest.fixture
def filmed(tmp_path: Path) -> str:
    path = tmp_path / "film.json"
    save(film(), path)
    return str(path)


@pytest.fixture
def assembly(tmp_path: Path) -> str:
    path = tmp_path / "assembled.json"
    save(assembled(), path)
    return str(path)


@pytest.fixture
def saved(sample: Recording, tmp_path: Path) -> str:
    path = tmp_path / "run.json.gz"
    save(sample, path)
    return str(path)


@pytest.fixture
def drawn(tmp_path: Path) -> str:
    path = tmp_path / "searched.json"
    save(searched(), path)
    return str(path)


class TestWhyNot:
    def test_two_operations(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        save(scheduled(), tmp_path / "run.json")
        assert main(["show", str(tmp_path / "run.json"), "--why-not", "op1", "buf2"]) == 0
        assert capsys.readouterr().out.startswith("op1 and op2 are not fused\n")

    def test_a_name_that_there_is_not(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved, "--why-not", "op1", "op2"]) == 2
        assert "Nothing was scheduled" in capsys.readouterr().err


class TestFind:
    def test_nodes_in_every_graph(self, drawn: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", drawn, "--find", "op:*mm"]) == 0
        text = capsys.readouterr().out
        assert text.startswith("2 hits  op:*mm, in 1 graph")
        assert "mm = aten.mm.default(tangents_1)" in text

    def test_nodes_in_one_graph(self, drawn: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", drawn, "--graph", "1", "--find", "op:*mm"]) == 0
        assert capsys.readouterr().out.startswith("0 hits")

    def test_a_query_that_is_not_understood(
        self, drawn: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["show", drawn, "--find", "colour:red"]) == 2
        assert "There is no field `colour`: pass op, dtype" in capsys.readouterr().err

    def test_the_modules(self, drawn: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", drawn, "--outline", "--graph", "1"]) == 0
        assert "0 to 1  Layer  2 equal ones, each" in capsys.readouterr().out


class TestDot:
    def test_a_graph_for_graphviz(self, drawn: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["dot", drawn]) == 0
        text = capsys.readouterr().out
        assert text.startswith('digraph "graph 1" {')
        assert "cluster_m0_1" in text

    def test_a_stage_opened_and_around_a_node(
        self, drawn: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["dot", drawn, "--stage", "post_grad_backward", "--open"]) == 0
        assert "cluster_m3_3" in capsys.readouterr().out
        assert main(["dot", drawn, "--around", "cond", "--up", "1", "--down", "0"]) == 0
        assert capsys.readouterr().out.count(" -> ") == 3

    def test_a_picture_needs_a_place_and_graphviz(
        self, drawn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["dot", drawn, "--svg", str(tmp_path / "no" / "x.svg")]) == 2
        assert "no such folder" in capsys.readouterr().err
        assert main(["dot", drawn, "--around", "nowhere"]) == 2
        assert "graph 1 has no node 'nowhere'" in capsys.readouterr().err


class TestShow:
    def test_everything(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved]) == 0
        text = capsys.readouterr().out
        assert "GB0170" in text
        assert "Kernels" in text

    def test_a_section(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved, "--section", "breaks"]) == 0
        text = capsys.readouterr().out
        assert "GB0170" in text
        assert "Kernels" not in text

    def test_it_explains_if_asked(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved, "--section", "breaks", "--explain"]) == 0
        assert "A break is where `torch.compile` had to stop" in capsys.readouterr().out

    def test_a_level_of_a_kernels_assembly(
        self, assembly: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["show", assembly, "--kernel", "0", "--assembly", "ptx"]) == 0
        assert "6 │ add.f32 %f2, %f1, 0f3F800000;" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (["--kernel", "0", "--assembly", "x86"], "no assembly level 'x86': pass TTIR, PTX."),
            (["--kernel", "1", "--assembly", "PTX"], "has no assembly of kernel 1"),
            (["--kernel", "5", "--assembly", "PTX"], "There is no kernel 5"),
            (["--assembly", "PTX"], "pass --kernel N as well"),
        ],
    )
    def test_an_assembly_that_is_not_there(
        self, assembly: str, capsys: pytest.CaptureFixture[str], options: list[str], sentence: str
    ) -> None:
        assert main(["show", assembly, *options]) == 2
        assert sentence in capsys.readouterr().err

    def test_a_graph_and_a_kernel(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved, "--graph", "1", "--stage", "post_grad", "--kernel", "0"]) == 0
        text = capsys.readouterr().out
        assert "arg0_1" in text
        assert "void kernel()" in text
        assert "GB0170" not in text

    def test_a_graph_is_the_captured_one_and_lists_its_stages(
        self, saved: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["show", saved, "--graph", "1"]) == 0
        text = capsys.readouterr().out
        assert "torch.relu" in text
        assert "arg0_1" not in text
        assert "graph 1 post_grad" in text

    def test_json_of_a_graph(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved, "--graph", "1", "--stage", "post_grad", "--json"]) == 0
        (graph,) = json.loads(capsys.readouterr().out)["graphs"]
        assert (graph["id"], graph["number"]) == (1, 1)

    def test_the_width_is_kept(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        for width in (40, 60):
            assert main(["show", saved, "--width", str(width)]) == 0
            assert max(map(len, capsys.readouterr().out.splitlines())) <= width

    def test_json_is_for_programs(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved, "--json", "--section", "breaks,summary"]) == 0
        assert list(json.loads(capsys.readouterr().out)) == ["breaks", "summary"]

    @pytest.mark.parametrize(
        ("arguments", "advice"),
        [
            (["--graph", "2"], "There is no graph 2: pass 1."),
            (["--graph", "0"], "There is no graph 0: pass 1."),
            (
                ["--graph", "1", "--stage", "joint"],
                "Graph 1 has no stage 'joint': pass dynamo, post_grad.",
            ),
            (["--stage", "joint"], "--stage chooses a stage of one graph: pass --graph N as well."),
            (["--kernel", "-1"], "There is no kernel -1: pass 0 to 0."),
            (["--section", "brakes"], "There is no section 'brakes': pass "),
            (["--width", "5"], "--width 5 is too narrow to read: pass 40 or more."),
            (["--width", "0"], "--width 0 is too narrow to read: pass 40 or more."),
            (["--json", "--section", "brakes"], "There is no section 'brakes' in JSON: pass "),
        ],
    )
    def test_what_is_not_there(
        self, saved: str, arguments: list[str], advice: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["show", saved, *arguments]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"dynamo-lab: {advice}")
        assert err.count("\n") == 1


class TestCheck:
    def test_as_expected(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", saved, "--breaks", "1", "--max-kernels", "3"]) == 0
        assert capsys.readouterr().out == f"{saved}: as expected\n"

    def test_not_as_expected(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", saved, "--breaks", "0"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert "expected 0 breaks, found 1:\n    cell 3, line 3: Data-dependent" in err

    def test_a_value_that_is_no_count(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", saved, "--breaks", "-1"]) == 2
        assert "pass an integer" in capsys.readouterr().err


def test_diff(
    saved: str, sample: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(msgspec.structs.replace(sample, breaks=()), tmp_path / "b.json")
    assert main(["diff", saved, str(tmp_path / "b.json")]) == 0
    assert "breaks only in a:" in capsys.readouterr().out


class TestStep:
    def test_the_listing(self, filmed: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["step", filmed, "--list"]) == 0
        text = capsys.readouterr().out
        assert "outer, analysis 2" in text
        assert "+ node  mul: f32[8] = x * 2" in text
        assert "Break: print call." in text
        assert "Cut off here: 1 more step" in text

    def test_what_cannot_be_played(
        self, saved: str, filmed: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["step", saved]) == 2
        assert "has no steps: record it with" in capsys.readouterr().err
        assert main(["step", filmed]) == 2
        assert "needs a terminal with a keyboard: pass --list" in capsys.readouterr().err


def test_html(saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["html", saved, str(tmp_path / "out.html")]) == 0
    assert "<html" in (tmp_path / "out.html").read_text(encoding="utf-8")
    assert main(["html", saved, str(tmp_path / "no" / "out.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["show", "check", "html"])
def test_a_file_that_is_no_recording(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.json").write_text("{}")
    (tmp_path / "x.html").write_text("<!doctype html>\n<html>")
    page = [str(tmp_path / "out.html")] if command == "html" else []
    assert main([command, str(tmp_path / "x.json"), *page]) == 2
    err = capsys.readouterr().err
    assert err.startswith("dynamo-lab: ")
    assert err.count("\n") == 1
    assert main([command, str(tmp_path / "x.html"), *page]) == 2
    assert "is a page to open in a browser, not a recording; pass" in capsys.readouterr().err


def test_the_help_is_a_manual(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    text = capsys.readouterr().out
    for command in ("explore", "show", "html", "check", "diff"):
        assert f"dynamo-lab {command} " in text
    assert max(map(len, text.splitlines())) <= 100


def test_arguments_of_the_script_go_after_two_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["explore", "script.py", "--epochs", "1"])
    assert "--epochs 1; the script's arguments go after --" in capsys.readouterr().err


def dynamo_lab(*arguments: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dynamo_lab", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )


def test_a_terminal_without_utf8_shows_escapes(saved: str, tmp_path: Path) -> None:
    done = dynamo_lab("show", saved, folder=tmp_path, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_leaves_is_no_error(saved: str, tmp_path: Path) -> None:
    quoted = f"'{sys.executable}' -m dynamo_lab show '{saved}' --json | head -c 1"
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        ["bash", "-c", quoted], env={**os.environ, "PYTHONPATH": path}, capture_output=True
    )
    assert done.stderr == b""


SCRIPT = """\
import sys, torch
print("arguments", sys.argv[1:], __name__)

@torch.compile(backend="eager")
def double(x):
    return x * 2

double(torch.ones(4))
if "fail" in sys.argv:
    raise ValueError("no good")
sys.exit(3 if "leave" in sys.argv else None)
"""


@pytest.mark.live
class TestExplore:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "script.py").write_text(SCRIPT)
        return tmp_path

    def test_the_script_runs_and_is_recorded(self, folder: Path) -> None:
        done = dynamo_lab(
            *("explore", "script.py", "--json", "run.json", "--show", "graphs"),
            *("--", "--epochs", "1"),
            folder=folder,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("arguments ['--epochs', '1'] __main__\n")
        assert "mul" in done.stdout
        recording = load(folder / "run.json")
        assert recording.title == "script.py"
        assert len(recording.captured_graphs()) == 1

    def test_its_steps_are_filmed_where_asked_for(self, folder: Path) -> None:
        done = dynamo_lab(
            *("explore", "script.py", "--steps", "--max-steps", "3", "--json", "run.json"),
            folder=folder,
        )
        assert done.returncode == 0, done.stderr
        film = load(folder / "run.json").film
        assert film is not None
        assert len(film) == 3
        assert film.cut
        assert "Steps  3 in 1 analysis" in done.stdout

    def test_its_failure_shows_its_traceback_and_what_was_recorded(self, folder: Path) -> None:
        done = dynamo_lab(
            *("explore", "script.py", "--json", "run.json", "--", "fail"), folder=folder
        )
        assert done.returncode == 1
        assert done.stderr.endswith("ValueError: no good\n")
        assert "runpy" not in done.stderr
        assert "mul" in done.stdout
        recording = load(folder / "run.json")
        assert recording.failure is not None
        assert recording.failure.type == "ValueError"
        assert len(recording.captured_graphs()) == 1

    def test_its_exit_code_is_ours(self, folder: Path) -> None:
        assert dynamo_lab("explore", "script.py", "--", "leave", folder=folder).returncode == 3

    def test_a_syntax_error(self, folder: Path) -> None:
        (folder / "script.py").write_text("def\n")
        done = dynamo_lab("explore", "script.py", folder=folder)
        assert done.returncode == 1
        assert "SyntaxError" in done.stderr
        assert "runpy" not in done.stderr

    def test_a_missing_script(self, folder: Path) -> None:
        done = dynamo_lab("explore", "nothing.py", folder=folder)
        assert done.returncode == 2
        assert done.stderr == "dynamo-lab: There is no script 'nothing.py': check the path.\n"

    @pytest.mark.parametrize(
        ("arguments", "advice"),
        [
            (["--json", "no/run.json"], "cannot be written (there is no such folder): name a file"),
            (["--html", "no/run.html"], "cannot be written (there is no such folder): name a file"),
            (["--json", "."], "cannot be written (it is a folder): name a file"),
            (["--json", "a", "--html", "./a"], "--json and --html name the same file: name two."),
            (["--show", "brakes"], "There is no section 'brakes': pass any of summary, "),
            (["--width", "5"], "--width 5 is too narrow to read: pass 40 or more."),
        ],
    )
    def test_what_cannot_be_done_is_said_before_the_script_runs(
        self,
        folder: Path,
        arguments: list[str],
        advice: str,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.chdir(folder)
        assert main(["explore", "script.py", *arguments]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert advice in err
        assert err.count("\n") == 1

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="may write anywhere")
    def test_a_folder_that_may_not_be_written_to(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (folder / "locked").mkdir(mode=0o500)
        page = str(folder / "locked" / "run.html")
        assert main(["explore", str(folder / "script.py"), "--html", page]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "(permission denied)" in err

    def test_paths_are_those_of_the_start(self, folder: Path) -> None:
        (folder / "moves.py").write_text("import os\nos.mkdir('else')\nos.chdir('else')\n")
        done = dynamo_lab("explore", "moves.py", "--json", "run.json", folder=folder)
        assert done.returncode == 0, done.stderr
        assert load(folder / "run.json").title == "moves.py"

    def test_a_file_that_fails_late_costs_nothing_else(self, folder: Path) -> None:
        (folder / "out").mkdir()
        (folder / "removes.py").write_text(
            SCRIPT.replace("sys.exit(", "import os; os.rmdir('out'); sys.exit(")
        )
        arguments = ("explore", "removes.py", "--json", "out/run.json", "--html", "run.html")
        done = dynamo_lab(*arguments, folder=folder)
        assert done.returncode == 2
        assert "mul" in done.stdout
        assert "<html" in (folder / "run.html").read_text(encoding="utf-8")
        assert done.stderr.startswith("dynamo-lab: ")
        assert "out/run.json' cannot be written" in done.stderr
