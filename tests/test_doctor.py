"""`dynamo-lab doctor` tells what is missing, quickly and without importing PyTorch."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.__main__ import main
from dynamo_lab.capture.core.private import Private
from dynamo_lab.capture.doctor import machine, names
from dynamo_lab.capture.frames import hooks

if TYPE_CHECKING:
    from pathlib import Path


def test_it_says_what_is_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    for name in ("Python", "PyTorch", "Triton", "C++ compiler", "GPU", "JupyterLab", "Graphviz"):
        assert name in said
    assert f"{names.count()} of the {names.count()} private names" in said


def test_it_does_not_import_pytorch() -> None:
    code = (
        "import sys; from dynamo_lab.__main__ import main; "
        "main(['doctor']); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_a_name_that_is_missing_is_told_with_what_is_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = Private("torch._dynamo.convert_frame", "_compiles", "nothing of this is known.")
    monkeypatch.setattr(hooks, "COMPILE", gone)
    assert main(["doctor"]) == 0  # the rest can still be recorded
    said = capsys.readouterr().out
    assert "missing  frames: torch._dynamo.convert_frame._compiles (known since 2.11)" in said
    assert "nothing of this is known." in said


@pytest.mark.parametrize(
    ("row", "is_there"),
    [
        (Private("torch._inductor.ir", "Loops.__post_init__", "it."), True),  # inherited
        (Private("torch.fx", "Graph.eliminate_dead_code", "it."), True),  # imported
        (Private("torch._C", "_ConvBackend", "it."), True),  # in no stub
        (Private("torch._dynamo.config", "recompile_limit", "it."), True),
        (Private("torch._dynamo.config", "recompile_limits", "it."), False),
        (Private("torch._inductor.ir", "Loops.__post_inits__", "it."), False),
        (Private("torch._dynamo.conversion", "trace_frame", "it."), False),
        (Private("torch._C", "_ConvBackends", "it."), False),
    ],
    ids=lambda value: getattr(value, "path", None),
)
def test_names_are_found_in_the_text_as_they_are_by_import(row: Private, is_there: bool) -> None:
    assert names.is_written(row) is is_there
    assert row.exists is is_there


def test_without_a_compiler_nothing_is_built(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(machine, "_gpu", lambda: "")
    assert main(["doctor"]) == 1
    assert "MISSING  C++ compiler" in capsys.readouterr().out


@pytest.mark.skipif(os.name != "posix", reason="a compiler that is a shell script")
def test_a_compiler_that_does_not_work_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "g++"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CXX", str(broken))
    assert machine.compiler() == ""
