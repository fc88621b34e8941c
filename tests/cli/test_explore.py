"""`dynamo-lab explore`: the script runs as it would, and what was recorded is shown and written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.__main__ import main
from dynamo_lab.model.core.codec import load
from tests.cli.process import dynamo_lab

if TYPE_CHECKING:
    from pathlib import Path

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

    @pytest.mark.slow
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

    @pytest.mark.slow
    def test_its_exit_code_is_ours_and_its_steps_are_filmed_where_asked_for(
        self, folder: Path
    ) -> None:
        done = dynamo_lab(
            *("explore", "script.py", "--steps", "--max-steps", "3", "--json", "run.json"),
            *("--", "leave"),
            folder=folder,
        )
        assert done.returncode == 3, done.stderr
        film = load(folder / "run.json").film
        assert film is not None
        assert len(film) == 3
        assert film.cut
        assert "Steps  3 in 1 analysis" in done.stdout

    @pytest.mark.slow
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

    def test_a_syntax_error(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (folder / "script.py").write_text("def\n")
        monkeypatch.chdir(folder)
        assert main(["explore", "script.py"]) == 1
        told = capsys.readouterr().err
        assert "SyntaxError" in told
        assert "runpy" not in told

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

    def test_paths_are_those_of_the_start(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (folder / "moves.py").write_text("import os\nos.mkdir('else')\nos.chdir('else')\n")
        monkeypatch.chdir(folder)
        assert main(["explore", "moves.py", "--json", "run.json"]) == 0
        assert load(folder / "run.json").title == "moves.py"

    def test_a_file_that_fails_late_costs_nothing_else(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (folder / "out").mkdir()
        (folder / "removes.py").write_text(
            SCRIPT.replace("sys.exit(", "import os; os.rmdir('out'); sys.exit(")
        )
        monkeypatch.chdir(folder)
        arguments = ["explore", "removes.py", "--json", "out/run.json", "--html", "run.html"]
        assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert "mul" in out
        assert "<html" in (folder / "run.html").read_text(encoding="utf-8")
        assert err.startswith("dynamo-lab: ")
        assert "out/run.json' cannot be written" in err
