"""`dynamo-lab compare`: which environments there are, how one is made, what is told of the runs."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from dynamo_lab.__main__ import main
from dynamo_lab.cli import compare
from dynamo_lab.errors import EnvironmentsError
from dynamo_lab.model.core.environment import Environment
from dynamo_lab.record import environments
from dynamo_lab.record.environments import Ran, python_of
from tests.view.samples import branch_and_print, recompiled

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording

PROGRAM = """\
import sys
import torch

def f(x, n):
    y = x.sin() * n
    if y.sum() > 0:
        y = y + 1
    return y

print(torch.compile(f, backend="eager")(torch.ones(4), 2).sum().item() > 0, sys.argv[1:])
sys.exit(3)
"""


class Pip:
    """In place of venv and pip: makes a file, remembers what was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, code: int = 0) -> None:
        self.asked: list[str] = []
        self.environments = 0
        self._code = code
        monkeypatch.setattr(venv, "create", self._create)
        monkeypatch.setattr(subprocess, "run", self._run)

    def _create(self, place: Path, **_: Any) -> None:
        self.environments += 1
        (place / "bin").mkdir(parents=True)
        (place / "bin" / "python").write_text("")

    def _run(self, command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        self.asked = command[command.index("--quiet") + 1 :]
        return subprocess.CompletedProcess(command, self._code, "", "noise\nERROR: no such torch\n")


def test_an_environment_is_here_a_python_or_a_folder(tmp_path: Path) -> None:
    assert python_of("here", tmp_path) == Path(sys.executable)
    assert python_of(sys.executable, tmp_path) == Path(sys.executable)
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "env" / "bin" / "python").write_text("")
    assert python_of(str(tmp_path / "env"), tmp_path) == tmp_path / "env" / "bin" / "python"
    with pytest.raises(EnvironmentsError, match="has no Python"):
        python_of(str(tmp_path), tmp_path)
    with pytest.raises(EnvironmentsError, match="is no environment"):
        python_of("torch-2.11", tmp_path)


def test_one_is_made_of_requirements_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = Pip(monkeypatch)
    made = python_of("torch==2.11.0,triton==3.6.0", tmp_path)
    assert made.is_relative_to(tmp_path)
    assert pip.asked[:2] == ["torch==2.11.0", "triton==3.6.0"]
    names = [one.partition(">")[0] for one in pip.asked[2:]]
    assert "msgspec" in names
    assert "torch" not in names
    assert "jupyterlab" not in names  # only what is needed to record
    assert python_of("torch==2.11.0,triton==3.6.0", tmp_path) == made
    assert pip.environments == 1


def test_one_that_cannot_be_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Pip(monkeypatch, code=1)
    with pytest.raises(EnvironmentsError, match=r"could not install torch==9\.9: ERROR: no such"):
        python_of("torch==9.9", tmp_path)
    assert list(tmp_path.iterdir()) == []


def _ran(recording: Recording, printed: str, torch: str, code: int = 0) -> Ran:
    from msgspec.structs import replace

    return Ran(replace(recording, environment=Environment(torch=torch)), printed, code)


def test_what_is_told_of_the_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = {
        "a": _ran(branch_and_print(), "loss 0.5\nsame\n", "2.11.0"),
        "b": _ran(recompiled(), "loss 0.7\nsame\n", "2.14.0", code=3),
    }

    def python_of(name: str, _folder: Path) -> Path:
        return Path(name)

    def recorded(python: Path, *_asked: object) -> Ran:
        return runs[str(python)]

    monkeypatch.setattr(compare, "python_of", python_of)
    monkeypatch.setattr(compare, "recorded", recorded)
    script = tmp_path / "script.py"
    script.write_text("")
    assert main(["compare", str(script), "--with", "a", "--with", "b"]) == 3
    told = capsys.readouterr().out
    rows = {row.partition("  ")[0]: row.split()[1:] for row in told.split("==")[0].splitlines()}
    assert rows["torch"] == ["2.11.0", "2.14.0"]
    assert rows["breaks"] == ["2", "0"]
    assert "  -loss 0.5\n  +loss 0.7\n" in told
    assert "same" not in told.partition("other lines:")[2].partition("a: ")[0]
    assert "breaks only in a" in told


def test_what_cannot_be_compared_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    assert main(["compare", str(script), "--with", "here", "--with", "here"]) == 2
    script.write_text("")
    assert main(["compare", str(script), "--with", "here", "--with", "here"]) == 2
    errors = capsys.readouterr().err
    assert "There is no script" in errors
    assert "pass --with twice" in errors


@pytest.mark.slow
@pytest.mark.live
def test_a_script_runs_elsewhere_and_keeps_its_arguments_and_exit_code(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    ran = environments.recorded(Path(sys.executable), str(script), ["--epochs", "1"])
    assert (ran.printed, ran.code) == ("True ['--epochs', '1']\n", 3)
    assert len(ran.recording.breaks) == 1
    assert len(ran.recording.captured_graphs()) == 2


OTHER = os.environ.get("DYNAMO_LAB_OTHER_PYTHON", "")
LOSS = """\
import torch

@torch.compile
def loss(x):
    y = x.softmax(-1)
    print("seen", tuple(y.shape))
    return (y * x).sum().relu()

print(f"{loss(torch.linspace(-1, 1, 64).reshape(8, 8)):.4f}")
"""


@pytest.mark.release
@pytest.mark.live
@pytest.mark.skipif(not OTHER, reason="DYNAMO_LAB_OTHER_PYTHON names no Python of another release")
def test_two_releases_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = [OTHER, "-c", "import torch; print(torch.__version__)"]
    other = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    here = str(torch.__version__)
    assert other != here
    script, page = tmp_path / "loss.py", tmp_path / "both.html"
    script.write_text(LOSS)
    asked = ["--with", OTHER, "--with", "here", "--html", str(page)]
    assert main(["compare", str(script), *asked]) == 0
    told = capsys.readouterr().out
    rows = {row.partition("  ")[0]: row.split()[1:] for row in told.split("==")[0].splitlines()}
    assert rows["torch"] == [other, here]
    assert rows["breaks"] == ["1", "1"]
    assert rows["graphs"] == ["2", "2"]
    assert rows["kernels"][0] != "0"
    assert "The script printed the same." in told
    assert f"PyTorch: {other}, then {here}" in told
    assert page.stat().st_size > 0


def test_where_nothing_could_be_recorded_is_said(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentsError, match="Nothing was recorded with"):
        environments.recorded(Path("/bin/false"), str(tmp_path / "none.py"), [])
